"""An annotation server that speaks JSON over HTTP, to be copied: Python 3.8 or newer and nothing else.

    python rest_server.py 9000             answers at http://127.0.0.1:9000/, for this machine alone
    python rest_server.py 9000 0.0.0.0     for other machines too

It is sent {"id": ..., "text": ...} for each article, title, one newline and abstract, and answers with what it finds:
    {"id": ..., "annotations": {"mention": [{"start", "end", "text", "type"}], "taxon": [{"identifier"}]}}
Replace `annotate` by your own. Add "confidence" (above 0, at most 1) to whatever you have one for.
"""

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LARGEST = 16 * 1024 * 1024

# Symbols of genes look like BRCA1 or TP53: capital letters, then a number. [0-9] because \d is any digit of Unicode.
GENE = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2,6}[0-9]{1,2}(?![A-Za-z0-9])")
# Words that name an organism, and its number in the NCBI Taxonomy.
ORGANISMS = {"human": "9606", "mouse": "10090", "saccharomyces cerevisiae": "4932"}


def annotate(text):
    """What is found in one article. Positions count characters; Python's strings do so by themselves."""
    mentions = [
        {"start": found.start(), "end": found.end(), "text": found[0], "type": "Gene"} for found in GENE.finditer(text)
    ]
    words = {word: number for word, number in ORGANISMS.items() if re.search(rf"\b{word}\b", text, re.IGNORECASE)}
    return {"mention": mentions, "taxon": [{"identifier": number} for number in words.values()]}


class BadRequestError(Exception):
    """The request cannot be answered: HTTP status and a sentence for whoever sent it."""


class Handler(BaseHTTPRequestHandler):
    timeout = 60  # seconds for a client to send its request

    def do_POST(self):
        try:
            article = self.article()
            self.answer(200, {"id": article.get("id", ""), "annotations": annotate(article["text"])})
        except BadRequestError as bad:
            status, sentence = bad.args
            self.answer(status, {"error": sentence})

    def do_GET(self):
        self.answer(405, {"error": "Articles are sent by POST."})

    def article(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdigit():
            raise BadRequestError(411, "The request needs a Content-Length.")
        if int(length) > LARGEST:
            raise BadRequestError(413, f"The request has more than {LARGEST} bytes.")
        try:
            article = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError) as error:
            raise BadRequestError(400, f"The request is not JSON: {error}.") from error
        if not isinstance(article, dict) or not isinstance(article.get("text"), str):
            raise BadRequestError(400, 'The request has no "text"; register this server to be sent the text.')
        return article

    def answer(self, status, value):
        body = json.dumps(value).encode("utf-8")
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("How to start: python rest_server.py PORT [HOST]")
    host = sys.argv[2] if len(sys.argv) > 2 else "127.0.0.1"
    server = ThreadingHTTPServer((host, int(sys.argv[1])), Handler)
    print(f"Listening at http://{host}:{server.server_address[1]}/", flush=True)
    server.serve_forever()

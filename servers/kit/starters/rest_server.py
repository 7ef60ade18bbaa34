"""A JSON over HTTP annotation server to copy and change. It needs Python 3.8 or newer, and no packages.

    python rest_server.py 9000             answers at http://127.0.0.1:9000/, for this machine only
    python rest_server.py 9000 0.0.0.0     for other machines too

It receives {"id": ..., "text": ...} for each article; the text is title, one newline and abstract. It answers:
    {"id": ..., "annotations": {"mention": [{"start", "end", "text", "type"}], "taxon": [{"identifier"}]}}
An array of articles, as servers get that are registered for several in one request, is answered by an array.
Replace `annotate` with your own function. "confidence" (above 0, at most 1) is optional for each annotation.
"""

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LARGEST = 16 * 1024 * 1024

# Gene symbols such as BRCA1 or TP53: capital letters, then a number. [0-9] because \d matches any Unicode digit.
GENE = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2,6}[0-9]{1,2}(?![A-Za-z0-9])")
# Names of organisms, and their ids in the NCBI Taxonomy.
ORGANISMS = {"human": "9606", "mouse": "10090", "saccharomyces cerevisiae": "4932"}


def annotate(text):
    """The annotations of one article. Positions count characters, as Python's strings do."""
    mentions = [
        {"start": match.start(), "end": match.end(), "text": match[0], "type": "Gene"} for match in GENE.finditer(text)
    ]
    taxids = [taxid for name, taxid in ORGANISMS.items() if re.search(rf"\b{name}\b", text, re.IGNORECASE)]
    return {"mention": mentions, "taxon": [{"identifier": taxid} for taxid in taxids]}


class BadRequestError(Exception):
    """An invalid request: the HTTP status and a sentence for the client."""


def answer_article(article):
    if not isinstance(article, dict) or not isinstance(article.get("text"), str):
        raise BadRequestError(400, 'The request has no "text": register this server to be sent the text.')
    return {"id": article.get("id", ""), "annotations": annotate(article["text"])}


class Handler(BaseHTTPRequestHandler):
    timeout = 60  # seconds for a client to send its request

    def do_POST(self):
        try:
            sent = self.read_json()
            self.answer(
                200, [answer_article(each) for each in sent] if isinstance(sent, list) else answer_article(sent)
            )
        except BadRequestError as error:
            status, sentence = error.args
            self.answer(status, {"error": sentence})

    def do_GET(self):
        self.answer(405, {"error": "Send articles by POST."})

    def read_json(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdigit():
            raise BadRequestError(411, "The request needs a Content-Length.")
        if int(length) > LARGEST:
            raise BadRequestError(413, f"The request is larger than {LARGEST} bytes.")
        try:
            return json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError) as error:
            raise BadRequestError(400, f"The request is not JSON: {error}.") from error

    def answer(self, status, value):
        body = json.dumps(value).encode("utf-8")
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("Usage: python rest_server.py PORT [HOST]")
    host = sys.argv[2] if len(sys.argv) > 2 else "127.0.0.1"
    server = ThreadingHTTPServer((host, int(sys.argv[1])), Handler)
    print(f"Listening at http://{host}:{server.server_address[1]}/", flush=True)
    server.serve_forever()

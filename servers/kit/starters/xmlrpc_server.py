"""An annotation server that speaks XML-RPC, to be copied: Python 3.8 or newer and nothing else.

    python xmlrpc_server.py 9000             answers at http://127.0.0.1:9000/, for this machine alone
    python xmlrpc_server.py 9000 0.0.0.0     for other machines too

Its method Annotator.getAnnotation is called for each article with a struct {id, title, abstract, text}, or with the
text alone: title, one newline and abstract. It returns a struct of what it finds:
    {"mentions": [{"offset", "mention"}], "taxons": [{"taxid"}]}
Replace `annotate` by your own. Add "confidence" (above 0, at most 1) to whatever you have one for.
"""

import re
import sys
from socketserver import ThreadingMixIn
from xmlrpc.client import Fault
from xmlrpc.server import SimpleXMLRPCRequestHandler, SimpleXMLRPCServer

# Symbols of genes look like BRCA1 or TP53: capital letters, then a number. [0-9] because \d is any digit of Unicode.
GENE = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2,6}[0-9]{1,2}(?![A-Za-z0-9])")
# Words that name an organism, and its number in the NCBI Taxonomy.
ORGANISMS = {"human": 9606, "mouse": 10090, "saccharomyces cerevisiae": 4932}


def annotate(text):
    """What is found in one article. Offsets count characters; Python's strings do so by themselves."""
    mentions = [{"offset": found.start(), "mention": found[0]} for found in GENE.finditer(text)]
    words = {word: number for word, number in ORGANISMS.items() if re.search(rf"\b{word}\b", text, re.IGNORECASE)}
    return {"mentions": mentions, "taxons": [{"taxid": number} for number in words.values()]}


def get_annotation(article):
    """The answer to one call. A Fault tells the meta-server, and by it your team, why there is none."""
    text = article.get("text") if isinstance(article, dict) else article
    if not isinstance(text, str):
        raise Fault(2, "The call has no text; register this server to be sent the struct or the text.")
    return annotate(text)


class Handler(SimpleXMLRPCRequestHandler):
    rpc_paths = ()  # answers at every path
    timeout = 60  # seconds for a client to send its request


class Server(ThreadingMixIn, SimpleXMLRPCServer):
    daemon_threads = True


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("How to start: python xmlrpc_server.py PORT [HOST]")
    host = sys.argv[2] if len(sys.argv) > 2 else "127.0.0.1"
    server = Server((host, int(sys.argv[1])), requestHandler=Handler)
    server.register_function(get_annotation, "Annotator.getAnnotation")
    print(f"Listening at http://{host}:{server.server_address[1]}/", flush=True)
    server.serve_forever()

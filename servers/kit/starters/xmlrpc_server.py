"""An XML-RPC annotation server to copy and change. It needs Python 3.8 or newer, and no packages.

    python xmlrpc_server.py 9000             answers at http://127.0.0.1:9000/, for this machine only
    python xmlrpc_server.py 9000 0.0.0.0     for other machines too

Its method Annotator.getAnnotation is called for each article with a struct {id, title, abstract, text}, or with the
text alone: title, one newline and abstract. It returns a struct:
    {"mentions": [{"offset", "mention"}], "taxons": [{"taxid"}]}
Replace `annotate` with your own function. "confidence" (above 0, at most 1) is optional for each annotation.
"""

import re
import sys
from socketserver import ThreadingMixIn
from xmlrpc.client import Fault
from xmlrpc.server import SimpleXMLRPCRequestHandler, SimpleXMLRPCServer

# Gene symbols such as BRCA1 or TP53: capital letters, then a number. [0-9] because \d matches any Unicode digit.
GENE = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2,6}[0-9]{1,2}(?![A-Za-z0-9])")
# Names of organisms, and their ids in the NCBI Taxonomy.
ORGANISMS = {"human": 9606, "mouse": 10090, "saccharomyces cerevisiae": 4932}


def annotate(text):
    """The annotations of one article. Offsets count characters, as Python's strings do."""
    mentions = [{"offset": match.start(), "mention": match[0]} for match in GENE.finditer(text)]
    taxids = [taxid for name, taxid in ORGANISMS.items() if re.search(rf"\b{name}\b", text, re.IGNORECASE)]
    return {"mentions": mentions, "taxons": [{"taxid": taxid} for taxid in taxids]}


def get_annotation(article):
    """The answer to one call. Raises a Fault, whose message the meta-server shows to your team."""
    text = article.get("text") if isinstance(article, dict) else article
    if not isinstance(text, str):
        raise Fault(2, "The call has no text: register this server to be sent the struct or the text.")
    return annotate(text)


class Handler(SimpleXMLRPCRequestHandler):
    rpc_paths = ()  # answers at every path
    timeout = 60  # seconds for a client to send its request


class Server(ThreadingMixIn, SimpleXMLRPCServer):
    daemon_threads = True


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("Usage: python xmlrpc_server.py PORT [HOST]")
    host = sys.argv[2] if len(sys.argv) > 2 else "127.0.0.1"
    server = Server((host, int(sys.argv[1])), requestHandler=Handler)
    server.register_function(get_annotation, "Annotator.getAnnotation")
    print(f"Listening at http://{host}:{server.server_address[1]}/", flush=True)
    server.serve_forever()

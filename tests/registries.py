"""UniProt, NCBI and PSI-MI on loopback: they answer as the real ones, in good days and in bad ones."""

import json
import re
import socket
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit


@dataclass
class Answer:
    """What is sent back; cut: only half of the body comes, silent: nothing does."""

    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    silent: bool = False


def wait_until_closed(connection: socket.socket) -> None:
    """Wait until the client has hung up."""
    with suppress(OSError):
        connection.recv(1)


def protein(accession: str, name: str = "a protein", gene: str = "GEN", taxon: int = 9606) -> dict[str, object]:
    return {
        "entryType": "UniProtKB reviewed (Swiss-Prot)",
        "primaryAccession": accession,
        "organism": {"taxonId": taxon},
        "proteinDescription": {"recommendedName": {"fullName": {"value": name}}},
        "genes": [{"geneName": {"value": gene}}],
    }


def inactive(accession: str, reason: str, *successors: str) -> dict[str, object]:
    why = {"inactiveReasonType": reason, **({"mergeDemergeTo": list(successors)} if successors else {})}
    return {"entryType": "Inactive", "primaryAccession": accession, "inactiveReason": why}


def gene(number: str, symbol: str, status: str = "0", current: str = "0", taxon: str = "9606") -> str:
    return (
        f'<DocumentSummary uid="{number}"><Name>{symbol}</Name><Description>name of {symbol}</Description>'
        f"<Status>{status}</Status><CurrentID>{current}</CurrentID><OtherAliases>{symbol}1, {symbol}2</OtherAliases>"
        f"<OtherDesignations>one|two</OtherDesignations><Organism><TaxID>{taxon}</TaxID></Organism></DocumentSummary>"
    )


class Registries:
    """Holds proteins by accession (a text: merged into that one), genes and taxa by number, and one ontology.

    troubles are answered first, in their order, whatever is asked.
    """

    def __init__(self) -> None:
        self.proteins: dict[str, object] = {}
        self.genes: dict[str, str] = {}
        self.taxa: dict[str, str] = {}
        self.ontology = b"format-version: 1.2\n"
        self.troubles: list[Answer] = []
        self.asked: list[str] = []
        self.senders: set[str] = set()

    def answer(self, path: str, body: str) -> Answer:
        self.asked.append(f"{path} {body}".strip())
        if self.troubles:
            return self.troubles.pop(0)
        form = {name: values[0] for name, values in parse_qs(body or urlsplit(path).query).items()}
        match urlsplit(path).path:
            case "/uniprotkb/accessions":
                return self.many(form["accessions"].split(","))
            case "/eutils/esummary.fcgi":
                return self.summaries(form["id"].split(","))
            case "/eutils/efetch.fcgi":
                found = [self.taxa[number] for number in form["id"].split(",") if number in self.taxa]
                return Answer(200, f"<?xml version='1.0'?><TaxaSet>{''.join(found)}</TaxaSet>".encode())
            case "/psi-mi.obo":
                return Answer(200, self.ontology)
            case one:
                return self.one(one.rpartition("/")[2])

    def many(self, accessions: list[str]) -> Answer:
        held = [self.proteins.get(name) for name in accessions]
        active = [item for item in held if isinstance(item, dict) and item["entryType"] != "Inactive"]
        return Answer(200, json.dumps({"results": active}).encode())

    def one(self, accession: str) -> Answer:
        match self.proteins.get(accession):
            case None:
                return Answer(404, b'{"messages": ["Resource not found"]}')
            case str() as successor:
                return Answer(303, b"", {"Location": f"/uniprotkb/{successor}?from={accession}"})
            case item:
                return Answer(200, json.dumps(item).encode())

    def summaries(self, numbers: list[str]) -> Answer:
        unknown = '<DocumentSummary uid="{}"><error>cannot get document summary</error></DocumentSummary>'
        items = "".join(self.genes.get(number) or unknown.format(number) for number in numbers)
        text = f'<eSummaryResult><DocumentSummarySet status="OK">{items}</DocumentSummarySet></eSummaryResult>'
        return Answer(200, text.encode())

    def named(self, what: str) -> list[str]:
        """What was asked that holds these words."""
        return [text for text in self.asked if re.search(what, text)]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/"

    def __enter__(self) -> "Registries":
        held = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.do_POST()

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                held.senders.add(self.headers.get("From", ""))
                answer = held.answer(self.path, body)
                if answer.silent:
                    wait_until_closed(self.connection)
                    return
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body[: len(answer.body) // 2] if answer.cut else answer.body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

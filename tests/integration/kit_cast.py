"""What servers answer to the articles of the kit's check, and its report as data."""

import json
from pathlib import Path

from servers.kit.__main__ import main

# Found in the first and the second sample; code points, behind characters of two and of four bytes.
KNOWN_GENES = ("BRCA1", "CTNNB1")


def mentions(text):
    return [(text.index(word), word) for word in KNOWN_GENES if word in text]


def xmlrpc_answer(sent):
    return {"mentions": [{"offset": at, "mention": word, "confidence": 0.9} for at, word in mentions(sent["text"])]}


def rest_answer(text):
    said = [{"start": at, "end": at + len(word), "text": word, "type": "Gene"} for at, word in mentions(text)]
    return {"annotations": {"mention": said}}


def run_kit_check(capsys, *arguments):
    """The exit status and the report as data."""
    status = main(["check", *map(str, arguments), "--json"])
    return status, json.loads(capsys.readouterr().out)


def list_reported_faults(report):
    return [[(each["what"], each["where"]) for each in article["findings"]] for article in report["articles"]]


FOUND = [[("BRCA1", "0-5")], [("CTNNB1", "81-87")], []]


def one_article():
    path = Path("one.jsonl")
    path.write_text('{"id": "7", "title": "BRCA1 and others"}\n\n', encoding="utf-8")
    return path.resolve()

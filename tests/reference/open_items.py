"""PubTator lines scored slowly, line by line and as sets: mentions, concepts and relations."""

import gzip
import re

# What BioRED's evaluation leaves out.
LEFT_OUT = [
    {"DiseaseOrPhenotypicFeature"},
    {"GeneOrGeneProduct", "SequenceVariant"},
    {"GeneOrGeneProduct", "OrganismTaxon"},
]


def lines(path):
    """{document: [fields of each line of a mention or relation]}, in the order of the file."""
    found = {}
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        for line in stream:
            if text := re.match(r"(\d+)\|[ta]\|", line):
                found.setdefault(text[1], [])
            elif line.strip():
                fields = line.rstrip("\n").split("\t")
                found.setdefault(fields[0], []).append(fields)
    return found


def mention_set(path, kind):
    return {
        (document, fields[1], fields[2])
        for document, rows in lines(path).items()
        for fields in rows
        if len(fields) > 4 and fields[1].isdigit() and fields[4] == kind
    }


def concept_set(path, kind):
    return {
        (document, identifier.removeprefix("MESH:"))
        for document, rows in lines(path).items()
        for fields in rows
        if len(fields) > 5 and fields[1].isdigit() and fields[4] == kind
        for identifier in fields[5].split("|")
        if identifier != "-1"
    }


def relation_set(path, level, *, leave_out=()):
    """{(document, first, second, type, novelty)}, sorted identifiers, without those between types that are left out."""
    found = set()
    for document, rows in lines(path).items():
        types = {}
        for fields in rows:
            if fields[1].isdigit():
                types |= dict.fromkeys(re.split("[,;]", fields[5]) if len(fields) > 5 else [], fields[4])
        for fields in rows:
            if not fields[1].isdigit():
                first, second = sorted(fields[2:4])
                if {types.get(first), types.get(second)} not in list(leave_out):
                    novelty = fields[4] if level == "novelty" and len(fields) > 4 else ""
                    found.add((document, first, second, "" if level == "pair" else fields[1], novelty))
    return found


def contingency(gold, run):
    return len(gold & run), len(run - gold), len(gold - run)

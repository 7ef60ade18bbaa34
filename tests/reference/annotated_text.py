"""Annotated abstracts read and scored slowly: rows of PubTator, genes of each document, spans matched one to one."""

import gzip
import re
from collections import Counter, defaultdict


def rows(path):
    """[(document, start, end, text, type, identifiers)] of the lines with tabs, identifiers as they are written."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        columns = [line.rstrip("\n").split("\t") for line in lines if "\t" in line and not text_line(line)]
    return [(own[0], int(own[1]), int(own[2]), own[3], own[4], (*own[5:], "")[0]) for own in columns]


def documents(path):
    """The documents with a line of any kind, in the order of the file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return list(dict.fromkeys(re.split(r"[|\t]", line)[0] for line in lines if line.strip()))


def text_line(line):
    return bool(re.match(r"[^|\t]+\|[ta]\|", line))


def gene_numbers(written):
    """The digits behind each prefix, if any; -1 and - are none."""
    return [part for part in re.split(r"[,;|]", re.sub(r"NCBI ?Gene:", "", written)) if part.isdigit()]


def gene_counts(path):
    """{document: {gene: number of mentions}}, and {(document, gene): its first place}."""
    mentions, first = defaultdict(Counter), {}
    for document, start, _, _, kind, written in rows(path):
        for gene in gene_numbers(written) if kind.lower() == "gene" else []:
            mentions[document][gene] += 1
            first[document, gene] = min(start, first.get((document, gene), start))
    return mentions, first


def gene_lists(path):
    """{document: genes, most mentions first, then the one that is mentioned first, or named first in that mention}."""
    mentions, first = gene_counts(path)
    lists = {}
    for document, own in mentions.items():
        places = sorted((-number, first[document, gene], n, gene) for n, (gene, number) in enumerate(own.items()))
        lists[document] = [gene for *_, gene in places]
    return lists


def gene_spans(path):
    """{document: distinct (start, end) of its genes, in the order of the file}."""
    found = defaultdict(dict)
    for document, start, end, _, kind, _ in rows(path):
        if kind.lower() == "gene":
            found[document][start, end] = None
    return {document: list(own) for document, own in found.items()}


MATCHES = {
    "exact": lambda a, b: a == b,
    "start": lambda a, b: a[0] == b[0],
    "end": lambda a, b: a[1] == b[1],
    "either": lambda a, b: a[0] == b[0] or a[1] == b[1],
    "overlap": lambda a, b: a[0] < b[1] and b[0] < a[1],
}


def count_matched_spans(right, found, how):
    """How many of the found spans can be paired with a right one of their own, by paths that augment."""
    alike, partner = MATCHES[how], {}

    def place(one, seen):
        for other in range(len(right)):
            if other not in seen and alike(right[other], found[one]):
                seen.add(other)
                if other not in partner or place(partner[other], seen):
                    partner[other] = one
                    return True
        return False

    return sum(place(one, set()) for one in range(len(found)))

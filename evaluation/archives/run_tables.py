"""Runs and gold standards as tab-separated values that the command line scores to the very figures of the site.

Articles stand in the order of their names, as samples of them are drawn; an item that a list has twice stands once,
where it is placed best; ranks are the places in the lists, so that nothing depends on how ties are broken. Mentions are
written as PubTator, with which articles without one are named, too.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from annotations.formats.text_results import ALTERNATIVE
from annotations.kinds import Finding, Kind
from bcms.lib.text import one_spaced
from evaluation.analyses.pooling import listed
from evaluation.measures.classification import Judgement, in_list_order
from evaluation.measures.finding_figures import genes_in, list_of
from evaluation.measures.passages import Judged
from evaluation.mentions.alternatives import Accepted
from evaluation.mentions.files import GENE

Named = Mapping[str, Sequence[Finding]]


def gold_lines(kind: Kind, right: Named, accepted: Accepted | None = None) -> Iterator[str]:
    """The file of a gold standard, {article: what is right of it}; accepted: of mentions what is in place of genes."""
    if kind == Kind.MENTION:
        yield from mention_lines(right, accepted)
        return
    for article, findings in sorted(right.items()):
        if kind == Kind.CLASSIFICATION:
            yield f"{article}\t{int(any(finding.relevant for finding in findings))}\n"
        else:
            keys = sorted({finding.key for finding in findings}, key=str)
            yield from ("\t".join([article, *map(str, key[1:])]) + "\n" for key in keys)


def run_lines(kind: Kind, said: Named, databases: Collection[str] | None) -> list[str]:
    """The file of a run. databases: those of the gold standard, as others count nowhere; None for all.

    Confidences stand in it where every result has one.
    """
    if kind == Kind.MENTION:
        return list(mention_lines(said))
    if kind == Kind.CLASSIFICATION:
        rows = list(calls(said))
    else:
        rows = list(passages(said) if kind == Kind.PASSAGE else items(said, databases))
    sure = all(confidence is not None for *_, confidence in rows) and kind != Kind.PASSAGE
    return [
        "\t".join([article, *item, str(rank), *([repr(confidence)] if sure else [])]) + "\n"
        for article, item, rank, confidence in rows
    ]


def mention_lines(said: Named, accepted: Accepted | None = None) -> Iterator[str]:
    """PubTator without the texts: every article, and the places of the genes in it, and of alternatives."""
    for article, findings in sorted(said.items()):
        texts = {(own.start, own.end): one_spaced(own.text) for own in findings}
        yield f"{article}|t|\n"
        for span in genes_in(findings):
            yield f"{article}\t{span.start}\t{span.end}\t{texts[span]}\t{GENE}\n"
        for span in sorted((accepted or {}).get(article, ())):
            yield f"{article}\t{span.start}\t{span.end}\t\t{ALTERNATIVE}\n"


def items(said: Named, databases: Collection[str] | None) -> Iterator[tuple[str, Sequence[str], int, float | None]]:
    for article, findings in sorted(said.items()):
        counted: set[object] = {finding.database for finding in findings} if databases is None else {*databases}
        for place, (key, confidence) in enumerate(list_of(findings, counted).items(), 1):
            yield article, [str(part) for part in key[1:]], place, confidence


def passages(said: Named) -> Iterator[tuple[str, Sequence[str], int, float | None]]:
    """Those of each pair, sorted, with white space as single spaces: once, where they are placed best."""
    for article, findings in sorted(said.items()):
        for pair, listed_of_pair in sorted(listed(findings).items()):
            for place, passage in enumerate(listed_of_pair, 1):
                yield article, [*pair, passage], place, None


def judgement_lines(judged: Judged) -> Iterator[str]:
    """The file of what was decided of passages: article, both identifiers, passage, relevant, best."""
    for pair, verdicts in judged.items():
        for passage, verdict in verdicts.items():
            yield "\t".join([*pair, passage, str(int(verdict.relevant)), str(int(verdict.best))]) + "\n"


def calls(said: Named) -> Iterator[tuple[str, Sequence[str], int, float | None]]:
    """By article; the rank of a call is its place among those of its class."""
    first = ((article, findings[0]) for article, findings in said.items() if findings)
    listed = in_list_order(Judgement(name, bool(own.relevant), own.rank, own.confidence) for name, own in first)
    yes, no = [own for own in listed if own.relevant], [own for own in reversed(listed) if not own.relevant]
    ranks = {own.article: place for calls_of_class in (yes, no) for place, own in enumerate(calls_of_class, 1)}
    for own in sorted(listed, key=lambda call: call.article):
        yield own.article, [str(int(own.relevant))], ranks[own.article], own.confidence


def time_lines(run: str, seconds: Iterable[float]) -> Iterator[str]:
    """How long each answer of a run took."""
    return (f"{run}\t{own!r}\n" for own in seconds if own > 0)

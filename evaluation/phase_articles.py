"""The articles of a phase for its participants: what a file calls them is what runs and gold standards call them.

In a blind phase that is the opaque id, and there is nothing besides but the text: no PMID, journal, year or author.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from annotations.formats.collected import AnnotatedArticle
from annotations.formats.pubmed import Passage
from annotations.formats.read_article import Name
from annotations.formats.writing_bioc import write_bioc_json, write_bioc_xml
from annotations.formats.writing_lines import ESCAPES, write_ndjson
from annotations.formats.writing_pubtator import write_pubtator
from annotations.models import Article, CorpusArticle
from evaluation.articles import articles_of
from evaluation.challenges import organizes
from evaluation.entrants import entrant_of, what_is_missing
from evaluation.errors import ChallengeError
from evaluation.models import Phase
from evaluation.runs import finished_training_offline
from servers.models import Team

BATCH = 500


def write_articles_tsv(articles: Iterable[AnnotatedArticle]) -> Iterator[str]:
    """An article a line: id, title and the rest of the text; tabs and line breaks are \\t and \\n, as in COPY."""
    for article in articles:
        rest = "\n".join(passage.text for passage in article.passages[1:])
        cells = (article.id, article.passages[0].text if article.passages else "", rest)
        yield "\t".join(cell.translate(ESCAPES) for cell in cells) + "\n"


@dataclass(frozen=True, slots=True)
class ArticleFile:
    """A format in which the articles are given out."""

    title: str
    suffix: str
    content_type: str
    write: Callable[[Iterable[AnnotatedArticle]], Iterator[str]]


FILES: Mapping[str, ArticleFile] = {
    "tsv": ArticleFile("tab-separated values: id, title, text", "tsv", "text/tab-separated-values", write_articles_tsv),
    "jsonl": ArticleFile("JSON, an article a line", "jsonl", "application/x-ndjson", write_ndjson),
    "bioc-xml": ArticleFile("BioC XML", "xml", "application/xml", write_bioc_xml),
    "bioc-json": ArticleFile("BioC JSON", "json", "application/json", write_bioc_json),
    "pubtator": ArticleFile("PubTator", "txt", "text/plain", write_pubtator),
}


def refuse_articles(user: Any, phase: Phase) -> None:
    """ChallengeError when the user may not have the articles of a phase yet, with what to do first.

    Those that are not blind are public anyway. Blind ones are for organizers, and from the opening of the phase on for
    members of teams that take part and, where the phase asks for that, have uploaded their final training runs.
    """
    if not phase.corpus.blind or organizes(user, phase.challenge):
        return
    if phase.opens > timezone.now():
        raise ChallengeError(f"The articles are given out when the phase opens, on {phase.opens:%-d %B %Y, %H:%M} UTC.")
    teams = list(Team.objects.filter(members=user.pk).order_by("name")) if user.is_authenticated else []
    if not teams:
        raise ChallengeError("The articles are for teams that take part: log in as a member of one.")
    reasons = [lacking(team, phase) for team in teams]
    if all(reasons):
        raise ChallengeError(" ".join(reasons))


def lacking(team: Team, phase: Phase) -> str:
    """What the team has to do before it gets the articles, in a sentence; empty when it may have them."""
    if missing := what_is_missing(phase.challenge, entrant_of(phase.challenge, team), team):
        return missing
    if phase.final_first and not finished_training_offline(team, phase.challenge):
        return f"{team} gets the articles when it has uploaded its training runs and tagged those that are final."
    return ""


def given_out(phase: Phase) -> Iterator[AnnotatedArticle]:
    """The articles that count in a phase, in the order of its corpus, read in batches: 3 queries, and 1 for each."""
    names = articles_of(phase)
    rows = CorpusArticle.objects.filter(corpus=phase.corpus_id).order_by("position")
    keys = [pk for pk in rows.values_list("article_id", flat=True) if pk in names]
    for start in range(0, len(keys), BATCH):
        batch = keys[start : start + BATCH]
        articles = Article.objects.defer("text").in_bulk(batch)
        for pk in batch:
            yield plain(articles[pk], names[pk], blind=phase.corpus.blind)


def plain(article: Article, name: str, *, blind: bool) -> AnnotatedArticle:
    """The text of an article under what the phase calls it; in a blind phase nothing else."""
    passages = [Passage(own["type"], own["text"]) for own in article.passages]
    if blind:
        return AnnotatedArticle(name, Name(), passages, article.text_version)
    known = Name(article.pmid, article.pmcid, article.doi)
    authors = article.metadata.get("authors", [])
    return AnnotatedArticle(
        name, known, passages, article.text_version, article.journal, article.year, [str(own) for own in authors]
    )

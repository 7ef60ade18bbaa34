"""The articles of a phase as files for its participants, with the names that runs and gold standards use.

In a blind phase an article has only its opaque id and its text: no PMID, journal, year or author.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from django.utils import timezone

from annotations.articles.models import Article, CorpusArticle
from annotations.formats.articles.annotated_article import AnnotatedArticle
from annotations.formats.articles.parsed_article import ArticleIds, TextPassage
from annotations.formats.bioc.writer import write_bioc_json, write_bioc_xml
from annotations.formats.ndjson.writer import write_articles_as_ndjson
from annotations.formats.pubtator.writer import write_pubtator_mentions_and_pairs
from annotations.formats.tsv.writer import TSV_ESCAPES
from evaluation.challenges.articles import list_unexcluded_article_names
from evaluation.challenges.models import Phase
from evaluation.challenges.participants.admission import check_team_may_take_part
from evaluation.challenges.participants.training_progress import has_final_training_upload_or_no_training_phase
from evaluation.challenges.permissions import can_organize
from evaluation.challenges.phases.checks import format_phase_date
from evaluation.errors import ChallengeError
from servers.teams.models import Team
from servers.teams.permissions import User

ARTICLES_PER_QUERY = 500


def _write_articles_tsv(articles: Iterable[AnnotatedArticle]) -> Iterator[str]:
    """One line per article: id, title and the rest of the text, with tabs and line breaks written as \\t and \\n."""
    for article in articles:
        rest = "\n".join(passage.text for passage in article.passages[1:])
        values = (article.id, article.passages[0].text if article.passages else "", rest)
        yield "\t".join(value.translate(TSV_ESCAPES) for value in values) + "\n"


@dataclass(frozen=True, slots=True)
class ArticleFileFormat:
    """A format in which participants can download articles."""

    title: str
    suffix: str
    content_type: str
    write: Callable[[Iterable[AnnotatedArticle]], Iterator[str]]


ARTICLE_FILE_FORMATS: Mapping[str, ArticleFileFormat] = {
    "tsv": ArticleFileFormat(
        "tab-separated values: id, title, text", "tsv", "text/tab-separated-values", _write_articles_tsv
    ),
    "jsonl": ArticleFileFormat("JSON, one article per line", "jsonl", "application/x-ndjson", write_articles_as_ndjson),
    "bioc-xml": ArticleFileFormat("BioC XML", "xml", "application/xml", write_bioc_xml),
    "bioc-json": ArticleFileFormat("BioC JSON", "json", "application/json", write_bioc_json),
    "pubtator": ArticleFileFormat("PubTator", "txt", "text/plain", write_pubtator_mentions_and_pairs),
}


def check_may_download_articles(user: User, phase: Phase) -> None:
    """ChallengeError, saying what to do first, if the user cannot download the articles of a phase yet.

    Articles that are not blind are public. Blind articles are for organizers and, once the phase is open, for members
    of teams that can take part and that have tagged their final training runs if the phase requires it.
    """
    if not phase.corpus.blind or can_organize(user, phase.challenge):
        return
    if phase.opens > timezone.now():
        raise ChallengeError(
            f"The articles are available from {format_phase_date(phase.opens)} on, when the phase opens."
        )
    teams = list(Team.objects.filter(members=user.pk).order_by("name")) if user.is_authenticated else []
    if not teams:
        raise ChallengeError(
            f"The articles are for teams that can take part in {phase.challenge}. Log in as a member of one."
        )
    reasons = [_explain_articles_withheld(team, phase) for team in teams]
    if all(reasons):
        raise ChallengeError(" ".join(reasons))


def _explain_articles_withheld(team: Team, phase: Phase) -> str:
    """What the team has to do before it can download the articles; empty if it can."""
    try:
        check_team_may_take_part(phase.challenge, team)
    except ChallengeError as error:
        return str(error)
    if phase.final_first and not has_final_training_upload_or_no_training_phase(team, phase.challenge):
        return f"{team} can download the articles after it uploaded its training runs and tagged the final ones."
    return ""


def iter_unexcluded_articles_hiding_blind_metadata(phase: Phase) -> Iterator[AnnotatedArticle]:
    """The articles that are scored in a phase, in the order of its corpus: 3 queries, and 1 for each batch."""
    names = list_unexcluded_article_names(phase)
    rows = CorpusArticle.objects.filter(corpus=phase.corpus_id, article__takedown__isnull=True).order_by("position")
    keys = [pk for pk in rows.values_list("article_id", flat=True) if pk in names]
    for start in range(0, len(keys), ARTICLES_PER_QUERY):
        batch = keys[start : start + ARTICLES_PER_QUERY]
        articles = Article.objects.defer("text").in_bulk(batch)
        for pk in batch:
            yield _build_participant_article(articles[pk], names[pk], blind=phase.corpus.blind)


def _build_participant_article(article: Article, name: str, *, blind: bool) -> AnnotatedArticle:
    """The article under this name; in a blind phase only its text."""
    passages = [TextPassage(passage["type"], passage["text"]) for passage in article.passages]
    if blind:
        return AnnotatedArticle(name, ArticleIds(), passages, article.text_version)
    ids = ArticleIds(article.pmid, article.pmcid, article.doi)
    authors = article.metadata.get("authors", [])
    return AnnotatedArticle(
        name, ids, passages, article.text_version, article.journal, article.year, [str(author) for author in authors]
    )

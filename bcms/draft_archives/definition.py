"""What challenge.json of an archive says of the challenge, as the definition of a new one.

Dates that have passed, and what happened in phases, are left out.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotations.articles.models import Article, Corpus
from bcms.challenge_definitions.export import remove_past_dates
from bcms.draft_archives.archive_reader import (
    CHALLENGE_FILE,
    MOST_CHALLENGE_BYTES,
    get_dict,
    get_dicts,
    read_json_member,
    refuse_archive,
)
from bcms.draft_archives.articles import PhaseArticles, find_public_articles_of_phase
from evaluation.archives.row_values import (
    CHALLENGE_FIELDS,
    OPTIONAL_CHALLENGE_FIELDS,
    OPTIONAL_TASK_FIELDS,
    TASK_FIELDS,
)
from evaluation.archives.zip_reader import CheckedArchive
from evaluation.challenges.models import Challenge, Phase
from evaluation.challenges.phases.api import RulesOfPhase

CHALLENGE_NAMES = (*CHALLENGE_FIELDS, *OPTIONAL_CHALLENGE_FIELDS)
TASK_NAMES = (*TASK_FIELDS, *OPTIONAL_TASK_FIELDS)
PHASE_NAMES = ("sort", "closes", *RulesOfPhase.Meta.fields)
CORPUS_NAMES = ("name", "slug", "description", "blind")
SLUG = re.compile(r"[A-Za-z0-9_-]{1,50}")
LONGEST_SLUG = 50
MOST_SLUGS_TRIED = 1000


@dataclass(slots=True)
class ArchivedChallenge:
    """The definition, and what else challenge.json has. articles, excluded: by the type of the phase.

    excluded: {name of an article: reason}; notes: sentences on what is otherwise than in the archive.
    """

    definition: dict[str, Any]
    parts: Sequence[Mapping[str, Any]]
    articles: dict[str, PhaseArticles] = field(default_factory=dict)
    excluded: dict[str, dict[str, str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def read_archived_challenge(archive: CheckedArchive, names: Mapping[str, str]) -> ArchivedChallenge:
    """names: the name and slug that the organizer wants instead of those of the archive. RefusedFileError for what no
    site would write.
    """
    document = get_dict(read_json_member(archive, CHALLENGE_FILE, MOST_CHALLENGE_BYTES), CHALLENGE_FILE, "the document")
    given = get_dict(document.get("challenge"), CHALLENGE_FILE, "the part “challenge”")
    definition = {name: given[name] for name in CHALLENGE_NAMES if name in given} | dict(names)
    tasks = get_dicts(document.get("tasks"), CHALLENGE_FILE, "the part “tasks”")
    phases = get_dicts(document.get("phases"), CHALLENGE_FILE, "the part “phases”")
    definition["tasks"] = [{name: task[name] for name in TASK_NAMES if name in task} for task in tasks]
    parts = get_dicts(document.get("parts"), CHALLENGE_FILE, "the part “parts”")
    challenge = ArchivedChallenge(definition, parts)
    if "slug" not in names:
        slugs = Challenge.objects.values_list("slug", flat=True)
        _choose_free_slug(definition, lambda tried: set(slugs.filter(slug__in=tried)), challenge.notes)
    _add_phases_and_corpora(archive, phases, challenge)
    return challenge


def _add_phases_and_corpora(
    archive: CheckedArchive, phases: Sequence[Mapping[str, Any]], challenge: ArchivedChallenge
) -> None:
    corpora: list[dict[str, Any]] = []
    given = [{name: phase[name] for name in PHASE_NAMES if name in phase} for phase in phases]
    for phase, defined in zip(phases, given, strict=True):
        sort = phase.get("sort")
        if sort not in Phase.Type.values or sort in challenge.articles:
            raise refuse_archive(CHALLENGE_FILE, "a phase has no type, or that of another phase")
        corpus = get_dict(phase.get("corpus"), CHALLENGE_FILE, f"the corpus of the {sort} phase")
        articles = find_public_articles_of_phase(archive, sort)
        challenge.articles[sort] = articles
        challenge.excluded[sort] = _read_excluded(phase.get("excluded"), sort, articles)
        new = {name: corpus[name] for name in CORPUS_NAMES if name in corpus}
        if sort == Phase.Type.TEST and new.get("blind") is False:
            # As a corpus file for a test: publishing the phase has made it public.
            new["blind"] = True
            challenge.notes.append(
                "The test has a blind corpus again: teams get its articles under opaque ids until you publish it."
            )
        _choose_free_slug(new, lambda tried: _find_taken_corpus_slugs(tried, corpora), challenge.notes)
        opaque = dict(Article.objects.filter(pk__in=list(articles.public.values())).values_list("pk", "opaque"))
        corpora.append({**new, "articles": [opaque[key] for key in articles.public.values()]})
        defined["corpus"] = new.get("slug")
    try:
        future = remove_past_dates({"phases": given})["phases"]
    except (TypeError, ValueError):
        raise refuse_archive(CHALLENGE_FILE, "a date of a phase is not one") from None
    challenge.definition |= {"corpora": corpora, "phases": future}
    for before, after in zip(given, future, strict=True):
        if before.get("names_shown") and not after.get("names_shown"):
            challenge.notes.append(
                f"The names of teams in the {before['sort']} phase were hidden until a date that has passed. Enter "
                "another date in its rules, or they are shown from the beginning."
            )


def _find_taken_corpus_slugs(tried: Sequence[str], corpora: Sequence[Mapping[str, Any]]) -> set[str]:
    taken = set(Corpus.objects.filter(slug__in=tried).values_list("slug", flat=True))
    return taken | {str(corpus.get("slug")) for corpus in corpora}


def _choose_free_slug(
    values: dict[str, Any], find_taken: Callable[[Sequence[str]], set[str]], notes: list[str]
) -> None:
    """Replace a slug that is taken by the first free one with a number. One that is no slug is left for the form."""
    slug = values.get("slug")
    if not isinstance(slug, str) or not SLUG.fullmatch(slug):
        return
    ends = ["", *(f"-{number}" for number in range(2, MOST_SLUGS_TRIED))]
    tried = [f"{slug[: LONGEST_SLUG - len(end)]}{end}" for end in ends]
    taken = find_taken(tried)
    values["slug"] = next((each for each in tried if each not in taken), slug)
    if values["slug"] != slug:
        notes.append(f"{slug} is taken as a name in URLs, so {values['slug']} is used.")


def _read_excluded(value: Any, sort: str, articles: PhaseArticles) -> dict[str, str]:
    """{name of an excluded article: why}."""
    excluded = {}
    for row in get_dicts(value, CHALLENGE_FILE, f"the excluded articles of the {sort} phase"):
        name, reason = row.get("article"), row.get("reason")
        if not isinstance(name, str) or name not in articles.public or not isinstance(reason, str):
            raise refuse_archive(CHALLENGE_FILE, f"an excluded article is not one of the {sort} phase")
        excluded[name] = " ".join(reason.split())[:500]
    return excluded

"""The results of a project: time and decisions, scores against a reference, agreement, and the questionnaire."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from django.db.models import Q

from annotations.curation.models import Curation
from annotations.curation.projects.finished_curations import list_articles_in_own_work, load_items_by_curation
from annotations.curation.projects.models import CurationProject, QuestionnaireReply
from annotations.curation.states import CurationArm
from annotations.results.models import Producer
from annotations.schema import Kind
from bcms.article_annotations.current_annotations import list_public_producers_of_live_queues
from bcms.curation_projects.results.counted_curations import CountedCuration, CurationRole, load_counted_curations
from bcms.curation_projects.results.questionnaire_summary import (
    GivenReply,
    QuestionnaireSummary,
    summarize_replies,
)
from bcms.curation_projects.results.references import (
    SCORED_KINDS,
    AnswersByKind,
    ResultsReference,
    keep_databases_of_reference,
    load_answers,
)
from evaluation.analyses.curators.arm_figures import ArmComparison, MeasuredCuration, compare_arms
from evaluation.analyses.curators.group_agreement import GroupAgreement, compute_group_agreements
from evaluation.analyses.curators.level_agreement import CuratedArticle
from evaluation.analyses.curators.producer_scores import Items, ReferenceScore, score_answers
from evaluation.analyses.scores.leaderboard_scores import BOOTSTRAP_SAMPLES, BOOTSTRAP_SEED
from evaluation.analyses.significance.agreement_intervals import build_weight_source
from evaluation.curation.curated_articles import build_curated_article, load_text_lengths
from servers.teams.permissions import User


class ScoredUnit(StrEnum):
    """A group of people, a curator in a group, or a system; the values are public."""

    GROUP = "group"
    PERSON = "person"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class ScoredProducer:
    """name: of the group or system, or of a person and their group."""

    name: str
    unit: ScoredUnit
    score: ReferenceScore


@dataclass(frozen=True, slots=True)
class KindScores:
    """The scores of one kind: groups first, then persons, then systems, best F1 first. articles: in the reference."""

    kind: Kind
    label: str
    articles: int
    producers: Sequence[ScoredProducer]


@dataclass(frozen=True, slots=True)
class ProjectResults:
    """curations: those that count. answers, reference: what they and the reference have, for scores of single ones.

    hidden: how many articles the reader still curates, of which nothing is here.
    """

    curations: Sequence[CountedCuration]
    reference: ResultsReference
    answers: AnswersByKind
    arms: ArmComparison
    scores: Sequence[KindScores]
    agreements: Sequence[GroupAgreement]
    questionnaire: QuestionnaireSummary
    replies: Mapping[int, GivenReply]
    hidden: int


def load_project_results(project: CurationProject, reader: User, reference: ResultsReference) -> ProjectResults:
    """8 queries."""
    curations = load_counted_curations(project, reader)
    systems = _load_systems(project)
    answers = load_answers(
        {each.producer for each in curations} | set(systems) | {reference.producer},
        {each.article for each in curations},
    )
    replies = load_replies(curations, project)
    return ProjectResults(
        curations,
        reference,
        answers,
        compare_arms(_list_measured(curations), BOOTSTRAP_SAMPLES, BOOTSTRAP_SEED),
        _score_kinds(curations, systems, answers, reference),
        _load_agreements(curations),
        summarize_replies(replies),
        replies,
        list_articles_in_own_work(project, reader.pk or 0).count(),
    )


def _load_systems(project: CurationProject) -> dict[int, str]:
    """{producer: its name} of what is proposed in the project, or of all accepted servers: 1 query."""
    chosen = project.recipe.get("producers")
    producers = Producer.objects.filter(pk__in=chosen) if chosen else list_public_producers_of_live_queues()
    return dict(producers.order_by("name", "pk").values_list("pk", "name"))


def _list_measured(curations: Iterable[CountedCuration]) -> list[MeasuredCuration]:
    """Those whose time says what help is worth: of curators who began with an empty record."""
    return [
        MeasuredCuration(each.article, each.arm == CurationArm.WITH_HELP, each.seconds, each.decision_count)
        for each in curations
        if each.role is CurationRole.CURATOR
    ]


def _score_kinds(
    curations: Sequence[CountedCuration],
    systems: Mapping[int, str],
    answers: AnswersByKind,
    reference: ResultsReference,
) -> list[KindScores]:
    """Of the kinds of which the reference has anything in the articles that people have finished."""
    expected = {kind: answers[kind].get(reference.producer, {}) for kind in SCORED_KINDS if kind in reference.kinds}
    return [
        _score_kind(kind, curations, systems, answers[kind], known)
        for kind, known in expected.items()
        if any(known.values())
    ]


def _score_kind(
    kind: Kind,
    curations: Sequence[CountedCuration],
    systems: Mapping[int, str],
    answers: Mapping[int, Mapping[int, Items]],
    reference: Mapping[int, Items],
) -> KindScores:
    groups: dict[str, list[tuple[int, Items]]] = {}
    persons: dict[str, list[tuple[int, Items]]] = {}
    for each in sorted(curations, key=lambda each: (list(CurationRole).index(each.role), each.arm)):
        answer = find_answer(each, answers, reference)
        if answer is not None:
            groups.setdefault(each.group, []).append((each.article, answer))
            if each.role is not CurationRole.AUTHOR:
                persons.setdefault(f"{each.name}, {each.group}", []).append((each.article, answer))
    of_systems = {
        name: [(article, keep_databases_of_reference(items, reference)) for article, items in own.items()]
        for producer, name in systems.items()
        if (own := answers.get(producer))
    }
    scored = [
        *_score_producers(ScoredUnit.GROUP, groups, reference),
        *_score_producers(ScoredUnit.PERSON, persons, reference),
        *sorted(
            _score_producers(ScoredUnit.SYSTEM, of_systems, reference),
            key=lambda each: (-(each.score.f1 or 0), each.name),
        ),
    ]
    return KindScores(kind, SCORED_KINDS[kind], len(reference), scored)


def find_answer(
    curation: CountedCuration, answers: Mapping[int, Mapping[int, Items]], reference: Mapping[int, Items]
) -> Items | None:
    """What a curation has that can be scored by the reference; None if it has no Result of the kind."""
    items = answers.get(curation.producer, {}).get(curation.article)
    return None if items is None else keep_databases_of_reference(items, reference)


def _score_producers(
    unit: ScoredUnit, answers: Mapping[str, Sequence[tuple[int, Items]]], reference: Mapping[int, Items]
) -> list[ScoredProducer]:
    """Those that have annotated an article of the reference; all draw the same samples of the same articles."""
    scored = [
        ScoredProducer(
            name, unit, score_answers(own, reference, BOOTSTRAP_SAMPLES, np.random.default_rng(BOOTSTRAP_SEED))
        )
        for name, own in answers.items()
    ]
    return [each for each in scored if each.score.articles]


def _load_agreements(curations: Sequence[CountedCuration]) -> list[GroupAgreement]:
    """2 queries."""
    items = load_items_by_curation(Curation.objects.filter(pk__in=[each.id for each in curations]))
    lengths = load_text_lengths({each.article for each in curations})
    groups: dict[str, dict[int, list[CuratedArticle]]] = {}
    for each in sorted(curations, key=lambda each: (list(CurationRole).index(each.role), each.arm)):
        curated = build_curated_article(items.get(each.id, ()), lengths.get(each.article, 0))
        groups.setdefault(each.group, {}).setdefault(each.article, []).append(curated)
    return compute_group_agreements(groups, build_weight_source(BOOTSTRAP_SAMPLES, BOOTSTRAP_SEED))


def load_replies(curations: Iterable[CountedCuration], project: CurationProject) -> dict[int, GivenReply]:
    """{curation: what was answered on it}: 1 query.

    The answers of authors only in projects of their journal: everybody can start a project over public articles.
    """
    by_id = {each.id: each for each in curations}
    shown = Q(curation__manuscript__isnull=True) | Q(curation__manuscript__journal=project.owner_id)
    rows = QuestionnaireReply.objects.filter(shown, curation__in=list(by_id)).order_by("curation")
    return {
        pk: GivenReply(by_id[pk].arm, by_id[pk].name, by_id[pk].article_name, answers, comment)
        for pk, answers, comment in rows.values_list("curation", "answers", "comment")
    }

"""What the authors of a journal and the curators whom it assigned agree on, and what the authors answered."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import F, Q, QuerySet

from annotations.curation.manuscripts.states import PRIVATE_STATES
from annotations.curation.models import Curation
from annotations.curation.projects.finished_curations import load_items_by_curation
from annotations.curation.projects.models import QuestionnaireReply
from annotations.curation.states import CurationState
from bcms.curation_projects.results.questionnaire_summary import GivenReply, QuestionnaireSummary, summarize_replies
from bcms.manuscripts.questionnaire import NO_ARM
from evaluation.analyses.curators.group_agreement import GroupAgreement, compute_group_agreements
from evaluation.analyses.curators.level_agreement import CuratedArticle
from evaluation.analyses.scores.leaderboard_scores import BOOTSTRAP_SAMPLES, BOOTSTRAP_SEED
from evaluation.analyses.significance.agreement_intervals import build_weight_source
from evaluation.curation.curated_articles import build_curated_article, load_text_lengths
from servers.teams.permissions import User

AUTHORS, CURATORS_ON_AUTHORS = "authors", "curators on authors' records"


@dataclass(frozen=True, slots=True)
class ManuscriptResults:
    """finished: how many manuscripts their authors have finished. questionnaire: the article of each reply is the id of
    the manuscript."""

    finished: int
    agreements: Sequence[GroupAgreement]
    questionnaire: QuestionnaireSummary


def load_manuscript_results(journal: User) -> ManuscriptResults:
    """Over all manuscripts that the account has sent, private ones too: 5 queries."""
    authors = _list_finished_curations(Q(manuscript__journal=journal.pk))
    assigned = _list_finished_curations(
        Q(basis__manuscript__journal=journal.pk),
        # Those who continue a published record work for themselves.
        Q(basis__manuscript__state__in=PRIVATE_STATES) | Q(finished__lte=F("basis__manuscript__closed")),
    )
    groups = {AUTHORS: list(authors.values_list("pk", "article"))}
    groups[CURATORS_ON_AUTHORS] = list(assigned.values_list("pk", "article"))
    return ManuscriptResults(
        len(groups[AUTHORS]),
        compute_group_agreements(
            _load_curated_by_group(groups), build_weight_source(BOOTSTRAP_SAMPLES, BOOTSTRAP_SEED)
        ),
        summarize_replies(_load_replies(journal)),
    )


def _list_finished_curations(*conditions: Q) -> QuerySet[Curation]:
    return Curation.objects.filter(*conditions, state=CurationState.FINISHED).order_by("pk")


def _load_curated_by_group(
    groups: dict[str, list[tuple[int, int]]],
) -> dict[str, dict[int, list[CuratedArticle]]]:
    """groups: {name: (curation, article)}. Only articles that somebody besides the author has curated: 2 queries."""
    shared = {article for _, article in groups[CURATORS_ON_AUTHORS]}
    kept = {name: [row for row in rows if row[1] in shared] for name, rows in groups.items()}
    items = load_items_by_curation(Curation.objects.filter(pk__in=[pk for rows in kept.values() for pk, _ in rows]))
    lengths = load_text_lengths(shared)
    curated: dict[str, dict[int, list[CuratedArticle]]] = {name: {} for name in kept}
    for name, rows in kept.items():
        for pk, article in rows:
            built = build_curated_article(items.get(pk, ()), lengths.get(article, 0))
            curated[name].setdefault(article, []).append(built)
    return curated


def _load_replies(journal: User) -> dict[int, GivenReply]:
    """{curation: what its author answered}: 1 query."""
    rows = QuestionnaireReply.objects.filter(curation__manuscript__journal=journal.pk).order_by("curation")
    fields = ("curation", "curation__curator__producer__name", "curation__manuscript", "answers", "comment")
    return {
        pk: GivenReply(NO_ARM, name, str(manuscript), answers, comment)
        for pk, name, manuscript, answers, comment in rows.values_list(*fields)
    }

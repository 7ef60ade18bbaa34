"""Simulate the demo's curation project: one article half curated, another finished by two curators who disagree."""

import secrets
from collections.abc import Collection, Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from annotations.articles.models import Article, Corpus
from annotations.curation import session
from annotations.curation.decisions import DecisionInput, store_decision
from annotations.curation.models import Candidate, CandidateList, Curation, Curator
from annotations.curation.projects.assignment import assign_article
from annotations.curation.projects.models import CurationProject
from annotations.curation.states import DecisionAction, ItemKind
from bcms.curation.decision_form import find_items
from bcms.curation.proposals import load_or_build_candidate_list
from bcms.curation_projects.management import add_curator, create_project
from bcms.demo.data_set import has_open_source_calls

NAME = "Genes of the reading articles"
GUIDELINE = (
    "Accept the organisms, genes and proteins that the article is about, and reject those that it only mentions."
)
OWNER, CURATOR, COLLEAGUE = "olga", "curt", "bob"
KINDS = (ItemKind.ORGANISM, ItemKind.ENTITY)
# Of articles with so many proposals there is something to decide on, and to disagree about.
FEWEST_CANDIDATES, ASSIGNED_ARTICLES = 4, 8
REASON = "not in this article"


def advance_demo_curation() -> bool:
    """Make the project once the servers have annotated its articles; returns False once it is made."""
    if CurationProject.objects.filter(name=NAME).exists():
        return False
    if has_open_source_calls():
        return True
    _make_demo_project()
    return False


@transaction.atomic
def _make_demo_project() -> None:
    """The first article is half curated, the second finished by both curators, the others wait."""
    people = {name: User.objects.get(username=name) for name in (OWNER, CURATOR, COLLEAGUE)}
    corpus = Corpus.objects.get(slug="reading")
    project = create_project(people[OWNER], NAME, corpus, guideline=GUIDELINE)
    curator, colleague = (add_curator(project, people[name]) for name in (CURATOR, COLLEAGUE))
    assigned = [(article, _assign(project, article, curator)) for article in choose_articles(corpus, ASSIGNED_ARTICLES)]
    for number, (article, curation) in enumerate(assigned[:2]):
        candidates = list_candidates(article)
        decided = candidates[: len(candidates) // 2] if number == 0 else candidates
        _decide(curation, decided, rejected=())
    for article, curation in assigned[1:2]:
        session.finish_curation(curation.pk, len(list_candidates(article)), timezone.now())
        second, candidates = _assign(project, article, colleague), list_candidates(article)
        _decide(second, candidates, rejected=candidates[::3])
        session.finish_curation(second.pk, len(candidates), timezone.now())


def _assign(project: CurationProject, article: Article, curator: Curator) -> Curation:
    return assign_article(project, article, curator.pk)


def choose_articles(corpus: Corpus, number: int, besides: Collection[int] = ()) -> list[Article]:
    """So many of the first articles of the corpus for which servers propose enough. besides: the ids of others."""
    chosen: list[Article] = []
    for row in corpus.corpusarticle_set.select_related("article").order_by("position").iterator():
        if row.article_id not in besides and len(list_candidates(row.article)) >= FEWEST_CANDIDATES:
            chosen.append(row.article)
        if len(chosen) == number:
            break
    return chosen


def list_candidates(article: Article) -> list[Candidate]:
    """The organisms and entities that servers propose."""
    proposed: CandidateList = load_or_build_candidate_list(article)
    rows = Candidate.objects.filter(candidate_list=proposed, kind__in=KINDS)
    return sorted(rows, key=lambda each: (KINDS.index(ItemKind(each.kind)), each.position))


def _decide(curation: Curation, candidates: Sequence[Candidate], rejected: Sequence[Candidate]) -> None:
    """Open the curation, and accept each candidate, or reject it, with a decision of its own."""
    opened = session.open_curation(curation.pk, load_or_build_candidate_list(curation.article), timezone.now())
    user = Curator.objects.values_list("user", flat=True).get(pk=curation.curator_id)
    for seen, candidate in enumerate(candidates):
        action, reason = (DecisionAction.REJECT, REASON) if candidate in rejected else (DecisionAction.ACCEPT, "")
        items = find_items(opened, ItemKind(candidate.kind), [candidate.key])
        given = DecisionInput(action, seen, secrets.token_hex(8), user, reason, items)
        store_decision(opened.pk, given, timezone.now())

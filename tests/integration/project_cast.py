"""A curation project: olga owns it, and alice and carol curate the four articles of its corpus."""

from annotations.curation.models import Curation
from annotations.curation.projects.assignment import assign_article
from annotations.curation.projects.membership import create_curation_project, get_or_readmit_project_curator
from annotations.curation.session import finish_curation, open_curation
from tests.integration.curation_cast import NOON, decide, propose_gene
from tests.integration.evaluation_cast import get_article, make_corpus


def make_project(owner, *curators, corpus=None, **fields):
    project = create_curation_project(owner.pk, "Cadherins", corpus or make_corpus(), **fields)
    for user in curators:
        add_curator(project, user)
    return project


def add_curator(project, user):
    return get_or_readmit_project_curator(project, user.pk, user.get_username())[0]


def get_curator(project, user):
    return project.curators.get(user=user)


def curate(project, user, pmid, *identifiers, finish=True, items=None):
    """The curation of an article in which these genes, or these items, are accepted; without any, nothing is found."""
    curation = assign_article(project, get_article(pmid), get_curator(project, user).pk)
    curation = open_curation(curation.pk, None, NOON)
    accepted = items if items is not None else [propose_gene(each) for each in identifiers]
    if accepted:
        decide(curation, "accept", *accepted)
    return finish_now(curation, nothing_found=not accepted) if finish else Curation.objects.get(pk=curation.pk)


def finish_now(curation, *, nothing_found=False):
    revision = Curation.objects.get(pk=curation.pk).revision
    return finish_curation(curation.pk, revision, NOON, nothing_found=nothing_found)

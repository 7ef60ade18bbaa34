"""An experiment: olga owns it, and alice and carol curate articles with and without help."""

from django.db.models import Q

from annotations.articles.models import Corpus, CorpusArticle
from annotations.curation.models import Curation
from annotations.curation.projects.models import ProjectHelp
from tests.integration.article_cast import create_known_genes, make_read_article, three_servers
from tests.integration.project_cast import curate, make_project


def make_experiment(owner, *curators, corpus=None, arm_seed=1, **fields):
    return make_project(owner, *curators, corpus=corpus, help=ProjectHelp.RANDOM, arm_seed=arm_seed, **fields)


def make_read_corpus(team):
    """A corpus with one article that three servers have annotated."""
    article = make_read_article()
    create_known_genes()
    three_servers(team, article)
    corpus = Corpus.objects.create(slug="read", name="Read")
    CorpusArticle.objects.create(corpus=corpus, article=article, position=1)
    return corpus


def curate_in_arm(project, user, pmid, arm, *identifiers, seconds=0, finish=True):
    """The curation of an article in this arm, whatever was drawn, that took so many seconds."""
    curation = curate(project, user, pmid, *identifiers, finish=finish)
    Curation.objects.filter(pk=curation.pk).update(arm=arm, seconds=seconds)
    return Curation.objects.get(pk=curation.pk)


def find_arm(project, user):
    """The arm of the only curation of somebody in the project."""
    return Curation.objects.get(Q(curator__project=project), curator__user=user).arm

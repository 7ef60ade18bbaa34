"""The input of a trial: the server's fields and the article to send."""

from typing import Any

from annotations.articles.models import Article
from evaluation.visibility import ANONYMOUS_READER, list_visible_articles
from servers.registry import trials
from servers.registry.models import Server, Trial


def build_registration_fields(trial: Trial) -> dict[str, Any]:
    """The data of a registration form for the server of a trial."""
    return {**trial.fields, "team": trial.team_id}


def find_newest_public_article_with_pmid() -> Article | None:
    """The newest public article with a PMID, so that a server that looks articles up in PubMed finds it."""
    articles = list_visible_articles(ANONYMOUS_READER).filter(pmid__isnull=False)
    return articles.order_by("-pmid").first()


def copy_trial_fields(server: Server) -> dict[str, Any]:
    """The fields of a registered server that a trial uses."""
    return {name: getattr(server, name) for name in ("name", *trials.CALL_FIELDS)}

"""Withdraw the published digital abstract of an article: who may, with a reason that everybody reads."""

from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import PermissionDenied
from django.db import transaction

from annotations.articles.models import Article
from annotations.articles.queries import format_pmid_or_opaque
from annotations.curation.errors import CurationError
from annotations.curation.models import PublishedAbstract
from annotations.curation.publishing import LONGEST_REASON, withdraw_published_abstract
from bcms.lib.text import replace_unstorable_characters
from evaluation.curation.sealing import find_project_of_curation, organizes_challenge_of_project
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.notifications.site_links import build_site_url
from servers.review.decisions import can_review_servers
from servers.teams.permissions import User
from servers.teams.person_mail import mail_person

NOT_ALLOWED = (
    "Only its curator, reviewers, and in a project its owner and the organizers of its challenge withdraw a digital "
    "abstract."
)
REASON_MISSING = "Write why it is withdrawn. Everybody reads it on the page of the article."
ALREADY_WITHDRAWN = "It is not published any more: somebody else has withdrawn it."


def can_withdraw_abstract(user: User, published: PublishedAbstract) -> bool:
    """Whether the user is its curator, a reviewer, or owns its project or organizes its challenge: 5 queries at most.

    None for visitors, its curator and staff.
    """
    if not user.is_authenticated:
        return False
    if published.curation.curator.user_id == user.pk or can_review_servers(user):
        return True
    project = find_project_of_curation(published.curation)
    return project is not None and (project.owner_id == user.pk or organizes_challenge_of_project(user, project))


def check_may_withdraw(user: User, published: PublishedAbstract) -> None:
    """PermissionDenied unless the user may withdraw it."""
    if not can_withdraw_abstract(user, published):
        raise PermissionDenied(NOT_ALLOWED)


def withdraw_abstract_for_reason(
    article: Article, published: PublishedAbstract, reason: str, user: AbstractBaseUser, now: datetime
) -> None:
    """Withdraw it, record who did it and why, and tell its curator. CurationError without a reason, or if it is gone.

    The caller has checked that the user may.
    """
    reason = replace_unstorable_characters(reason).strip()
    if not reason:
        raise CurationError(REASON_MISSING, "reason")
    if len(reason) > LONGEST_REASON:
        raise CurationError(f"Write at most {LONGEST_REASON} characters.", "reason")
    curator = published.curation.curator.user
    with transaction.atomic():
        if not withdraw_published_abstract(
            article.pk, now, reason=reason, withdrawer_id=user.pk, published_id=published.pk
        ):
            raise CurationError(ALREADY_WITHDRAWN)
        subject = f"digital abstract of {format_pmid_or_opaque(article)}"
        record_audit_event(AuditAction.CURATION_RECORD_WITHDRAWN, subject, reason=reason, actor=user, person=curator)
    if curator is not None and curator.pk != user.pk:
        _mail_withdrawal(article, curator, reason)


def _mail_withdrawal(article: Article, curator: User, reason: str) -> None:
    ident = format_pmid_or_opaque(article)
    context = {"article": article, "reason": reason, "link": build_site_url("article", ident)}
    mail_person(curator, f"Your digital abstract of {ident} is withdrawn", "curation/email/withdrawn.txt", context)

"""The links of manuscripts: each opens one manuscript for its author or reviewers until it expires or is revoked."""

import hashlib
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta

from annotations.articles.queries import format_pmid_or_opaque
from annotations.curation.manuscripts.errors import LinkError
from annotations.curation.manuscripts.models import Manuscript, ManuscriptLink
from annotations.curation.manuscripts.states import LinkRole, ManuscriptState

DEFAULT_DAYS, MOST_DAYS = 90, 730
# 256 random bits, as 43 characters.
TOKEN_BYTES = 32
UNKNOWN_LINK = "There is no such link. Check that it is complete, or ask the journal for a new one."


def create_link(manuscript: Manuscript, role: LinkRole, now: datetime, days: int = DEFAULT_DAYS) -> str:
    """A new link for this number of days; returns its token, of which only a digest is stored."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    expires = now + timedelta(days=days)
    ManuscriptLink.objects.create(manuscript=manuscript, role=role, digest=hash_token(token), expires=expires)
    return token


def hash_token(token: str) -> str:
    """The digest under which a token is stored. It needs no salt, as tokens are random and long."""
    return hashlib.sha256(token.encode()).hexdigest()


def revoke_link(manuscript: Manuscript, link_id: int, now: datetime) -> bool:
    """Let a link open nothing any more; False if the manuscript has none with this id that is not revoked."""
    return bool(manuscript.links.filter(pk=link_id, revoked__isnull=True).update(revoked=now))


def get_usable_link(token: str, now: datetime) -> ManuscriptLink:
    """The link with this token, marked as opened. LinkError if it is unknown, revoked or expired, or its manuscript is
    over."""
    link = ManuscriptLink.objects.select_related("manuscript__article").filter(digest=hash_token(token)).first()
    if link is None:
        raise LinkError(UNKNOWN_LINK)
    check_link(link, now)
    ManuscriptLink.objects.filter(pk=link.pk, opened__isnull=True).update(opened=now)
    return link


def find_best_link(link_ids: Collection[int], manuscript_id: int, now: datetime) -> ManuscriptLink | None:
    """Of these links, the one of the manuscript to use: one that is neither revoked nor expired, the author's, the
    newest. 1 query."""
    links = ManuscriptLink.objects.filter(pk__in=link_ids, manuscript=manuscript_id)
    rows = links.select_related("manuscript__article", "manuscript__curation", "manuscript__journal")
    return (
        min(
            rows,
            key=lambda link: (
                link.revoked is not None or link.expires <= now,
                link.role != LinkRole.AUTHOR,
                -link.expires.timestamp(),
            ),
        )
        if rows
        else None
    )


def check_link(link: ManuscriptLink, now: datetime) -> None:
    """LinkError if the link is revoked or expired, or its manuscript is withdrawn or published."""
    manuscript = link.manuscript
    if link.revoked:
        raise LinkError("The journal has revoked this link. Ask it for a new one.")
    if manuscript.state == ManuscriptState.PUBLISHED:
        raise LinkError("This manuscript is published.", format_pmid_or_opaque(manuscript.article))
    if manuscript.state == ManuscriptState.WITHDRAWN:
        raise LinkError("The journal has withdrawn this manuscript, so there is nothing left to do.")
    if link.expires <= now:
        raise LinkError(f"This link expired on {link.expires:%-d %B %Y}. Ask the journal for a new one.")

"""Who may open a manuscript: those who opened a link of it, not revoked or expired, in this browser session.

The session keeps the ids of the links that were opened. Each request checks the link again, so that revoking it takes
effect at once.
"""

from typing import cast

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from annotations.curation.manuscripts.errors import LinkError
from annotations.curation.manuscripts.links import check_link, find_best_link, get_usable_link
from annotations.curation.manuscripts.models import Manuscript, ManuscriptLink
from annotations.curation.manuscripts.states import LinkRole, ManuscriptState
from annotations.curation.models import Curation

SESSION_KEY = "manuscript_links"
MOST_LINKS = 20
REFUSED = "The author takes no part in this manuscript. Ask the journal for a new link to take it up again."


def open_link(request: HttpRequest, token: str) -> ManuscriptLink:
    """Keep the link of a token in the session, and return it. LinkError if it opens nothing.

    The session gets a new key, as at a login: somebody who knows the old one opens nothing by it.
    """
    link = get_usable_link(token, timezone.now())
    others = [link_id for link_id in _list_opened_links(request) if link_id != link.pk]
    request.session.cycle_key()
    request.session[SESSION_KEY] = [*others, link.pk][-MOST_LINKS:]
    return link


def _list_opened_links(request: HttpRequest) -> list[int]:
    return cast(list[int], request.session.get(SESSION_KEY, []))


def get_opened_link_or_404(request: HttpRequest, manuscript_id: int) -> ManuscriptLink:
    """The link of the manuscript that was opened in this session; Http404 without one, as if there were no such
    manuscript. LinkError if it opens nothing any more."""
    now = timezone.now()
    link = find_best_link(_list_opened_links(request), manuscript_id, now)
    if link is None:
        raise Http404
    check_link(link, now)
    return link


def find_curation_of_author(request: HttpRequest, curation_id: int) -> Curation | None:
    """The curation if its author has opened a link to it in this session, else None. LinkError if that link opens
    nothing any more, or the author takes no part. No query in sessions without links."""
    opened, now = _list_opened_links(request), timezone.now()
    # Curations of other manuscripts are answered like any others, with the same queries.
    manuscript = Manuscript.objects.filter(curation=curation_id, links__in=opened).first() if opened else None
    link = find_best_link(opened, manuscript.pk, now) if manuscript else None
    if link is None or link.role != LinkRole.AUTHOR:
        return None
    check_link(link, now)
    if link.manuscript.state == ManuscriptState.REFUSED:
        raise LinkError(REFUSED)
    return Curation.objects.select_related("curator__producer", "article", "manuscript").get(pk=curation_id)


def render_link_error(request: HttpRequest, error: LinkError) -> HttpResponse:
    """The page that says why a link opens nothing."""
    return render(request, "manuscripts/link_error.html", {"error": error}, status=404)

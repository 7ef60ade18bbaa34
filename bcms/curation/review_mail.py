"""Tell curators what reviewers decided on their records."""

from django.core.mail import send_mail
from django.template.loader import render_to_string

from annotations.articles.queries import format_pmid_or_opaque
from annotations.curation.models import Curation
from servers.notifications.site_links import build_site_url
from servers.teams.people import find_confirmed_address


def mail_review_to_curator(curation: Curation, reason: str) -> None:
    """Send the decision to the confirmed address of the curator, if there is one. reason: "" if it was published."""
    address = find_confirmed_address(curation.curator.user) if curation.curator.user else None
    if address is None:
        return
    ident = format_pmid_or_opaque(curation.article)
    link = build_site_url("curation", curation.pk) if reason else build_site_url("article", ident)
    body = render_to_string("curation/email/review.txt", {"curation": curation, "reason": reason, "link": link})
    outcome = "was not published" if reason else "is published"
    send_mail(f"[BCMS] Your digital abstract of {ident} {outcome}", body, None, [address])

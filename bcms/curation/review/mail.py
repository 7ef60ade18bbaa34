"""Tell curators what reviewers decided on their records."""

from annotations.articles.queries import format_pmid_or_opaque
from annotations.curation.models import Curation
from servers.notifications.site_links import build_site_url
from servers.teams.person_mail import mail_person


def mail_review_to_curator(curation: Curation, reason: str) -> None:
    """Send the decision to the confirmed address of the curator, if there is one. reason: "" if it was published."""
    ident = format_pmid_or_opaque(curation.article)
    link = build_site_url("curation", curation.pk) if reason else build_site_url("article", ident)
    context = {"curation": curation, "reason": reason, "link": link}
    outcome = "was not published" if reason else "is published"
    subject = f"Your digital abstract of {ident} {outcome}"
    mail_person(curation.curator.user, subject, "curation/email/review.txt", context)

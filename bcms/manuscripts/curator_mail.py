"""Tell curators that a journal assigned a manuscript to them."""

from django.contrib.auth.models import AbstractBaseUser
from django.core.mail import send_mail
from django.template.loader import render_to_string

from annotations.curation.manuscripts.models import Manuscript
from servers.notifications.site_links import build_site_url
from servers.teams.people import find_confirmed_address


def mail_assignment_to_curator(manuscript: Manuscript, curation_id: int, person: AbstractBaseUser) -> None:
    """Send the way to the workspace to the confirmed address of the curator, if there is one. Nothing of the text."""
    address = find_confirmed_address(person)
    if address is None:
        return
    link = build_site_url("curation", curation_id)
    context = {"manuscript": manuscript, "journal": manuscript.journal.get_username(), "link": link}
    body = render_to_string("manuscripts/email/curator.txt", context)
    send_mail(f"[BCMS] {context['journal']}: please curate a manuscript", body, None, [address])

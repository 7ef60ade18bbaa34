"""Tell curators that a journal assigned a manuscript to them."""

from django.contrib.auth.models import AbstractBaseUser

from annotations.curation.manuscripts.models import Manuscript
from servers.notifications.site_links import build_site_url
from servers.teams.person_mail import mail_person


def mail_assignment_to_curator(manuscript: Manuscript, curation_id: int, person: AbstractBaseUser) -> None:
    """Send the way to the workspace to the confirmed address of the curator, if there is one. Nothing of the text."""
    journal, link = manuscript.journal.get_username(), build_site_url("curation", curation_id)
    context = {"manuscript": manuscript, "journal": journal, "link": link}
    mail_person(person, f"{journal}: please curate a manuscript", "manuscripts/email/curator.txt", context)

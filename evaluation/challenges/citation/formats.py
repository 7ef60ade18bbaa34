"""How to cite a challenge: BibTeX and a CITATION.cff (Citation File Format 1.2.0, citation-file-format.github.io)."""

from datetime import datetime

import yaml

from bcms.lib.writing.citation_formats import CitedReference, format_reference_as_bibtex
from evaluation.challenges.models import Challenge
from servers.notifications.site_links import build_site_url


def list_organizer_names(challenge: Challenge) -> list[str]:
    """The names of the organizers as readers see them, in their order."""
    return [name.strip() for name in challenge.organizer_names.split(";") if name.strip()]


def format_bibtex(challenge: Challenge) -> str:
    """One @misc entry of the year in which the first phase begins."""
    opens = _find_beginning(challenge)
    reference = CitedReference(
        key=challenge.slug,
        title=challenge.name,
        authors=list_organizer_names(challenge),
        year=opens.year if opens else None,
        doi=challenge.doi,
        url=build_site_url("challenge", challenge.slug),
    )
    return format_reference_as_bibtex(reference) + "\n"


def format_citation_file(challenge: Challenge) -> str:
    """A CITATION.cff as YAML; the format needs an author, so the site is one if no organizer is named."""
    names = list_organizer_names(challenge) or ["BioCreative Meta-Server"]
    fields: dict[str, object] = {
        "cff-version": "1.2.0",
        "message": " ".join(challenge.citation.split()) or "Please cite this challenge as below.",
        "type": "dataset",
        "title": challenge.name,
        "authors": [{"name": name} for name in names],
        "url": build_site_url("challenge", challenge.slug),
    }
    if challenge.doi:
        fields["doi"] = challenge.doi
    opens = _find_beginning(challenge)
    if opens:
        fields["date-released"] = opens.date()
    return str(yaml.safe_dump(fields, allow_unicode=True, sort_keys=False))


def _find_beginning(challenge: Challenge) -> datetime | None:
    return challenge.phases.order_by("opens").values_list("opens", flat=True).first()

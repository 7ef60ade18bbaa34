"""The record that a curator continues: that of the author of a manuscript that was assigned, or the published one."""

from datetime import datetime

from annotations.curation.continuation import take_over_record
from annotations.curation.errors import CurationError
from annotations.curation.models import Curation
from annotations.curation.projects.experiments import check_not_measured
from annotations.curation.published_records import find_published_abstract, list_published_items


def take_over_found_record(curation: Curation, token: str, user_id: int, now: datetime) -> Curation:
    """Accept what that record accepts; CurationError if there is none, in an experiment, and for the reasons of
    take_over_record.

    Of a published record only what was published: its curator may have finished it again since, which nobody sees.
    """
    if curation.basis is not None and hasattr(curation.basis, "manuscript"):
        return take_over_record(curation.pk, curation.basis, token, user_id, now)
    check_not_measured(curation, "No record can be taken over.")
    published = find_published_abstract(curation.article)
    if published is None:
        raise CurationError("The article has no published record to continue.")
    accepted = list_published_items(published)
    return take_over_record(curation.pk, published.curation, token, user_id, now, accepted)

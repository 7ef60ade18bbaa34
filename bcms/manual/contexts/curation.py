"""Context of the manual's page about curation: the formats of digital abstracts, and their licence."""

from annotations.curation.abstract_files import build_abstract_formats
from annotations.curation.decisions import MOST_ITEMS_AT_ONCE
from annotations.curation.timer import LONGEST_SIGHT
from annotations.rules.relations import MOST_ARGUMENTS
from bcms.digital_abstracts.published_abstracts import get_licence, get_licence_url


def build_abstract_formats_and_licence_context() -> dict[str, object]:
    return {
        "formats": build_abstract_formats(None, get_licence_url(), of_one_article=False).values(),
        "licence": get_licence(),
        "licence_url": get_licence_url(),
        "most_at_once": MOST_ITEMS_AT_ONCE,
        "most_members": MOST_ARGUMENTS,
        "longest_minutes": int(LONGEST_SIGHT.total_seconds() // 60),
    }

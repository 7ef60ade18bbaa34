"""Context of the manual's page about protocols: example messages, fields, limits and BeCalm's codes."""

from django.conf import settings

from bcms.manual.protocol_examples import (
    BCMS_PART_FIELDS,
    CALLBACK_REFUSALS,
    REST_PART_FIELDS,
    build_protocol_example_messages,
)
from servers.calls.batches.batch_decisions import ANSWERS_UNTIL_GROWTH, MOST_ARTICLES, MOST_TEXT_BYTES
from servers.calls.client import MOST_BYTES
from servers.protocols.becalm_callbacks import BECALM_TYPES


def build_protocol_examples_and_limits_context() -> dict[str, object]:
    return build_protocol_example_messages() | {
        "parts": BCMS_PART_FIELDS.items(),
        "rest_parts": REST_PART_FIELDS.items(),
        "refusals": [(int(code), code.name, when) for code, when in CALLBACK_REFUSALS.items()],
        "becalm_types": sorted(BECALM_TYPES),
        "minutes": settings.MINUTES_PER_CALL,
        "megabytes": MOST_BYTES // 1024**2,
        "most_articles": MOST_ARTICLES,
        "batch_megabytes": MOST_TEXT_BYTES // 1024**2,
        "growth": ANSWERS_UNTIL_GROWTH,
    }

"""Report unexpected errors to a Sentry server of the operator, without data of people, texts or keys."""

from typing import Any

import sentry_sdk
from sentry_sdk.integrations.logging import ignore_logger

from bcms.lib.request_ids import REQUEST_ID_FIELD, get_request_id
from bcms.lib.version import VERSION


def start_error_reporting(dsn: str) -> None:
    """Send each error that is logged from now on to the server of this DSN; nothing if it is empty."""
    if not dsn:
        return
    # Anybody can cause these, by asking for the site under another name or with a thousand parameters for instance.
    ignore_logger("django.security.*")
    sentry_sdk.init(
        dsn=dsn,
        release=VERSION,
        before_send=remove_private_parts,
        send_default_pii=False,
        include_local_variables=False,
        max_request_body_size="never",
        # Errors only: what led to them is in the logs, under the id of the request.
        traces_sample_rate=0.0,
        max_breadcrumbs=0,
        auto_session_tracking=False,
    )


def remove_private_parts(event: Any, hint: dict[str, Any]) -> Any:
    """The event without what can be private: URL and headers contain keys, messages addresses and texts of articles.

    What remains is the place in the code and the id of the request, under which the logs have the rest.
    """
    for name in ("request", "user", "server_name"):
        event.pop(name, None)
    for exception in event.get("exception", {}).get("values", ()):
        exception["value"] = ""
    if "logentry" in event:
        event["logentry"] = {"message": event["logentry"].get("message", "")}
    event.setdefault("tags", {})[REQUEST_ID_FIELD] = get_request_id()
    return event

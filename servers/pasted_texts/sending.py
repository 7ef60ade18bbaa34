"""Send a pasted text to the servers that its author chose: store one call for each, and wake the servers."""

from collections.abc import Collection, Sequence

from django.contrib.auth import get_user_model
from django.db import transaction

from servers.calls.queues.wake_ups import enqueue_server_loop_after_commit
from servers.pasted_texts.models import PastedCallState, PastedText, PastedTextCall
from servers.pasted_texts.queries import count_open_pasted_texts
from servers.pasted_texts.receiving_servers import list_servers_for_pasted_texts
from servers.registry.models import Server
from servers.teams.permissions import User, get_logged_in_user_id

# In characters: about fifteen pages, which most servers annotate while somebody waits.
LONGEST_PASTED_TEXT = 50_000
MOST_OPEN_PASTED_TEXTS = 3
TOO_LONG = "text-too-long"


class PastedTextRefusedError(Exception):
    """The text was not sent to any server; the message says why and what to do."""


class TooManyOpenTextsError(PastedTextRefusedError):
    """Servers still work on earlier texts of the same account."""


def normalize_pasted_text(text: str) -> str:
    """The text in lines without space at their ends, and without empty lines."""
    lines = (line.strip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    return "\n".join(line for line in lines if line)


@transaction.atomic
def store_and_send_pasted_text(user: User, title: str, text: str, slugs: Collection[str]) -> PastedText:
    """Store a normalized text with a call for each of these servers, and wake them. PastedTextRefusedError otherwise.

    Nothing is sent if one of the servers does not accept texts any more, as its name was shown to the author.
    """
    account_id = get_logged_in_user_id(user)
    # Two requests at the same time count each other's texts.
    get_user_model().objects.select_for_update(no_key=True).get(pk=account_id)
    if count_open_pasted_texts(account_id) >= MOST_OPEN_PASTED_TEXTS:
        raise TooManyOpenTextsError(
            f"Servers still work on {MOST_OPEN_PASTED_TEXTS} of your texts. Wait for their answers, or delete one."
        )
    servers = _find_all_servers_or_refuse(user, slugs)
    pasted = PastedText.objects.create(user_id=account_id, title=title, text=text)
    length = len(pasted.canonical_text)
    PastedTextCall.objects.bulk_create(_make_call(pasted, server, length) for server in servers)
    for server in servers:
        enqueue_server_loop_after_commit(server.pk)
    return pasted


def _find_all_servers_or_refuse(user: User, slugs: Collection[str]) -> Sequence[Server]:
    servers = list(list_servers_for_pasted_texts(user).filter(slug__in=slugs))
    if not servers or len(servers) < len(set(slugs)):
        raise PastedTextRefusedError(
            "A server that you chose does not take pasted texts any more, so nothing was sent. Check the list of "
            "servers, and send the text again."
        )
    return servers


def _make_call(pasted: PastedText, server: Server, length: int) -> PastedTextCall:
    if server.largest_text is not None and length > server.largest_text:
        return PastedTextCall(text=pasted, server=server, state=PastedCallState.NOT_SENT, failure=TOO_LONG)
    return PastedTextCall(text=pasted, server=server)

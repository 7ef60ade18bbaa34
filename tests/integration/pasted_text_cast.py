"""A text that is nowhere else, and servers that take it."""

from servers.calls.queues.contents import get_or_create_queue_and_producer
from servers.calls.states import QueueMode
from servers.registry.models import Server
from servers.registry.states import ServerState

TITLE = "Zyxelgenin binds CDH1"
TEXT = "In mouse cells, CDH1 was lost.\n\nZyxelgenin was not."
MENTION = {"offset": 17, "section": "title", "mention": "CDH1"}
NORMALIZATION = {"dbname": "UniProt", "dbid": "P12830", "taxid": 9606, "confidence": 0.8}


def receive_texts(server: Server, **fields: object) -> Server:
    """Online, with a LIVE queue, and willing to take texts."""
    get_or_create_queue_and_producer(server, QueueMode.LIVE)
    Server.objects.filter(pk=server.pk).update(state=ServerState.ONLINE, accepts_pasted_texts=True, **fields)
    server.refresh_from_db()
    return server

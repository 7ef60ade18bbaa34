"""The name server of the compose network: the name of the web servers has the addresses of both."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import BaseRequestHandler, ThreadingUDPServer

import dns.message
import dns.rdatatype
import dns.rrset

WEB_ADDRESSES = {"web": "127.0.0.1", "web2": "127.0.0.2"}


class Handler(BaseRequestHandler):
    """Answers every question for an address of IPv4 with both."""

    def handle(self) -> None:
        data, sender = self.request
        query = dns.message.from_wire(data)
        reply = dns.message.make_response(query, recursion_available=True)
        (question,) = query.question
        if question.rdtype == dns.rdatatype.A:
            reply.answer.append(dns.rrset.from_text(question.name, 5, "IN", "A", *WEB_ADDRESSES.values()))
        sender.sendto(reply.to_wire(), self.client_address)


@contextmanager
def run_name_server() -> Iterator[int]:
    """Yields its port."""
    with ThreadingUDPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()

"""Ports on loopback: find free ones, and check whether a port is in use."""

import errno
import socket
from contextlib import ExitStack

LOOPBACK = "127.0.0.1"


def pick_free_ports(count: int) -> list[int]:
    """This number of different ports that are free at the moment."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for unused in sockets:
            unused.bind((LOOPBACK, 0))
        return [unused.getsockname()[1] for unused in sockets]


def is_port_free(port: int, host: str = LOOPBACK) -> bool:
    """Whether the port is free. Raises PermissionError for a port that only root may use."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return False
            raise
    return True


def is_port_listening(port: int, host: str = LOOPBACK) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((host, port)) == 0

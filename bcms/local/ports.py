"""Ports on loopback: find free ones, and check whether a port is in use."""

import errno
import os
import socket
from itertools import count, islice

LOOPBACK = "127.0.0.1"
# Below those that systems give to programs that ask for any: from 32768 on Linux, from 49152 elsewhere.
FIRST_PORT, PORTS = 15_000, 17_000
TURNS = count(os.getpid() * 1009)


def pick_free_ports(number: int) -> list[int]:
    """This number of different ports that are free at the moment, and different ones at the next call.

    The system gives ports of this range only to those who ask for them, and each process begins elsewhere: so it is
    unlikely that another program takes one before it is used.
    """
    candidates = (FIRST_PORT + n % PORTS for n in islice(TURNS, PORTS))
    return list(islice(filter(is_port_free, candidates), number))


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

"""Ports for the processes of a site on this machine."""

import socket
from itertools import count

from bcms.local import ports


def test_no_port_is_picked_twice_in_a_row_or_one_that_systems_give_to_others():
    picked = [*ports.pick_free_ports(5), *ports.pick_free_ports(5)]
    assert len(set(picked)) == 10
    assert all(ports.FIRST_PORT <= port < 32_768 for port in picked)


def test_a_port_that_is_taken_is_passed_over(monkeypatch):
    (taken,) = ports.pick_free_ports(1)
    with socket.create_server((ports.LOOPBACK, taken)):
        monkeypatch.setattr(ports, "TURNS", count(taken - ports.FIRST_PORT))
        (port,) = ports.pick_free_ports(1)
    assert port != taken

"""Which addresses the site connects to. The policy is tested, never real addresses."""

import socket

import pytest

from bcms.lib.http.address_policy import explain_blocked_address_or_empty

PRIVATE = [
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.0.0.170",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:0:7f00:1",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:a00:1::",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
]
PUBLIC = ["1.1.1.1", "8.8.8.8", "172.32.0.1", "192.0.1.1", "2606:4700::1111", "64:ff9b::808:808", "::ffff:8.8.8.8"]
SPELLINGS_OF_LOOPBACK = [
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0x7f.0.0.1",
    "017700000001",
    "0177.0.0.1",
    "127.1",
    "127.0.1",
    "0",
    "::ffff:7f00:1",
    "0:0:0:0:0:0:0:1",
]


@pytest.mark.parametrize("address", PRIVATE)
def test_it_refuses_an_address_that_is_not_public(address):
    assert "not on the public internet" in explain_blocked_address_or_empty(address, 80, [])


@pytest.mark.parametrize("address", PUBLIC)
def test_it_permits_public_addresses(address):
    assert explain_blocked_address_or_empty(address, 443, []) == ""


@pytest.mark.parametrize("host", SPELLINGS_OF_LOOPBACK)
def test_it_refuses_every_spelling_of_loopback(host):
    found = socket.getaddrinfo(host, 80, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    assert all(explain_blocked_address_or_empty(address[0], 80, []) for *_, address in found)


@pytest.mark.parametrize("port", [80, 443, 1024, 8080, 9000, 65535])
def test_it_permits_the_ports_of_the_web_and_from_1024(port):
    assert explain_blocked_address_or_empty("8.8.8.8", port, []) == ""


@pytest.mark.parametrize("port", [1, 22, 25, 53, 79, 445, 1023, 5432, 6379])
def test_it_refuses_the_ports_of_other_services(port):
    assert f"port {port}" in explain_blocked_address_or_empty("8.8.8.8", port, [])


def test_it_permits_a_network_that_is_allowed_at_every_port():
    assert explain_blocked_address_or_empty("127.0.0.1", 5432, ["127.0.0.0/8"]) == ""
    assert explain_blocked_address_or_empty("10.1.2.3", 22, ["127.0.0.0/8", "10.1.0.0/16"]) == ""
    assert explain_blocked_address_or_empty("fd00::5", 80, ["fd00::/8"]) == ""


def test_it_takes_a_mapped_address_for_the_address_it_maps():
    assert explain_blocked_address_or_empty("::ffff:127.0.0.1", 80, ["127.0.0.0/8"]) == ""


def test_it_permits_no_more_than_the_network_that_is_allowed():
    assert explain_blocked_address_or_empty("10.2.0.1", 80, ["10.1.0.0/16"])
    assert explain_blocked_address_or_empty("::1", 80, ["127.0.0.0/8"])
    # A tunnel to an allowed address ends at somebody else's machine first.
    assert explain_blocked_address_or_empty("2002:7f00:1::", 80, ["127.0.0.0/8"])
    assert explain_blocked_address_or_empty("64:ff9b::7f00:1", 80, ["127.0.0.0/8"])


def test_it_says_that_a_network_is_not_well_formed():
    with pytest.raises(ValueError, match=r"10\.1"):
        explain_blocked_address_or_empty("8.8.8.8", 80, ["10.1"])

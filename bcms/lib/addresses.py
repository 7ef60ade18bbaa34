"""Which addresses the site may connect to: public ones only, unless a network is allowed by name.

A server's URL is foreign input. Without this policy a team could make the site fetch from its own loopback, its private
network or a cloud's metadata service. Only the address that will really be connected to counts, never the spelling of
the URL: `http://2130706433/`, `http://0x7f.1/` and `http://[::ffff:127.0.0.1]/` are all 127.0.0.1 once resolved.
"""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# IANA's registries of special-purpose addresses (IPv4 and IPv6), multicast, and what was deprecated or only translates.
# ipaddress.is_global alone lets some of them through, and which ones depends on the version of Python.
SPECIAL_BLOCKS: tuple[Network, ...] = tuple(
    ip_network(block)
    for block in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
        "::/96",
        "::ffff:0:0:0/96",
        "64:ff9b:1::/48",
        "100::/64",
        "100:0:0:1::/64",
        "2001::/23",
        "2001:db8::/32",
        "2002::/16",
        "2620:4f:8000::/48",
        "3ffe::/16",
        "3fff::/20",
        "5f00::/16",
        "fc00::/7",
        "fe80::/10",
        "fec0::/10",
        "ff00::/8",
    )
)
NAT64 = IPv6Network("64:ff9b::/96")
WEB_PORTS = frozenset({80, 443})
FIRST_USER_PORT = 1024
# The site's own services: PostgreSQL and Redis.
SERVICE_PORTS = frozenset({5432, 6379})


def refusal(address: str, port: int, networks: Sequence[str]) -> str:
    """Why the site may not connect to this address and port, as one sentence; empty when it may.

    address is numeric, as a resolver gives it; networks are allowed blocks in CIDR notation, in which every port is
    allowed too. Raises ValueError when a network or the address is not well formed.
    """
    ip = ip_address(address)
    if _inside(ip, networks):
        return ""
    if not is_public(ip):
        return f"The address {ip} is not on the public internet."
    if port in SERVICE_PORTS or (port < FIRST_USER_PORT and port not in WEB_PORTS):
        return f"Port {port} is not one that annotation servers may use; use 80, 443 or one from 1024 up."
    return ""


def is_public(ip: Address) -> bool:
    """Whether an address can belong to a server on the public internet, and to nothing else.

    Addresses that carry an IPv4 address are judged by all that they carry, at every level.
    """
    if not ip.is_global or any(ip.version == block.version and ip in block for block in SPECIAL_BLOCKS):
        return _is_public_carrier(ip)
    return all(is_public(inner) for inner in carried(ip))


def _is_public_carrier(ip: Address) -> bool:
    """v4-mapped and NAT64 addresses are special themselves, but lead to the IPv4 address that they carry."""
    if not isinstance(ip, IPv6Address) or not (ip.ipv4_mapped or ip in NAT64):
        return False
    return all(is_public(inner) for inner in carried(ip))


def carried(ip: Address) -> list[IPv4Address]:
    """The IPv4 addresses inside an IPv6 address: v4-mapped, 6to4, NAT64 and both ends of Teredo."""
    if isinstance(ip, IPv4Address):
        return []
    nat64 = IPv4Address(int(ip) & 0xFFFFFFFF) if ip in NAT64 else None
    return [inner for inner in (ip.ipv4_mapped, ip.sixtofour, nat64, *(ip.teredo or ())) if inner is not None]


def _inside(ip: Address, networks: Sequence[str]) -> bool:
    """Whether the address lies in an allowed network; a v4-mapped one is the IPv4 address itself."""
    plain = ip.ipv4_mapped or ip if isinstance(ip, IPv6Address) else ip
    blocks = [ip_network(network) for network in networks]
    return any(plain.version == block.version and plain in block for block in blocks)

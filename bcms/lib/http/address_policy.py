"""Which addresses the site may connect to: public ones, and those in explicitly allowed networks.

A server's URL is untrusted. Without this policy a team could make the site fetch from its own loopback, its private
network or a cloud's metadata service. Only the resolved address counts, never the spelling of the URL:
`http://2130706433/`, `http://0x7f.1/` and `http://[::ffff:127.0.0.1]/` all resolve to 127.0.0.1.
"""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

IpAddress = IPv4Address | IPv6Address
IpNetwork = IPv4Network | IPv6Network

# IANA's registries of special-purpose addresses (IPv4 and IPv6), multicast, and deprecated and translation prefixes.
# ipaddress.is_global alone accepts some of them, depending on the version of Python.
SPECIAL_BLOCKS: tuple[IpNetwork, ...] = tuple(
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


def explain_blocked_address_or_empty(address: str, port: int, extra_allowed_networks: Sequence[str]) -> str:
    """Why the site may not connect to this address and port, as one sentence; empty when it may.

    address is numeric, as a resolver returns it; extra_allowed_networks are allowed blocks in CIDR notation, in which
    every port is allowed too. Raises ValueError when a network or the address is malformed.
    """
    ip = ip_address(address)
    if is_in_allowed_networks(ip, extra_allowed_networks):
        return ""
    if not _is_public_address(ip):
        return f"The address {ip} is not on the public internet."
    if port in SERVICE_PORTS or (port < FIRST_USER_PORT and port not in WEB_PORTS):
        return f"This site sends nothing to port {port}; use 80, 443 or a port from 1024 up."
    return ""


def _is_public_address(ip: IpAddress) -> bool:
    """Whether an address belongs to the public internet.

    IPv6 addresses that embed IPv4 addresses are public only if all embedded ones are, at every level.
    """
    if not ip.is_global or any(ip.version == block.version and ip in block for block in SPECIAL_BLOCKS):
        return _is_public_embedding_address(ip)
    return all(_is_public_address(inner) for inner in _list_embedded_ipv4_addresses(ip))


def _is_public_embedding_address(ip: IpAddress) -> bool:
    """v4-mapped and NAT64 addresses are in special blocks, but lead to the IPv4 address that they embed."""
    if not isinstance(ip, IPv6Address) or not (ip.ipv4_mapped or ip in NAT64):
        return False
    return all(_is_public_address(inner) for inner in _list_embedded_ipv4_addresses(ip))


def _list_embedded_ipv4_addresses(ip: IpAddress) -> list[IPv4Address]:
    """The IPv4 addresses inside an IPv6 address: v4-mapped, 6to4, NAT64 and both ends of Teredo."""
    if isinstance(ip, IPv4Address):
        return []
    nat64 = IPv4Address(int(ip) & 0xFFFFFFFF) if ip in NAT64 else None
    return [inner for inner in (ip.ipv4_mapped, ip.sixtofour, nat64, *(ip.teredo or ())) if inner is not None]


def is_in_allowed_networks(ip: IpAddress, networks: Sequence[str]) -> bool:
    """Whether the address is in an allowed network; a v4-mapped address counts as its IPv4 address."""
    plain = ip.ipv4_mapped or ip if isinstance(ip, IPv6Address) else ip
    blocks = [ip_network(network) for network in networks]
    return any(plain.version == block.version and plain in block for block in blocks)

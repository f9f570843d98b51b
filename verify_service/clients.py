"""Which client a request comes from: the address behind the proxies that we trust, and no further. Pure."""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address

from verify_service.setting_kinds import Network

Address = IPv4Address | IPv6Address

_NOBODY = IPv4Address(0)


def client_address(peer: str, forwarded_for: Sequence[str], trusted: Sequence[Network]) -> Address:
    """Return the address nearest to us that isn't a trusted proxy's.

    ``peer`` is the other end of the connection, ``forwarded_for`` the values of ``X-Forwarded-For`` in order. What a
    client claims about itself stands to the left of what our proxies saw, and is never reached.
    """
    address = _read(peer) or _NOBODY
    claims = [claim.strip() for value in forwarded_for for claim in value.split(",")]
    while claims and _is_in(address, trusted):
        claimed = _read(claims.pop())
        if claimed is None:
            break
        address = claimed
    return address


def is_direct_from(peer: str, networks: Sequence[Network]) -> bool:
    """Whether the other end of the connection is in one of ``networks``."""
    address = _read(peer)
    return address is not None and _is_in(address, networks)


def _is_in(address: Address, networks: Sequence[Network]) -> bool:
    return any(address in network for network in networks)


def _read(text: str) -> Address | None:
    try:
        address = ip_address(_without_port(text.strip()))
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        return address.ipv4_mapped
    return address


def _without_port(text: str) -> str:
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0] if text.count(":") == 1 else text

"""Keeps callbacks out of private networks: an address is checked and connected to in one step, never resolved again."""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from ipaddress import IPv4Address, IPv6Address

import httpcore

Address = IPv4Address | IPv6Address
Resolve = Callable[[str], Awaitable[Sequence[Address]]]
"""Finds the addresses of a host name; raises OSError when there are none."""
Permit = Callable[[Address], bool]
"""Whether callbacks may go to an address."""

_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
_TRANSLATED = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("64:ff9b:1::/48"))  # NAT64
_COMPATIBLE = ipaddress.IPv6Network("::/96")
# Public by the rules of Python's ipaddress, or some versions of them, and yet where clouds keep their own services.
_SPECIAL = tuple(map(ipaddress.IPv4Network, ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32")))
_LOOKUPS = 32


class RefusedAddressError(Exception):
    """A host has an address that callbacks may not go to."""


def is_public(address: Address) -> bool:
    """Whether an address belongs to the public internet, with the IPv4 address that it carries inside, if any."""
    inner = _inside(address) if isinstance(address, IPv6Address) else None
    if inner is not None:
        return is_public(inner)
    if not address.is_global or address.is_multicast or address.is_reserved:
        return False
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _SPECIAL)
    return address in _GLOBAL_UNICAST


def any_address(_address: Address) -> bool:
    """Permit every address: for a service that listens on its own machine only, or in a network that it serves."""
    return True


def _inside(address: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address that a mapped, 6to4, Teredo or NAT64 address leads to."""
    if address.teredo is not None:
        return address.teredo[1]
    if any(address in network for network in (*_TRANSLATED, _COMPATIBLE)):
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour


class SystemResolver:
    """Asks the machine's resolver, in threads of its own: names that nobody answers for don't hold up other work."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_LOOKUPS, thread_name_prefix="callback-names")

    async def __call__(self, host: str) -> Sequence[Address]:
        """Return the addresses of a host, the preferred first."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, _look_up, host)


def _look_up(host: str) -> Sequence[Address]:
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [ipaddress.ip_address(entry[4][0]) for entry in found]


class GuardedNetwork(httpcore.AsyncNetworkBackend):
    """Opens connections to hosts all of whose addresses are permitted.

    Sits below TLS, so names in certificates, SNI and the Host header are those of the URL.
    """

    def __init__(self, permit: Permit, resolve: Resolve) -> None:
        self._permit = permit
        self._resolve = resolve
        self._sockets = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's interface
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to one of the host's addresses; ``timeout`` in seconds is shared among them.

        Raises RefusedAddressError, or httpcore's errors when no address answers.
        """
        addresses = await self._addresses(host)
        share = None if timeout is None else timeout / len(addresses)
        problem: Exception = httpcore.ConnectError("no address")
        for address in addresses:
            try:
                return await self._sockets.connect_tcp(str(address), port, share, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                problem = error
        raise problem

    async def _addresses(self, host: str) -> Sequence[Address]:
        try:
            addresses = [_literal(host)]
        except ValueError:
            try:
                addresses = list(dict.fromkeys(await self._resolve(host)))
            except (OSError, UnicodeError) as error:
                raise httpcore.ConnectError("unknown host") from error
        if not all(map(self._permit, addresses)):
            raise RefusedAddressError
        return addresses

    async def connect_unix_socket(
        self,
        path: str,  # noqa: ARG002 - httpcore's interface
        timeout: float | None = None,  # noqa: ARG002, ASYNC109 - as above
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,  # noqa: ARG002 - as above
    ) -> httpcore.AsyncNetworkStream:
        """Refuse: callbacks go to hosts."""
        raise RefusedAddressError

    async def sleep(self, seconds: float) -> None:
        """Wait, for httpcore."""
        await asyncio.sleep(seconds)


def _literal(host: str) -> Address:
    return ipaddress.ip_address(host.strip("[]"))

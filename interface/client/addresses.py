"""Where a provider of the interface listens (specification, "Address placeholders")."""

from dataclasses import dataclass
from typing import Self

from interface.calls import Base


@dataclass(frozen=True, slots=True)
class Addresses:
    """The base addresses of a provider, without a trailing slash; ``base_url`` and ``rest_url`` hold the version."""

    base_url: str
    rest_url: str
    verify_url: str
    xml_url: str

    @classmethod
    def of(cls, root: str) -> Self:
        """Return the addresses of a Dovecote service at ``root``, such as ``http://127.0.0.1:8800``."""
        root = root.rstrip("/")
        return cls(base_url=f"{root}/v2", rest_url=f"{root}/v1", verify_url=root, xml_url=f"{root}/xml")

    def url(self, base: Base, path: str) -> str:
        """Return the address of ``path`` below ``base``."""
        roots = {
            Base.MESSAGING: self.base_url,
            Base.REST: self.rest_url,
            Base.VERIFY: self.verify_url,
            Base.XML: self.xml_url,
        }
        return roots[base].rstrip("/") + path

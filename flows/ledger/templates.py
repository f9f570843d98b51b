"""The chat-app templates that a flow has created at a provider, which may not list them (specification 4.3)."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from sqlalchemy import ColumnElement, delete, insert, select, update

from flows.ledger.database import Ledger
from flows.ledger.tables import templates

BEGUN = "begun"
"""Instead of an id: the call was begun, and its answer isn't known."""


@dataclass(frozen=True)
class KnownLanguage:
    """A template in one language: the platform's id of it, or `BEGUN`, and a digest of the file it was made from."""

    template_id: str
    digest: str


@dataclass(frozen=True)
class KnownTemplate:
    """A name that a flow has created or begun to, by language."""

    name: str
    languages: Mapping[str, KnownLanguage]

    @property
    def fingerprint(self) -> str:
        """The same for the same content in all languages."""
        content = sorted((language, one.digest) for language, one in self.languages.items())
        return hashlib.sha256(repr(content).encode()).hexdigest()

    @property
    def is_begun(self) -> bool:
        """Whether the outcome of a call is not known."""
        return any(one.template_id == BEGUN for one in self.languages.values())


@dataclass(frozen=True)
class Shelf:
    """One business account at one provider, and what the ledger knows of its templates."""

    ledger: Ledger
    account: str
    waba_id: str

    def known(self) -> dict[str, KnownTemplate]:
        """Return the names that flows have created, by name."""
        with self.ledger.read() as connection:
            rows = connection.execute(select(templates).where(self._here())).all()
        return {
            row.name: KnownTemplate(row.name, {each: KnownLanguage(**kept) for each, kept in row.languages.items()})
            for row in rows
        }

    def keep(self, template: KnownTemplate) -> None:
        """Write a name down as it is now."""
        values = {
            "fingerprint": template.fingerprint,
            "languages": {each: asdict(one) for each, one in template.languages.items()},
            "state": "begun" if template.is_begun else "created",
            "changed_at": self.ledger.now(),
        }
        new = {"account": self.account, "waba_id": self.waba_id, "name": template.name, **values}
        mine = self._here() & (templates.c.name == template.name)
        with self.ledger.write() as connection:
            if connection.execute(update(templates).where(mine).values(values)).rowcount == 0:
                connection.execute(insert(templates).values(new))

    def forget(self, name: str) -> None:
        """Know a name no more."""
        with self.ledger.write() as connection:
            connection.execute(delete(templates).where(self._here() & (templates.c.name == name)))

    def _here(self) -> ColumnElement[bool]:
        return (templates.c.account == self.account) & (templates.c.waba_id == self.waba_id)

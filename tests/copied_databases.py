"""Databases whose schema is there: copies of one that was migrated once, which takes longer than most tests."""

import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from sqlalchemy import Connection, create_engine, text
from sqlalchemy.engine import URL


@contextmanager
def administering(server: URL) -> Iterator[Connection]:
    """Create and drop databases of a PostgreSQL server."""
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        yield connection
    engine.dispose()


def create_database(server: URL, template: str = "template1") -> str:
    """Create a database and return its name."""
    name = f"test_{uuid.uuid4().hex}"
    with administering(server) as connection:
        connection.execute(text(f"CREATE DATABASE {name} TEMPLATE {template}"))
    return name


def drop_database(server: URL, name: str) -> None:
    with administering(server) as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))


def address_of(server: URL, name: str) -> str:
    return server.set(database=name).render_as_string(hide_password=False)


class Prepared:
    """What ``prepare`` makes of an empty database, given its address, and copies of that; it leaves none open."""

    def __init__(self, prepare: Callable[[str], None], folder: Path) -> None:
        self._prepare = prepare
        self._folder = folder

    def on_sqlite(self, file: Path) -> str:
        """Copy it to ``file``, and what was made beside it to beside that; return the address."""
        original = self._original_file()
        for made in original.parent.glob(f"{original.stem}*{original.suffix}"):
            shutil.copyfile(made, file.with_stem(file.stem + made.stem.removeprefix(original.stem)))
        return f"sqlite:///{file}"

    @contextmanager
    def on_postgresql(self, server: URL) -> Iterator[str]:
        """Copy it for the time of the block; gives the address."""
        name = create_database(server, self._original_database(server))
        yield address_of(server, name)
        drop_database(server, name)

    @cache  # noqa: B019  (lives as long as the run of the tests)
    def _original_file(self) -> Path:
        original = self._folder / "original.db"
        self._prepare(f"sqlite:///{original}")
        return original

    @cache  # noqa: B019
    def _original_database(self, server: URL) -> str:
        name = create_database(server)
        self._prepare(address_of(server, name))
        return name

"""Tags: those of the person who sends, and the one by which a batch is found again (specification, section 2.1)."""

import re
import unicodedata
from collections.abc import Iterable

from flows.problems import SettingsProblem
from interface.texts import DEFAULT_TAG, normalise_tags

EXEMPT_FROM_OPT_OUT = frozenset({"priority", "transactional"})

BATCH_TAG = re.compile(r"(?P<campaign>c-[a-z0-9-]+-[0-9a-f]{8})-b[0-9]{4,}")
"""What `batch_tag` makes."""

MAXIMUM_LENGTH = 180
"""Characters of a person's tags together: a tag set has 255, and the batch's own tag needs up to 60."""


def campaign_tags(written: str) -> tuple[str, ...]:
    """Normalise and sort a person's comma-separated tags, each once.

    ``promotional`` is added unless the message is transactional or priority: the provider checks the opt-out list only
    for messages with that tag, and adds it by itself only to messages without any.
    """
    tags = set(normalise_tags(written).split(","))
    if not tags & EXEMPT_FROM_OPT_OUT:
        tags.add(DEFAULT_TAG)
    if len(tag_set(tags)) > MAXIMUM_LENGTH:
        raise SettingsProblem(f"The tags are longer than {MAXIMUM_LENGTH} characters together.")
    return tuple(sorted(tags))


def batch_tag(name: str, campaign_id: str, position: int) -> str:
    """Name the tag of one batch alone: readable by the campaign's name, unique by its id."""
    return f"c-{slug(name)[:40]}-{campaign_id[:8]}-b{position:04}"


def campaign_tag(tag: str) -> str:
    """Name the campaign of a batch's own tag, the same for all its batches; any other tag stays as it is."""
    own = BATCH_TAG.fullmatch(tag)
    return own["campaign"] if own else tag


def campaign_run_tag(name: str) -> str:
    """Name the tag of a campaign's flow runs in Prefect, by which its waves are found and cancelled."""
    return f"campaign:{slug(name)}"


def tag_set(tags: Iterable[str]) -> str:
    """Write tags as the provider compares them: sorted, with commas between."""
    return ",".join(sorted(set(tags)))


def slug(name: str) -> str:
    """Write a name in the characters that tags and artifact keys may have."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-") or "campaign"

"""What libphonenumber's metadata says of a number, asked as cheaply as is sound. Pure.

``phonenumbers.parse`` and ``is_valid_number`` take tens of microseconds a number. Here the patterns of a calling code
are compiled once and matched directly; a number to which the metadata would apply a national prefix or a rewriting
goes to ``phonenumbers`` itself, so that the answer is always the library's.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import phonenumbers
from phonenumbers import COUNTRY_CODE_TO_REGION_CODE
from phonenumbers.phonemetadata import PhoneMetadata, PhoneNumberDesc

LONGEST_CALLING_CODE = 3


class _Kind:
    """One kind of number of a region (mobile, fixed line, ...)."""

    __slots__ = ("_lengths", "_match", "single_length")

    def __init__(self, description: PhoneNumberDesc) -> None:
        self._match = re.compile(description.national_number_pattern or "(?!)").fullmatch
        self._lengths = frozenset(description.possible_length)
        self.single_length = len(self._lengths) == 1

    def holds(self, national: str) -> bool:
        """Whether ``national`` is of this kind; an empty set of lengths allows all that the general pattern allows."""
        return (not self._lengths or len(national) in self._lengths) and self._match(national) is not None


class _Region:
    """The numbers of one region."""

    __slots__ = ("_fixed", "_general", "_kinds", "_leading", "_mobile", "code")

    def __init__(self, metadata: PhoneMetadata) -> None:
        self.code = metadata.id or ""
        self._leading = re.compile(metadata.leading_digits).match if metadata.leading_digits else None
        self._general = _kind(metadata.general_desc)
        self._mobile = _kind(metadata.fixed_line if metadata.same_mobile_and_fixed_line_pattern else metadata.mobile)
        self._fixed = _kind(metadata.fixed_line)
        self._kinds = tuple(_kinds(metadata))

    def holds(self, national: str) -> bool:
        return self._general.holds(national) and any(kind.holds(national) for kind in self._kinds)

    def owns(self, national: str) -> bool:
        """Whether ``national`` belongs here rather than to another region of the same calling code."""
        return self._leading(national) is not None if self._leading else self.holds(national)

    def plainly_national(self, national: str) -> bool:
        """Whether ``national`` is a mobile number, or a fixed line where all of these have one length."""
        if not self._general.holds(national):
            return False
        return self._mobile.holds(national) or (self._fixed.single_length and self._fixed.holds(national))


def _kind(description: PhoneNumberDesc | None) -> _Kind:
    return _Kind(description or PhoneNumberDesc())


def _kinds(metadata: PhoneMetadata) -> Iterator[_Kind]:
    for description in (
        metadata.mobile,  # by far the most frequent, so first
        metadata.fixed_line,
        metadata.toll_free,
        metadata.premium_rate,
        metadata.shared_cost,
        metadata.voip,
        metadata.personal_number,
        metadata.pager,
        metadata.uan,
        metadata.voicemail,
    ):
        if description is not None and description.national_number_pattern:
            yield _Kind(description)


class Plan:
    """The numbering plan of one calling code, which several regions may share."""

    __slots__ = ("_prefix", "_regions", "calling_code")

    def __init__(self, calling_code: str, metadata: tuple[PhoneMetadata, ...]) -> None:
        self.calling_code = calling_code
        self._regions = tuple(_Region(each) for each in metadata)
        prefix = metadata[0].national_prefix_for_parsing
        self._prefix = re.compile(prefix).match if prefix else None

    def region(self, national: str) -> str | None:
        """Return the region code to which ``national`` belongs, or None when it isn't valid."""
        if len(self._regions) == 1:
            return self._regions[0].code if self._regions[0].holds(national) else None
        for region in self._regions:
            if region.owns(national):
                return region.code if region.holds(national) else None
        return None

    def plainly_national(self, national: str) -> bool:
        """Whether ``national`` is surely meant as a number of this plan; see the regions' own answer."""
        return any(region.plainly_national(national) for region in self._regions)

    def complete(self, national: str) -> str | None:
        """Return the valid international number for ``national``, without a national prefix it may carry, else None."""
        prefix = self._prefix(national) if self._prefix else None
        if prefix is not None and (prefix.end() or prefix.lastindex):
            return _as_parsed(self.calling_code + national)
        return self.calling_code + national if self.region(national) else None


def _as_parsed(digits: str) -> str | None:
    try:
        number = phonenumbers.parse(f"+{digits}")
    except phonenumbers.NumberParseException:
        return None
    if not phonenumbers.is_valid_number(number):
        return None
    return f"{number.country_code}{phonenumbers.national_significant_number(number)}"


@cache
def plan_of(calling_code: str) -> Plan | None:
    """Return the plan of a calling code such as ``420``; None when there is no such code."""
    code = int(calling_code)
    regions = COUNTRY_CODE_TO_REGION_CODE.get(code)
    if regions is None or str(code) != calling_code:
        return None
    found = (PhoneMetadata.metadata_for_region_or_calling_code(code, region) for region in regions)
    metadata = tuple(each for each in found if each is not None)
    return Plan(calling_code, metadata) if metadata else None


class Split(NamedTuple):
    """An international number taken apart."""

    plan: Plan
    national: str


@cache
def _known(calling_code: str) -> bool:
    return int(calling_code) in COUNTRY_CODE_TO_REGION_CODE


def split(digits: str) -> Split | None:
    """Take an international number apart at its calling code; no code is the beginning of another."""
    if not digits or digits[0] == "0":
        return None
    for length in range(1, LONGEST_CALLING_CODE + 1):
        if _known(digits[:length]):
            plan = plan_of(digits[:length])
            return Split(plan, digits[length:]) if plan else None
    return None

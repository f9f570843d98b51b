"""Whether a campaign that is started again is the same one: the plan's fingerprint."""

import pytest

from flows.parameters import Campaign
from flows.planning.preparing import Asked, prepare
from flows.problems import RecipientsProblem
from flows.recipients.sources import read_inline

NOW = 1_800_000_000.0
MONTHS = 90 * 86_400.0
PRAGUE_AND_TOKYO = [
    {"phone": "+420 777 000 001", "zone": "Europe/Prague"},
    {"phone": "+420 777 000 002", "zone": "Asia/Tokyo"},
]


def fingerprint(people, now=NOW, **hours):
    asked = {"zone_column": "zone", "start": "09:00", "end": "20:00", **hours}
    campaign = Campaign(name="Spring", text="Hello", recipients=people, local_hours=asked)
    return prepare(campaign, read_inline(people, "phone"), now, Asked.of(campaign)).plan.fingerprint


def moved(zone):
    return [PRAGUE_AND_TOKYO[0], {**PRAGUE_AND_TOKYO[1], "zone": zone}]


def test_a_recipient_in_another_zone_makes_another_campaign_whose_hours_are_others():
    assert fingerprint(PRAGUE_AND_TOKYO) != fingerprint(moved("Asia/Seoul"))


def test_a_recipient_whose_zone_is_left_to_the_number_makes_another_campaign():
    assert fingerprint(PRAGUE_AND_TOKYO) != fingerprint(moved(""))


def test_the_same_people_in_another_order_and_months_later_are_the_same_campaign():
    later = fingerprint(PRAGUE_AND_TOKYO[::-1], NOW + MONTHS, holidays=True)

    assert fingerprint(PRAGUE_AND_TOKYO, holidays=True) == later


def test_a_column_of_zones_that_is_not_used_is_no_content():
    assert fingerprint(PRAGUE_AND_TOKYO, zone_column="") == fingerprint(moved("Asia/Seoul"), zone_column="")


def test_a_column_of_zones_is_found_whatever_its_case():
    shouted = [{"phone": one["phone"], "ZONE": one["zone"]} for one in PRAGUE_AND_TOKYO]

    assert fingerprint(shouted) == fingerprint(PRAGUE_AND_TOKYO)


def test_a_column_of_zones_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(RecipientsProblem, match=r"has no column 'zome' of time zones; its columns: phone, zone\."):
        fingerprint(PRAGUE_AND_TOKYO, zone_column="zome")

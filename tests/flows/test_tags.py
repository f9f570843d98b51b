import pytest

from flows.planning.tags import batch_tag, campaign_tag, campaign_tags, slug
from flows.problems import SettingsProblem


@pytest.mark.parametrize(
    ("written", "tags"),
    [
        ("", ("promotional",)),
        ("Spring Sale", ("promotional", "springsale")),
        ("b,a", ("a", "b", "promotional")),
        ("transactional,orders", ("orders", "transactional")),
        ("priority", ("priority",)),
    ],
)
def test_a_campaign_respects_opt_outs_unless_it_says_otherwise(written, tags):
    assert campaign_tags(written) == tags


def test_too_many_tags_are_refused():
    with pytest.raises(SettingsProblem, match="longer"):
        campaign_tags(",".join(f"tag-number-{index}" for index in range(40)))


def test_a_batch_tag_has_only_what_a_tag_may_have():
    assert batch_tag("Jarní sleva 2026!", "0123456789abcdef", 7) == "c-jarni-sleva-2026-01234567-b0007"


def test_a_name_without_any_such_character_still_has_a_slug():
    assert slug("春") == "campaign"


@pytest.mark.parametrize("position", [1, 42, 12345])
def test_the_tags_of_a_campaign_s_batches_name_the_same_campaign(position):
    tag = batch_tag("Spring Sale 2026!", "0123456789abcdef", position)

    assert campaign_tag(tag) == "c-spring-sale-2026-01234567"


@pytest.mark.parametrize("tag", ["spring", "c-spring", "c-spring-12345678", "promotional"])
def test_any_other_tag_is_no_batch_s(tag):
    assert campaign_tag(tag) == tag

"""Tells people who follow a link from machines that only look where it leads. Pure."""

import re
from collections.abc import Mapping

_PREFETCHING = ("purpose", "sec-purpose", "x-purpose", "x-moz")
"""Headers by which browsers say that nobody has clicked yet."""
_EARLY = re.compile(r"prefetch|prerender|preview", re.IGNORECASE)
_MACHINES = re.compile(
    r"(?<!cu)bot\b|crawl|spider|preview|facebookexternalhit|facebookcatalog|slurp|scanner|monitor|headless"
    r"|mediapartners|apis-google|google-read-aloud|google-inspectiontool|google-safety|bingpreview|skypeuri"
    r"|vkshare|pinterest/|embedly|outbrain|quora link|iframely|barracuda|proofpoint|mimecast|virustotal"
    r"|okhttp|java/|go-http-client|python-|aiohttp|curl/|wget/|libwww|apache-httpclient|axios|node-fetch|undici",
    re.IGNORECASE,
)
_CHAT_APPS = re.compile(
    r"^(?:WhatsApp|Viber|Telegram|Signal|Discord|Slack|Snapchat|Line|KakaoTalk|Threema)\b", re.IGNORECASE
)
"""By these names apps look at links themselves; in the browsers that they open the name comes after ``Mozilla``."""


def is_preview(method: str, headers: Mapping[str, str]) -> bool:
    """Whether a request for a link comes from a machine: by its method, by what it says, or by its user agent."""
    if method != "GET" or any(_EARLY.search(headers.get(name, "")) for name in _PREFETCHING):
        return True
    agent = headers.get("user-agent", "").strip()
    return not agent or bool(_MACHINES.search(agent) or _CHAT_APPS.match(agent))

"""The text that carries a code, with the mask in the code's place. Pure."""

from messaging_service.verification.codes import MASK

PLACE = "{code}"
# Short enough for one part with most origins, diacritics included.
TEMPLATES = {
    "cs": "Ověřovací kód: {code}. Nikomu ho nesdělujte.",
    "sk": "Overovací kód: {code}. Nikomu ho nehovorte.",
    "en": "Your verification code is {code}. Do not share it with anyone.",
    "de": "Ihr Bestätigungscode lautet {code}. Geben Sie ihn nicht weiter.",
}
"""The shipped templates, by language."""


def masked_text(template: str, origin: str) -> str:
    """Return the message text; with an origin its last line binds the code to that host (origin-bound codes)."""
    text = template.replace(PLACE, MASK)
    return f"{text}\n\n@{origin} #{MASK}" if origin else text


def filled_in(text: str, code: str) -> str:
    """Put the code in its place."""
    return text.replace(MASK, code)

"""What the Cloud API is sent for a message. Pure."""

from collections.abc import Sequence
from typing import Any

from messaging_service.channels.channel import Submission, TemplateUse

Json = dict[str, Any]


def message_request(submission: Submission) -> Json:
    """Return the body of a send. The platform gives ``biz_opaque_callback_data`` back with everything it reports."""
    return {
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        "to": submission.phone_number,
        **(_text(submission.text) if submission.template is None else _template(submission.template)),
        "biz_opaque_callback_data": f"{submission.message_id}:{submission.flow_index}",
    }


def _text(text: str) -> Json:
    return {"type": "text", "text": {"preview_url": False, "body": text}}


def _template(use: TemplateUse) -> Json:
    components = [
        {"type": name, "parameters": _texts(values)}
        for name, values in (("header", use.header), ("body", use.body))
        if values
    ]
    components += [
        {"type": "button", "sub_type": "url", "index": str(index), "parameters": _texts([value])}
        for index, value in enumerate(use.buttons)
    ]
    return {
        "type": "template",
        "template": {"name": use.name, "language": {"code": use.language}, "components": components},
    }


def _texts(values: Sequence[str]) -> list[Json]:
    return [{"type": "text", "text": value} for value in values]

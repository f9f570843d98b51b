"""Null where a field may be left out: programs that write every field mean nothing by it."""

import pytest
from pydantic import BaseModel

from interface.account import ListSubmission
from interface.bulk import BulkUpload
from interface.chat_templates import LibraryTemplate
from interface.delivery_time import DeliveryTime
from interface.flow_steps import RcsStep, SmsStep, ViberStep, WhatsappTemplateStep, WhatsappTextStep
from interface.keys import ApikeyAdd
from interface.lists import ListRemoval
from interface.message import MessageRequest
from interface.orders import OrderRequest
from interface.partner import PartnerSignup, RecipientRegister
from interface.special_parameters import IncomingHandling, LinkShortening, SpecialParameters

TEMPLATE = {"name": "parcel", "language": "cs", "category": "UTILITY", "library_template_name": "parcel"}
GIVEN = [
    (MessageRequest, {"to": [{"phone_number": "420777123456"}], "body": "Hello"}),
    (SmsStep, {}),
    (ViberStep, {}),
    (WhatsappTextStep, {}),
    (WhatsappTemplateStep, {"template_name": "parcel", "language": "cs"}),
    (RcsStep, {}),
    (DeliveryTime, {}),
    (SpecialParameters, {}),
    (LinkShortening, {}),
    (IncomingHandling, {}),
    (BulkUpload, {"bulk_id": "autumn", "filetype": "gz"}),
    (ListSubmission, {"to": "420777123456"}),
    (ListRemoval, {"to": "420777123456"}),
    (ApikeyAdd, {}),
    (OrderRequest, {"service": "name", "value": "Shop"}),
    (PartnerSignup, {}),
    (RecipientRegister, {"phone_number": "420777123456"}),
    (LibraryTemplate, TEMPLATE),
]
FIELDS = [(model, given, name) for model, given in GIVEN for name in model.model_fields if name not in given]


@pytest.mark.parametrize(
    ("model", "given", "name"), FIELDS, ids=[f"{model.__name__}.{name}" for model, _, name in FIELDS]
)
def test_null_counts_as_absent(model: type[BaseModel], given, name):
    with_null = model.model_validate(given | {model.model_fields[name].alias or name: None})

    assert with_null.model_dump() == model.model_validate(given).model_dump()

"""Customers whom partners bring: an address for an hour, and the sub-key that a customer who confirms there gets."""

from typing import Final, NamedTuple

from itsdangerous import BadData, URLSafeSerializer

from interface.keys import ApikeyAdd
from interface.partner import PartnerSignup
from messaging_service.accounts.keys import Key, read_key
from messaging_service.accounts.sub_keys import SubKeys
from messaging_service.clock import HOUR, Clock, Milliseconds
from messaging_service.identifiers import new_id
from messaging_service.refusals import Forbidden
from messaging_service.store import keys
from messaging_service.store.engine import Store
from messaging_service.verification.codes import CodeKeeper, WrongKey

VALID_FOR: Milliseconds = HOUR
"""How long an address can be used (details, "partner")."""
_PURPOSE: Final = "partner-signup"


class Begun(NamedTuple):
    """A signup that waits for the customer."""

    token: str
    app_userid: str
    expires_at: Milliseconds


class Signup(NamedTuple):
    """What a customer is asked to confirm: who brings whom."""

    partner: Key
    wanted: PartnerSignup


class Signups:
    """Begins and ends signups. Nothing is kept of them but in their addresses. Not in the event loop."""

    def __init__(self, store: Store, clock: Clock, codes: CodeKeeper, sub_keys: SubKeys) -> None:
        self._store = store
        self._clock = clock
        self._codes = codes
        self._sub_keys = sub_keys
        self._serializer = URLSafeSerializer(codes.derived(_PURPOSE), salt=_PURPOSE)

    def begin(self, partner: Key, wanted: PartnerSignup) -> Begun:
        """Return the address' last part. Raises Forbidden for a sub-key."""
        if partner.parent_id is not None:
            raise Forbidden("A sub-key can't have sub-keys.")
        app_userid = wanted.app_userid or new_id()
        expires_at = self._clock.now() + VALID_FOR
        named = wanted.model_copy(update={"app_userid": app_userid})
        # Encrypted too: an address is written down in many places, and this one has a name in it.
        token = self._serializer.dumps([partner.id, expires_at, self._codes.seal(named.model_dump_json())])
        return Begun(str(token), app_userid, expires_at)

    def find(self, token: str) -> Signup | None:
        """Return what an address stands for, None when it is forged, has expired, or its partner was blocked."""
        try:
            partner_id, expires_at, sealed = self._serializer.loads(token)
            wanted = PartnerSignup.model_validate_json(self._codes.unseal(sealed))
        except (BadData, WrongKey):
            return None
        if self._clock.now() >= expires_at:
            return None
        with self._store.reading() as connection:
            partner = read_key(keys.numbered(connection, partner_id))
        return None if partner.is_blocked else Signup(partner, wanted)

    def confirm(self, signup: Signup) -> None:
        """Give the customer a sub-key with credit and a billing record of its own; the second time it is there.

        Raises Forbidden when the partner has all the sub-keys that it may have.
        """
        wanted = signup.wanted
        new = ApikeyAdd(
            shared=False,
            billing_name=wanted.name,
            billing_email=wanted.email,
            app_userid=wanted.app_userid,
            note=wanted.name,
        )
        self._sub_keys.add(signup.partner, new)

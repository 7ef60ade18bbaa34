"""The numbers that passkeys sign: a device that counts signs a higher one with each use, so that a copy falls behind.

Passkeys that the devices of a person share sign 0.
"""

from allauth.mfa.models import Authenticator
from django.db import transaction

COUNTER = "counter"


@transaction.atomic
def advance_counter_unless_behind(passkey: Authenticator, counter: int) -> bool:
    """Store the number that a passkey has signed; False if it is not above the last one (WebAuthn level 3, 7.2)."""
    stored = Authenticator.objects.select_for_update().filter(pk=passkey.pk).first()
    if stored is None:
        return False
    last = stored.data.get(COUNTER, stored.wrap().authenticator_data.counter)
    if counter or last:
        if counter <= last:
            return False
        stored.data[COUNTER] = counter
        stored.save(update_fields=["data"])
    return True

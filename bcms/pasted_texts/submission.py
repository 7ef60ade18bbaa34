"""Send the text of a valid form, by page or REST, within the limits of an account."""

from allauth.account.models import EmailAddress
from allauth.core import ratelimit
from django.http import HttpRequest

from bcms.pasted_texts.forms import PastedTextForm
from servers.pasted_texts.models import PastedText
from servers.pasted_texts.sending import store_and_send_pasted_text

# settings.ACCOUNT_RATE_LIMITS
PASTE_LIMIT = "paste_text"
TOO_MANY = "You have sent as many texts in the last hour as one account may. Try again later."
NOT_CONFIRMED = "Confirm your e-mail address before you send a text: open the link in the message that was sent to it."


class UnconfirmedAddressError(Exception):
    """The account has no confirmed address; the message says what to do."""


class TooManyTextsError(Exception):
    """The account has sent too many texts in the last hour; the message says so."""


def send_text_of_confirmed_account_below_limit(request: HttpRequest, form: PastedTextForm) -> PastedText:
    """UnconfirmedAddressError, TooManyTextsError or PastedTextRefusedError if nothing was sent."""
    if not EmailAddress.objects.filter(user=request.user.pk, verified=True).exists():
        raise UnconfirmedAddressError(NOT_CONFIRMED)
    if not ratelimit.consume(request, action=PASTE_LIMIT):
        raise TooManyTextsError(TOO_MANY)
    data = form.cleaned_data
    slugs = [server.slug for server in data["servers"]]
    return store_and_send_pasted_text(request.user, data["title"], data["text"], slugs)

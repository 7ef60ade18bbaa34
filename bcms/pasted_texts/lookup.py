"""Find the pasted text that a page or a request of REST is about."""

import uuid

from django.http import Http404

from servers.pasted_texts.models import PastedText
from servers.pasted_texts.queries import find_kept_pasted_text
from servers.teams.permissions import User, get_logged_in_user_id


def get_own_pasted_text_or_404(user: User, key: uuid.UUID) -> PastedText:
    """The text of the account that asks; Http404 for everybody else, and once it is too old."""
    pasted = find_kept_pasted_text(get_logged_in_user_id(user), key)
    if pasted is None:
        raise Http404("There is no such text, or it was deleted.")
    return pasted

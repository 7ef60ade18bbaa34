"""Write to the audit trail. The operation that makes a change records it, in the same transaction."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from allauth.core import context
from django.contrib.auth.base_user import AbstractBaseUser
from django.forms import BaseForm

from bcms.lib.text import clip_text_replacing_unprintable
from servers.audit.models import AuditAction, AuditEvent
from servers.calls.secret_masking import mask_secrets
from servers.teams.models import Team
from servers.teams.permissions import User

LONGEST_SUBJECT = 300
LONGEST_REASON = 500
LONGEST_VALUE = 500
# Whose order a worker carries out.
_ordered_by: ContextVar[User | None] = ContextVar("ordered_by", default=None)


def record_audit_event(
    action: AuditAction,
    subject: object = "",
    *,
    before: Mapping[str, object] | None = None,
    after: Mapping[str, object] | None = None,
    reason: str = "",
    actor: User | None = None,
    person: User | None = None,
    team: Team | None = None,
    challenge_id: int | None = None,
) -> None:
    """Record a change. Never give a secret, such as a key, a token, a password or sealed gold, nor what it is made of.

    subject: the public name of what was changed; before, after: values by name, of accounts their numbers; actor: who
    did it, None for find_acting_user() or, without one, the site; person: whose account or role was changed; team,
    challenge_id: whose members or organizers may see the event.
    """
    actor = actor or find_acting_user()
    AuditEvent.objects.create(
        action=action,
        subject=clip_text_replacing_unprintable(str(subject), LONGEST_SUBJECT),
        before=_format_values(before or {}),
        after=_format_values(after or {}),
        reason=clip_text_replacing_unprintable(reason, LONGEST_REASON),
        actor_id=actor.pk if actor else None,
        person_id=person.pk if person else None,
        team_id=team.pk if team else None,
        challenge_id=challenge_id,
    )


@contextmanager
def act_for_user(user: User) -> Iterator[None]:
    """Within this block, the user is the acting one: for workers, which carry out what somebody has ordered."""
    token = _ordered_by.set(user)
    try:
        yield
    finally:
        _ordered_by.reset(token)


def find_acting_user() -> User | None:
    """The user of act_for_user or of the current request, by session, password or token; None for
    visitors, workers and commands.
    """
    if ordered_by := _ordered_by.get():
        return ordered_by
    request = context.request
    user: User | None = getattr(request, "user", None)
    return user if user is not None and user.is_authenticated else None


def record_form_changes_if_any(
    form: BaseForm,
    action: AuditAction,
    subject: object,
    *,
    secret_fields: Collection[str] = (),
    person: User | None = None,
    team: Team | None = None,
    challenge_id: int | None = None,
) -> None:
    """Record the fields that a valid form changes, with their values before and after.

    secret_fields: those whose values are not recorded; the other arguments are those of record_audit_event.
    """
    if form.changed_data:
        before, after = _list_form_changes(form, secret_fields)
        record_audit_event(
            action, subject, before=before, after=after, person=person, team=team, challenge_id=challenge_id
        )


def _list_form_changes(form: BaseForm, secret_fields: Collection[str]) -> tuple[dict[str, object], dict[str, object]]:
    """The values before and after, by name, of the fields that a form changes."""
    before = {name: form.initial.get(name) for name in form.changed_data}
    after = {name: form.cleaned_data.get(name) for name in form.changed_data}
    for values in (before, after):
        values |= {name: "not recorded" for name in values if name in secret_fields}
    return before, after


def _format_values(values: Mapping[str, object]) -> dict[str, Any]:
    return {name: _format_value(value) for name, value in values.items()}


def _format_value(value: object) -> Any:
    """A value as JSON has it; texts are clipped, and what looks like a secret in them, as in URLs, is masked."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, AbstractBaseUser):
        # A name would outlast the account: the trail keeps what it has for ever.
        return f"account {value.pk}"
    if isinstance(value, Mapping):
        return {str(_format_value(str(name))): _format_value(each) for name, each in value.items()}
    if isinstance(value, Collection) and not isinstance(value, str):
        return [_format_value(each) for each in value]
    return clip_text_replacing_unprintable(mask_secrets(str(value)), LONGEST_VALUE)

"""The form with a text and the servers that it is sent to."""

from collections.abc import Iterator
from typing import Any

from django import forms

from bcms.lib.forms.text_fields import OneLineField, ShownTextField
from servers.pasted_texts.models import LONGEST_TITLE
from servers.pasted_texts.receiving_servers import list_servers_for_pasted_texts
from servers.pasted_texts.sending import LONGEST_PASTED_TEXT, normalize_pasted_text
from servers.registry.models import Server
from servers.teams.permissions import User

WITHDRAWN_MESSAGE = (
    "A server that you chose does not take pasted texts any more, so nothing was sent. Check the list of servers, and "
    "send the text again."
)


class PastedTextForm(forms.Form):
    """A text for the servers that take texts of this user now; all of them are chosen at first."""

    title = OneLineField(
        label="Title (optional)",
        required=False,
        max_length=LONGEST_TITLE,
        help_text="Without one, the first line of the text is sent as the title.",
    )
    text = ShownTextField(
        label="Text",
        widget=forms.Textarea(attrs={"rows": 12, "maxlength": LONGEST_PASTED_TEXT}),
        help_text=(f"At most {LONGEST_PASTED_TEXT:,} characters. Leave out what others must not know, such as names."),
        error_messages={"required": "Paste the text that you want to have annotated."},
    )
    servers = forms.ModelMultipleChoiceField(
        Server.objects.none(),
        to_field_name="slug",
        error_messages={
            "required": "Choose at least one server.",
            "invalid_choice": WITHDRAWN_MESSAGE,
            "invalid_pk_value": WITHDRAWN_MESSAGE,
        },
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)
        self.receiving_servers = list(list_servers_for_pasted_texts(user))
        field = self.fields["servers"]
        if isinstance(field, forms.ModelMultipleChoiceField):
            field.queryset = list_servers_for_pasted_texts(user)

    @property
    def server_choices(self) -> Iterator[tuple[Server, bool]]:
        """The servers, each with whether it is chosen."""
        chosen = set(self.data.getlist("servers")) if self.is_bound else None  # type: ignore[attr-defined]
        for server in self.receiving_servers:
            yield server, chosen is None or server.slug in chosen

    def clean_text(self) -> str:
        text = normalize_pasted_text(self.cleaned_data["text"])
        if len(text) > LONGEST_PASTED_TEXT:
            raise forms.ValidationError(
                f"The text has {len(text):,} characters, but at most {LONGEST_PASTED_TEXT:,} are sent. Paste a part."
            )
        return text

"""The form of a webhook."""

from typing import Any, cast

from django import forms
from django.conf import settings

from bcms.lib.http.messages import format_url_origin
from servers.notifications.events import ChallengeTopic, WebhookFormat, WebhookOwnerType
from servers.notifications.forms import TOPICS
from servers.notifications.models import Webhook
from servers.notifications.webhooks.matrix.access_tokens import seal_access_token
from servers.notifications.webhooks.matrix.room_addresses import (
    WHERE_ROOM_ID_IS,
    explain_unusable_homeserver,
    explain_unusable_room,
    explain_unusable_token,
)
from servers.registry.server_url import resolve_and_explain_unacceptable_url

PHASES = (
    ChallengeTopic.PHASE.value,
    "Phase: a phase of a challenge begins, ends, is frozen or unfrozen, gets another end, or is published",
)
MISSING_URL = "Enter the URL of your receiver, for example https://example.org/bcms."
MISSING_HOMESERVER = "Enter the URL of the homeserver, for example https://matrix.example.org."
NEW_ONE_HELP = "For Matrix only: of the account that writes in the room. It is encrypted at once and never shown again."
KEPT_ONE_HELP = "For Matrix only: one is stored and never shown. Leave this empty to keep it."
WEBHOOK_TOPICS = {
    WebhookOwnerType.SERVER: TOPICS,
    WebhookOwnerType.TEAM: [
        (ChallengeTopic.ENTRY.value, "Entry: organizers approved the team in a challenge, or withdrew their approval"),
        (ChallengeTopic.RUN.value, "Run: an uploaded run was scored or refused, or could not be checked"),
        PHASES,
        (ChallengeTopic.NEWS.value, "News: organizers published an announcement"),
    ],
    WebhookOwnerType.CHALLENGE: [
        (ChallengeTopic.ENTRY.value, "Entry: a team asks to take part"),
        (ChallengeTopic.RUN.value, "Run: a team uploaded a run"),
        PHASES,
        (ChallengeTopic.FILE.value, "File: a corpus file set the challenge up, or was refused"),
    ],
}
# The words of the labels before the colon.
TOPIC_NAMES = {topic: label.partition(":")[0] for topics in WEBHOOK_TOPICS.values() for topic, label in topics}
FORMATS = [
    (WebhookFormat.EVENTS.value, "Events: JSON for a program, signed"),
    (WebhookFormat.CHAT.value, "Chat: a sentence for an incoming webhook of Slack or Mattermost"),
    (WebhookFormat.MATRIX.value, "Matrix: a sentence for a room"),
]
# What a form stores, apart from who entered it.
STORED_FIELDS = ("url", "format", "topics", "room", "sealed_token")


class WebhookForm(forms.ModelForm[Webhook]):
    """Where a webhook sends messages, their format and their topics, which depend on the type of its owner.

    Matrix has a homeserver, a room and an access token in place of the URL. Fields of other formats are ignored.
    """

    format = forms.ChoiceField(
        label="Format", choices=FORMATS, widget=forms.RadioSelect, initial=WebhookFormat.EVENTS.value, required=False
    )
    url = forms.CharField(
        label="URL",
        max_length=500,
        required=False,
        widget=forms.URLInput(attrs={"placeholder": "https://example.org/bcms"}),
    )
    homeserver = forms.CharField(
        label="Homeserver",
        max_length=500,
        required=False,
        widget=forms.URLInput(attrs={"placeholder": "https://matrix.example.org"}),
        help_text="For Matrix only: the URL that apps use, in Element under Settings, Help & About.",
    )
    room = forms.CharField(
        label="Room ID",
        max_length=255,
        required=False,
        widget=forms.TextInput(attrs={"placeholder": "!abc123:example.org"}),
        help_text=f"For Matrix only: it begins with “!”. {WHERE_ROOM_ID_IS}",
    )
    token = forms.CharField(
        label="Access token",
        max_length=2000,
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    topics = forms.MultipleChoiceField(
        label="Topics",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Select at least one topic."},
    )

    class Meta:
        model = Webhook
        fields = ["format", "url", "homeserver", "room", "token", "topics"]

    def __init__(self, owner_type: WebhookOwnerType, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)
        topics = cast(forms.MultipleChoiceField, self.fields["topics"])
        topics.choices = WEBHOOK_TOPICS[owner_type]
        topics.initial = [topic for topic, _ in WEBHOOK_TOPICS[owner_type]]
        self._former_url, self._former_room = self.instance.url, self.instance.room
        # Of a webhook of Matrix alone.
        self._former_token = bytes(self.instance.sealed_token)
        if self._former_token:
            self.initial.update({"homeserver": self.instance.url, "url": ""})
        self.fields["token"].help_text = KEPT_ONE_HELP if self._former_token else NEW_ONE_HELP

    @property
    def changes_receiver(self) -> bool:
        """Whether the valid form lets somebody else get the messages."""
        former = (self._former_url, self._former_room, self._former_token)
        return former != (self.instance.url, self.instance.room, bytes(self.instance.sealed_token))

    def clean_format(self) -> str:
        return self.cleaned_data["format"] or WebhookFormat.EVENTS.value

    def clean(self) -> dict[str, Any]:
        """The fields of the chosen format; url is that of the homeserver for Matrix."""
        data = self.cleaned_data
        if "format" in data:
            clean_receiver = self._clean_room if data["format"] == WebhookFormat.MATRIX else self._clean_url
            clean_receiver()
        return data

    def _clean_url(self) -> None:
        url = self.cleaned_data.get("url", "")
        if "url" not in self.errors and (message := _explain_unusable_url(url, MISSING_URL)):
            self.add_error("url", message)
        # Django keeps a room that is not among the sent fields.
        self.cleaned_data["room"] = self.instance.room = ""
        self.instance.sealed_token = b""

    def _clean_room(self) -> None:
        data = self.cleaned_data
        homeserver = data.get("homeserver", "").rstrip("/")
        explanations = {
            "homeserver": _explain_unusable_url(homeserver, MISSING_HOMESERVER, encrypts_secrets=True)
            or explain_unusable_homeserver(homeserver),
            "room": explain_unusable_room(data.get("room", "")),
        }
        for name in explanations.keys() - self.errors.keys():
            if explanations[name]:
                self.add_error(name, explanations[name])
        data["url"] = homeserver
        if "token" not in self.errors:
            self._clean_token(data.get("token", ""), None if "homeserver" in self.errors else homeserver)

    def _clean_token(self, token: str, homeserver: str | None) -> None:
        """Seal a new token, or keep the former one for the homeserver for which it was entered; None if it is wrong."""
        if settings.CREDENTIALS_PUBLIC_KEY is None:
            self.add_error("format", "This site has no key to encrypt access tokens. Ask its administrators for one.")
        elif token and (message := explain_unusable_token(token)):
            self.add_error("token", message)
        elif not token and not self._former_token:
            self.add_error("token", "Enter the access token of the account that writes in the room.")
        elif homeserver is not None and token:
            self.instance.sealed_token = seal_access_token(homeserver, token)
        elif homeserver is not None and format_url_origin(homeserver) != format_url_origin(self._former_url):
            self.add_error("token", "Enter the access token again: the stored one is for another homeserver.")


def _explain_unusable_url(url: str, missing: str, *, encrypts_secrets: bool = False) -> str:
    if not url:
        return missing
    return resolve_and_explain_unacceptable_url(url, settings.ALLOWED_NETWORKS, encrypts_secrets=encrypts_secrets)

"""The form of a webhook."""

from typing import Any, cast

from django import forms
from django.conf import settings

from servers.notifications.events import ChallengeTopic, WebhookFormat, WebhookOwnerType
from servers.notifications.forms import TOPICS
from servers.notifications.models import Webhook
from servers.registry.server_url import resolve_and_explain_unacceptable_url

PHASES = (
    ChallengeTopic.PHASE.value,
    "Phase: a phase of a challenge begins, ends, is frozen or unfrozen, gets another end, or is published",
)
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
FORMATS = [
    (WebhookFormat.EVENTS.value, "Events: JSON for a program, signed"),
    (WebhookFormat.CHAT.value, "Chat: a sentence for an incoming webhook of Slack, Mattermost or a Matrix bridge"),
]


class WebhookForm(forms.ModelForm[Webhook]):
    """The URL of a webhook, the format of its messages and their topics, which depend on the type of its owner."""

    url = forms.CharField(
        label="URL",
        max_length=500,
        widget=forms.URLInput(attrs={"placeholder": "https://example.org/bcms"}),
        error_messages={"required": "Enter the URL of your receiver, for example https://example.org/bcms."},
    )
    topics = forms.MultipleChoiceField(
        label="Topics",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Select at least one topic."},
    )
    format = forms.ChoiceField(
        label="Format", choices=FORMATS, widget=forms.RadioSelect, initial=WebhookFormat.EVENTS.value, required=False
    )

    class Meta:
        model = Webhook
        fields = ["url", "format", "topics"]

    def __init__(self, owner_type: WebhookOwnerType, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)
        topics = cast(forms.MultipleChoiceField, self.fields["topics"])
        topics.choices = WEBHOOK_TOPICS[owner_type]
        topics.initial = [topic for topic, _ in WEBHOOK_TOPICS[owner_type]]

    def clean_format(self) -> str:
        return self.cleaned_data["format"] or WebhookFormat.EVENTS.value

    def clean_url(self) -> str:
        url = str(self.cleaned_data["url"])
        if message := resolve_and_explain_unacceptable_url(url, settings.ALLOWED_NETWORKS):
            raise forms.ValidationError(message)
        return url

"""Forms for the notifications about a server: e-mail settings and webhooks."""

from typing import Any

from django import forms
from django.conf import settings

from servers.notifications.events import MailFrequency, Topic, WebhookFormat
from servers.notifications.mail.mail_timing import DAILY_HOUR
from servers.notifications.models import Webhook
from servers.notifications.notices import store_mail_settings_rescheduling_or_deleting_notices
from servers.registry.models import Server
from servers.registry.server_url import resolve_and_explain_unacceptable_url

TOPICS = [
    (Topic.FAILURE.value, "Failure: articles failed after all retries, a test stopped, or the server is unreachable"),
    (Topic.COMPLETED.value, "Completed: all articles that were loaded into a queue are done"),
    (
        Topic.FAIL.value,
        "Fail: the server was taken offline after 20 failed articles in a row or 24 hours without connection",
    ),
    (Topic.REVIEW.value, "Review: the server was accepted or declined, or needs another review"),
]
FORMATS = [
    (WebhookFormat.EVENTS.value, "Events: JSON for a program, signed"),
    (WebhookFormat.CHAT.value, "Chat: a sentence for an incoming webhook of Slack, Mattermost or a Matrix bridge"),
]
RHYTHMS = [
    (MailFrequency.AT_ONCE.value, "Within a minute; at most once an hour while a problem continues"),
    (MailFrequency.DAILY.value, f"Once a day, at {DAILY_HOUR}:00 UTC"),
]


class MailSettingsForm(forms.ModelForm[Server]):
    """The topics of the team's e-mail notifications about a server, and when they are sent."""

    mail_topics = forms.MultipleChoiceField(
        label="Topics",
        choices=TOPICS,
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text="If you select none, nobody gets mail about this server.",
    )
    mail_rhythm = forms.ChoiceField(
        label="When to send",
        choices=RHYTHMS,
        widget=forms.RadioSelect,
        error_messages={"required": "Select when mail is sent: at once or once a day."},
    )

    class Meta:
        model = Server
        fields = ["mail_topics", "mail_rhythm"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)

    def store(self) -> None:
        """Store the settings, which also apply to notices that were not sent yet."""
        store_mail_settings_rescheduling_or_deleting_notices(
            self.instance, self.cleaned_data["mail_topics"], MailFrequency(self.cleaned_data["mail_rhythm"])
        )


class WebhookForm(forms.ModelForm[Webhook]):
    """The URL of a webhook and the topics of its messages."""

    url = forms.CharField(
        label="URL",
        max_length=500,
        widget=forms.URLInput(attrs={"placeholder": "https://example.org/bcms"}),
        error_messages={"required": "Enter the URL of your receiver, for example https://example.org/bcms."},
    )
    topics = forms.MultipleChoiceField(
        label="Topics",
        choices=TOPICS,
        widget=forms.CheckboxSelectMultiple,
        initial=[topic.value for topic in Topic],
        error_messages={"required": "Select at least one topic."},
    )

    format = forms.ChoiceField(
        label="Format", choices=FORMATS, widget=forms.RadioSelect, initial=WebhookFormat.EVENTS.value, required=False
    )

    class Meta:
        model = Webhook
        fields = ["url", "format", "topics"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)

    def clean_format(self) -> str:
        return self.cleaned_data["format"] or WebhookFormat.EVENTS.value

    def clean_url(self) -> str:
        url = str(self.cleaned_data["url"])
        if message := resolve_and_explain_unacceptable_url(url, settings.ALLOWED_NETWORKS):
            raise forms.ValidationError(message)
        return url

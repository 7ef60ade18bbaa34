"""Forms of what a team is told about a server, by e-mail and by webhook."""

from typing import Any

from django import forms
from django.conf import settings

from servers.models import Server, Webhook
from servers.server_url import fault_of
from servers.telling.notices import choose
from servers.topics import DAILY_HOUR, Rhythm, Topic

TOPICS = [
    (Topic.FAILURE.value, "Failure: articles failed for good, a test stopped, or the server cannot be reached"),
    (Topic.COMPLETED.value, "Completed: the articles that were loaded into a queue are through"),
    (
        Topic.FAIL.value,
        "Fail: the server was taken off, after 20 failed articles in a row or 24 hours out of reach",
    ),
]
RHYTHMS = [
    (Rhythm.AT_ONCE.value, "at once, gathered for a minute; of failures that go on, once an hour"),
    (Rhythm.DAILY.value, f"once a day, at {DAILY_HOUR}:00 UTC"),
]


class MailForm(forms.ModelForm):
    """What the team's mail about a server says, and how often."""

    mail_topics = forms.MultipleChoiceField(
        label="What is told",
        choices=TOPICS,
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text="None of them: no mail about this server, to nobody.",
    )
    mail_rhythm = forms.ChoiceField(
        label="When",
        choices=RHYTHMS,
        widget=forms.RadioSelect,
        error_messages={"required": "Choose when mail is sent: at once, or once a day."},
    )

    class Meta:
        model = Server
        fields = ["mail_topics", "mail_rhythm"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)

    def store(self) -> None:
        choose(self.instance, self.cleaned_data["mail_topics"], Rhythm(self.cleaned_data["mail_rhythm"]))


class WebhookForm(forms.ModelForm):
    """Where a webhook's messages go, and what they are about."""

    url = forms.CharField(
        label="URL",
        max_length=500,
        widget=forms.URLInput(attrs={"placeholder": "https://example.org/bcms"}),
        error_messages={"required": "Give the URL at which your receiver answers, such as https://example.org/bcms."},
    )
    topics = forms.MultipleChoiceField(
        label="What it is told",
        choices=TOPICS,
        widget=forms.CheckboxSelectMultiple,
        initial=[topic.value for topic in Topic],
        error_messages={"required": "Choose at least one topic that the webhook is told."},
    )

    class Meta:
        model = Webhook
        fields = ["url", "topics"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)

    def clean_url(self) -> str:
        url = str(self.cleaned_data["url"])
        if fault := fault_of(url, settings.ALLOWED_NETWORKS):
            raise forms.ValidationError(fault)
        return url

"""The form for the mail of a team about a server, and the topics of its events."""

from typing import Any

from django import forms

from servers.notifications.events import MailFrequency, Topic
from servers.notifications.mail.mail_timing import DAILY_HOUR
from servers.notifications.notices import store_mail_settings_rescheduling_or_deleting_notices
from servers.registry.models import Server

TOPICS = [
    (Topic.FAILURE.value, "Failed calls: an article failed for good, a test stopped, or the server is unreachable"),
    (Topic.COMPLETED.value, "Queue done: all articles that were loaded into a queue are done"),
    (
        Topic.FAIL.value,
        "Taken offline: 20 articles failed in a row, or the server was unreachable for 24 hours",
    ),
    (Topic.REVIEW.value, "Review: the server was accepted or declined, or needs another review"),
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

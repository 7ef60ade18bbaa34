"""What organizers write: the rules of a challenge and its phases, reasons, teams."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.forms import DateTimeInput
from django.utils import timezone

from annotations.kinds import LABELS, Kind
from evaluation.caps import CAPPED, LARGEST
from evaluation.forms import PersonField
from evaluation.models import Challenge, Phase
from servers.models import Team
from servers.settling import CAPPED_KINDS, TEST_CAP

MOST_TRIES = 10
LOCAL = "%Y-%m-%dT%H:%M"


def moment(help_text: str, *, required: bool = False, label: str | None = None) -> forms.DateTimeField:
    widget = DateTimeInput(attrs={"type": "datetime-local"}, format=LOCAL)
    return forms.DateTimeField(required=required, widget=widget, help_text=help_text, label=label)


def because(help_text: str) -> forms.CharField:
    return forms.CharField(label="Why", max_length=500, help_text=help_text)


class RulesForm(forms.ModelForm):
    class Meta:
        model = Challenge
        fields = ["name", "description", "entrance", "approve_teams", "file_rules", "terms"]
        labels = {"entrance": "Who may enter", "approve_teams": "Approve each team", "terms": "Terms"}
        labels |= {"file_rules": "Uploaded runs need"}
        help_texts = {
            "approve_teams": "A team enters and uploads only when an organizer has approved it.",
            "terms": "What a member of each team accepts for it before it enters or uploads; empty: nothing. "
            "When they are changed, each team has to accept them again before it enters or uploads more.",
        }


def cap_name(kind: str) -> str:
    return f"cap_{kind}"


def cap_field(kind: Kind, most: int | None) -> forms.IntegerField:
    online = f" Of a server's answer in a test the best {TEST_CAP} count." if kind in CAPPED_KINDS else ""
    return forms.IntegerField(
        required=False,
        min_value=1,
        max_value=LARGEST,
        initial=most,
        label=f"Cap of {LABELS[kind].lower()}",
        help_text=f"The most of an article in an uploaded run; empty: no cap.{online}",
    )


class PhaseRulesForm(forms.ModelForm):
    opens = moment("In UTC. From then on teams enter and upload.", required=True)
    names_shown = moment(
        "In UTC. Until then teams stand on the leaderboards as Team 1, Team 2, ..., and what their runs say is read by "
        "themselves and you alone, also when the phase is published; empty: under their names.",
        label="Names shown from",
    )

    class Meta:
        model = Phase
        fields = [
            *("opens", "online_runs", "offline_runs", "minutes", "tries"),
            *("may_withdraw", "final_first", "closes_live", "names_shown"),
        ]
        labels = {
            "online_runs": "Servers of a team per task",
            "offline_runs": "Uploaded runs of a team per task",
            "minutes": "Minutes per article",
            "tries": "Tries per article",
            "may_withdraw": "Teams may withdraw runs",
            "final_first": "Training first for teams that upload",
            "closes_live": "Close the servers' LIVE queues with it",
        }
        help_texts = {
            "minutes": "From 1 to 10, all waiting included; a server's own limit may be less.",
            "tries": f"From 1 to {MOST_TRIES}: how often an article that fails is asked again.",
            "final_first": "Such a team gets the articles of the test when a training run of it is tagged as final.",
            "closes_live": "From the phase's end until it is published nobody asks these servers for other articles.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, most in (("minutes", 10), ("tries", MOST_TRIES)):
            self.fields[name].validators += [MinValueValidator(1), MaxValueValidator(most)]
        if self.instance.begun:
            self.fields["opens"].disabled = True
        asked = set(self.instance.challenge.tasks.values_list("kind", flat=True))
        self.kinds = [kind for kind in CAPPED if kind in asked]
        for kind in self.kinds:
            self.fields[cap_name(kind)] = cap_field(kind, self.instance.upload_caps.get(kind))
        self.order_fields(["opens", "online_runs", "offline_runs", *map(cap_name, self.kinds)])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        opens, closes = cleaned.get("opens"), self.instance.closes
        if opens and closes and opens >= closes:
            self.add_error("opens", f"The phase ends on {closes:%-d %B %Y, %H:%M} UTC; let it open before.")
        caps = {str(kind): cleaned.get(cap_name(kind)) for kind in self.kinds}
        self.instance.upload_caps = {kind: most for kind, most in caps.items() if most}
        return cleaned

    def clean_names_shown(self) -> datetime | None:
        """What everybody has read cannot be hidden any more."""
        shown, now = self.cleaned_data["names_shown"], timezone.now()
        read = self.initial["names_shown"] is None or self.initial["names_shown"] <= now
        if self.instance.published and read and shown and shown > now:
            raise forms.ValidationError("The phase is published with the names of its teams; leave this as it was.")
        return shown


class ReasonForm(forms.Form):
    reason = because("Everybody reads it on the challenge's page.")


class EndForm(forms.Form):
    closes = moment("In UTC; empty: the phase stays open.", label="New end")
    reason = because("Everybody reads it on the challenge's page.")


class ExcludeForm(forms.Form):
    article = forms.CharField(max_length=260, help_text="Its PMID, DOI or opaque id.")
    reason = because("Everybody reads it on the challenge's page; do not say what is right of the article.")


class OrganizerForm(forms.Form):
    organizer = PersonField()


@dataclass(frozen=True, slots=True)
class Switches:
    """The forms of one phase; their fields have ids that nothing else on the page has, so that labels lead to them."""

    sort: str

    @property
    def begin(self) -> ReasonForm:
        return ReasonForm(label_suffix="", auto_id=f"{self.sort}-begin-%s")

    @property
    def end(self) -> ReasonForm:
        return ReasonForm(label_suffix="", auto_id=f"{self.sort}-end-%s")

    @property
    def freeze(self) -> ReasonForm:
        return ReasonForm(label_suffix="", auto_id=f"{self.sort}-freeze-%s")

    @property
    def move_end(self) -> EndForm:
        return EndForm(label_suffix="", auto_id=f"{self.sort}-move-end-%s")

    @property
    def exclude(self) -> ExcludeForm:
        return ExcludeForm(label_suffix="", auto_id=f"{self.sort}-exclude-%s")


class TeamForm(forms.Form):
    team = forms.ModelChoiceField(Team.objects.none(), to_field_name="slug", empty_label=None)

    def __init__(self, challenge: Challenge, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        others = Team.objects.exclude(entrants__challenge=challenge, entrants__approved__isnull=False).order_by("name")
        self.fields["team"] = forms.ModelChoiceField(others, to_field_name="slug", empty_label=None)

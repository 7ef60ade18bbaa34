"""Forms of a phase: its rules, and the changes that need a reason."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import transaction
from django.forms import DateTimeInput
from django.utils import timezone

from annotations.schema import KIND_LABELS, Kind
from bcms.lib.forms.model_forms import ModelForm
from bcms.lib.forms.text_fields import OneLineField
from evaluation.challenges.caps import CAPPABLE_KINDS, MAX_CAP
from evaluation.challenges.models import Phase, Task
from evaluation.challenges.phases.checks import (
    check_phase_dates,
    check_phase_publication_not_begun,
    format_phase_date,
)
from evaluation.errors import ChallengeError
from servers.audit.models import AuditAction
from servers.audit.trail import record_form_changes_if_any
from servers.calls.outcomes.result_caps import CAPPED_KINDS, TEST_CAP

MAX_MINUTES = 10
MAX_TRIES = 10
LOCAL_DATETIME_FORMAT = "%Y-%m-%dT%H:%M"
SHOWN_RULES = ("opens", "online_runs", "offline_runs", "daily_runs")
RULES_OF_RUNS = "Uploaded runs"
FOLDED_RULES = {
    RULES_OF_RUNS: ("may_withdraw", "final_first"),
    "Calls of servers": ("minutes", "tries", "closes_live"),
    "Leaderboards": ("counted_runs", "mean_rank_tasks", "names_shown"),
}


def _make_utc_datetime_field(
    help_text: str, *, required: bool = False, label: str | None = None
) -> forms.DateTimeField:
    widget = DateTimeInput(attrs={"type": "datetime-local"}, format=LOCAL_DATETIME_FORMAT)
    return forms.DateTimeField(required=required, widget=widget, help_text=help_text, label=label)


def _make_reason_field(help_text: str) -> forms.CharField:
    return OneLineField(label="Reason", max_length=500, help_text=help_text)


def format_cap_field_name(kind: str) -> str:
    return f"cap_{kind}"


def _make_cap_field(kind: Kind, cap: int | None) -> forms.IntegerField:
    online = f" In a test, only the best {TEST_CAP} results of a server are kept." if kind in CAPPED_KINDS else ""
    return forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MAX_CAP,
        initial=cap,
        label=f"Cap for {KIND_LABELS[kind].lower()}",
        help_text=f"Largest number of results for an article in an uploaded run. Leave empty for no cap.{online}",
    )


@dataclass(frozen=True, slots=True)
class FoldedRules:
    """Rules that most phases leave as they are, under a heading; unfolded: shown at once, as one has an error."""

    heading: str
    fields: list[forms.BoundField]

    @property
    def unfolded(self) -> bool:
        return any(field.errors for field in self.fields)


class PhaseRulesForm(ModelForm[Phase]):
    opens = _make_utc_datetime_field("In UTC. From then on, teams can enter servers and upload runs.", required=True)
    names_shown = _make_utc_datetime_field(
        "In UTC. Until then, leaderboards show Team 1, Team 2, ..., and only the team itself and the organizers can "
        "read the annotations of a run, even after the phase is published. Leave empty to always show names.",
        label="Show team names from",
    )

    mean_rank_tasks = forms.ModelMultipleChoiceField(
        Task.objects.none(),
        required=False,
        to_field_name="name",
        widget=forms.CheckboxSelectMultiple,
        label="Tasks whose ranks are averaged",
        help_text="Two or more, or none: a page shows the mean of the ranks that each team's best run has in them. "
        "Cannot change once a part of the phase is published.",
    )

    class Meta:
        model = Phase
        fields = [*SHOWN_RULES, *(name for names in FOLDED_RULES.values() for name in names)]
        labels = {
            "online_runs": "Servers of a team per task",
            "offline_runs": "Uploaded runs of a team per task",
            "daily_runs": "Uploaded runs of a team per task and day",
            "counted_runs": "Runs that count on leaderboards",
            "minutes": "Time limit per article in minutes",
            "tries": "Attempts per article",
            "may_withdraw": "Teams can withdraw runs",
            "final_first": "Teams that upload must finish training first",
            "closes_live": "Hold the LIVE queues of servers after the phase",
        }
        help_texts = {
            "daily_runs": "Days are in UTC. Leave empty for no limit beside the total.",
            "counted_runs": "Rankings, pairwise comparisons, plots, files and archives show only these. "
            "Cannot change once a part of the phase is published.",
            "minutes": "From 1 to 10, including retries. A server can set a lower limit for itself.",
            "tries": f"From 1 to {MAX_TRIES}: how often a server is called for an article before it counts as failed.",
            "final_first": "A team can download the test articles after it tagged a training run as final.",
            "closes_live": "From the end of the phase until its publication, readers cannot call its servers.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, maximum in (("minutes", MAX_MINUTES), ("tries", MAX_TRIES)):
            self.fields[name].validators += [MinValueValidator(1), MaxValueValidator(maximum)]
        self.fields["counted_runs"].required = False
        self.fields["daily_runs"].validators.append(MinValueValidator(1))
        if self.instance.begun:
            self.fields["opens"].disabled = True
        tasks = self.instance.challenge.tasks.order_by("pk")
        self.fields["mean_rank_tasks"].queryset = tasks  # type: ignore[attr-defined]
        task_kinds = set(self.instance.challenge.tasks.values_list("kind", flat=True))
        self.kinds = [kind for kind in CAPPABLE_KINDS if kind in task_kinds]
        for kind in self.kinds:
            self.fields[format_cap_field_name(kind)] = _make_cap_field(kind, self.instance.upload_caps.get(kind))

    @property
    def shown_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in SHOWN_RULES]

    @property
    def folded_rules(self) -> list[FoldedRules]:
        names = {heading: [*names] for heading, names in FOLDED_RULES.items()}
        names[RULES_OF_RUNS] += map(format_cap_field_name, self.kinds)
        return [FoldedRules(heading, [self[name] for name in names[heading]]) for heading in names]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for name in {"opens", "names_shown"} & {*self.changed_data}:
            try:
                check_phase_dates(cleaned.get(name))
            except ChallengeError as error:
                self.add_error(name, str(error))
        opens, closes = cleaned.get("opens"), self.instance.closes
        if opens and closes and opens >= closes:
            self.add_error("opens", f"The phase ends on {format_phase_date(closes)}. Enter an earlier beginning.")
        caps = {str(kind): cleaned.get(format_cap_field_name(kind)) for kind in self.kinds}
        self.instance.upload_caps = {kind: cap for kind, cap in caps.items() if cap}
        return cleaned

    def clean_counted_runs(self) -> str:
        """The rule, as before if none is sent. What published leaderboards show does not change."""
        rule = str(self.cleaned_data["counted_runs"] or self.initial["counted_runs"])
        if rule != self.initial["counted_runs"]:
            self._check_publication_not_begun("change which runs count")
        return rule

    def clean_mean_rank_tasks(self) -> list[Task]:
        """The tasks, two or more or none. Published mean ranks do not change."""
        tasks = list(self.cleaned_data["mean_rank_tasks"])
        if len(tasks) == 1:
            raise forms.ValidationError("Choose two or more tasks, or none.")
        if set(tasks) != set(self.initial["mean_rank_tasks"]):
            self._check_publication_not_begun("change whose ranks are averaged")
        return tasks

    def _check_publication_not_begun(self, attempted_action: str) -> None:
        try:
            check_phase_publication_not_begun(self.instance, attempted_action)
        except ChallengeError as error:
            raise forms.ValidationError(str(error)) from error

    def clean_names_shown(self) -> datetime | None:
        """The names of teams stay public once they were published."""
        shown: datetime | None = self.cleaned_data["names_shown"]
        now = timezone.now()
        public = self.initial["names_shown"] is None or self.initial["names_shown"] <= now
        if self.instance.published and public and shown and shown > now:
            raise forms.ValidationError(
                "The phase is already published with the names of its teams, so this date cannot change."
            )
        return shown

    @transaction.atomic
    def save(self, commit: bool = True) -> Phase:
        phase: Phase = super().save(commit)
        record_form_changes_if_any(self, AuditAction.PHASE_CHANGED, phase, challenge_id=phase.challenge_id)
        return phase


class ReasonForm(forms.Form):
    reason = _make_reason_field("Everybody can read it on the page of the challenge.")


class PhaseEndForm(forms.Form):
    closes = _make_utc_datetime_field("In UTC. Leave empty for no end.", label="New end")
    reason = _make_reason_field("Everybody can read it on the page of the challenge.")


class ExcludedArticleForm(forms.Form):
    article = forms.CharField(max_length=260, help_text="Its PMID, DOI or opaque id.")
    reason = _make_reason_field(
        "Everybody can read it on the page of the challenge. Do not reveal the gold standard of the article."
    )


@dataclass(frozen=True, slots=True)
class PhaseActionForms:
    """The forms of one phase on the organizers' page; the ids of their fields are unique among all its phases."""

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
    def move_end(self) -> PhaseEndForm:
        return PhaseEndForm(label_suffix="", auto_id=f"{self.sort}-move-end-%s")

    @property
    def exclude(self) -> ExcludedArticleForm:
        return ExcludedArticleForm(label_suffix="", auto_id=f"{self.sort}-exclude-%s")

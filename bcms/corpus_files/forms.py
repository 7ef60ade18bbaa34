"""The forms to upload a corpus file, and to confirm what is set up from it."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.forms import BoundField
from django.http import QueryDict
from django.utils.crypto import salted_hmac

from bcms.article_uploads.article_import import MEBIBYTES
from bcms.corpus_files.models import CorpusFile
from bcms.corpus_files.phase_forms import list_purposes, make_phase_forms
from bcms.corpus_files.plans import ChosenTask, SetUpPlan, parse_set_up_plan
from bcms.corpus_files.proposals import LONGEST_NAME, LONGEST_TITLE, TaskProposal
from bcms.corpus_files.setting_up import TASK_DIFFERS, find_task_by_name, has_gold_standards_like
from bcms.lib.forms.text_fields import OneLineField
from evaluation.challenges.models import Challenge
from evaluation.challenges.setup.forms import validate_task_name

# Nobody can try that many to find the one that made a training set, and programs read it exactly.
LARGEST_SEED = 2**53 - 1
SEED_SALT = "corpus_files.seed"
SHARES_ERROR = "The shares add up to {} %. Change them so that they add up to 100 %, in at least two phases."


class CorpusFileForm(forms.Form):
    file = forms.FileField(
        label="Corpus file",
        max_length=250,
        help_text="Articles with annotations: PubTator, BioC, PubAnnotation, brat standoff (zip), UIMA XMI or Web "
        "Annotation, optionally gzipped; the format is detected. Articles alone can also be PubMed XML, JATS, HTML, "
        f"PDF, DOCX or plain text. At most {MEBIBYTES} MiB.",
    )

    def __init__(self, challenge: Challenge, data: QueryDict | None = None, files: Any = None) -> None:
        super().__init__(data, files, label_suffix="")
        purposes = list_purposes(challenge)
        self.is_phase_free = bool(purposes)
        self.fields["purpose"] = forms.ChoiceField(
            label="For",
            widget=forms.RadioSelect,
            choices=[(each.value, each.label) for each in purposes],
            initial=purposes[0].value if purposes else None,
        )

    def clean_purpose(self) -> CorpusFile.Purpose:
        return CorpusFile.Purpose(self.cleaned_data["purpose"])


class SetUpForm(forms.Form):
    """What is set up from a file. Each task of the proposal has three fields: whether, its name, and its title.

    phases: further forms, which are parts of this one.
    """

    # Another file may have been uploaded while the page was open.
    uploaded = forms.CharField(widget=forms.HiddenInput)

    def __init__(self, corpus_file: CorpusFile, data: QueryDict | None = None) -> None:
        initial = {"uploaded": corpus_file.uploaded.isoformat()}
        super().__init__(data, initial=initial, label_suffix="")
        self.corpus_file = corpus_file
        self.proposed = list(corpus_file.get_proposal().tasks)
        self.phases = make_phase_forms(corpus_file, data)
        if len(self.phases) > 1:
            self.fields["seed"] = forms.IntegerField(
                min_value=0,
                max_value=LARGEST_SEED,
                initial=_compute_first_seed(corpus_file),
                help_text="A whole number. The same number splits the same articles in the same way.",
            )
        for place, proposal in enumerate(self.proposed):
            self.fields |= _make_task_fields(place, proposal)
        if corpus_file.refused_plan:
            self._fill_from_plan(parse_set_up_plan(corpus_file.refused_plan))

    def _fill_from_plan(self, plan: SetUpPlan) -> None:
        self.initial.update(_list_values_of_tasks(plan, len(self.proposed)), seed=plan.seed)
        for form in self.phases:
            planned = next((each for each in plan.phases if each.sort in form.types), None)
            if planned is not None:
                form.fill_from_plan(planned)
            elif len(self.phases) > 1:
                form.initial["share"] = 0

    def iter_tasks(self) -> Iterator[tuple[TaskProposal, BoundField, BoundField, BoundField]]:
        """Each proposed task with its three fields."""
        for place, proposal in enumerate(self.proposed):
            yield proposal, self[f"task{place}"], self[f"task{place}_name"], self[f"task{place}_title"]

    def is_valid(self) -> bool:
        # A list, so that each of them shows its errors.
        return all([super().is_valid(), *(form.is_valid() for form in self.phases)])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for form in self.phases:
            form.full_clean()
        self._check_shares()
        self._check_slugs_differ()
        self._check_task_names(cleaned)
        return cleaned

    def _check_shares(self) -> None:
        shares = [form.cleaned_data["share"] for form in self.phases if "share" in form.cleaned_data]
        if len(shares) < max(len(self.phases), 2):
            return
        if sum(shares) != 100 or shares.count(0) > len(shares) - 2:
            self.add_error(None, SHARES_ERROR.format(sum(shares)))

    def _check_slugs_differ(self) -> None:
        taken: set[str] = set()
        for form in self.phases:
            slug = form.cleaned_data.get("corpus_slug", "")
            if slug in taken:
                form.add_error("corpus_slug", f"Two corpora have the name {slug}. Choose another name for one of them.")
            taken |= {slug} - {""}

    def _check_task_names(self, cleaned: dict[str, Any]) -> None:
        tasks = list(self.corpus_file.challenge.tasks.all())
        chosen: set[str] = set()
        for place, proposal in enumerate(self.proposed):
            field = f"task{place}_name"
            name = str(cleaned.get(field, ""))
            if not cleaned.get(f"task{place}") or field not in cleaned:
                continue
            if not name:
                self.add_error(field, "Enter a short name, such as NER, or leave the task out.")
            elif name.lower() in chosen:
                self.add_error(field, f"Two tasks have the name {name}. Choose another name for one of them.")
            elif (task := find_task_by_name(tasks, name)) and not has_gold_standards_like(task, proposal):
                self.add_error(field, TASK_DIFFERS.format(task))
            chosen.add(name.lower())

    def build_plan(self) -> SetUpPlan:
        """What a valid form confirms."""
        data = self.cleaned_data
        tasks = [
            ChosenTask(place, data[f"task{place}_name"], data[f"task{place}_title"] or proposal.title)
            for place, proposal in enumerate(self.proposed)
            if data[f"task{place}"]
        ]
        plans = [form.build_plan() for form in self.phases]
        return SetUpPlan([plan for plan in plans if plan.share], tasks, data.get("seed"))


def _compute_first_seed(corpus_file: CorpusFile) -> int:
    """Nobody can guess it, and the page shows the same one each time. With the seed and the training set, everybody can
    compute which other articles may be in the test.
    """
    uploaded = f"{corpus_file.pk} {corpus_file.uploaded.isoformat()}"
    return int.from_bytes(salted_hmac(SEED_SALT, uploaded, algorithm="sha256").digest()) & LARGEST_SEED


def _list_values_of_tasks(plan: SetUpPlan, number_of_tasks: int) -> dict[str, Any]:
    """The values of the fields of the tasks with which somebody confirmed the plan."""
    values: dict[str, Any] = {f"task{place}": False for place in range(number_of_tasks)}
    for task in plan.tasks:
        field = f"task{task.place}"
        values |= {field: True, f"{field}_name": task.name, f"{field}_title": task.title}
    return values


def _make_task_fields(place: int, proposal: TaskProposal) -> dict[str, forms.Field]:
    return {
        f"task{place}": forms.BooleanField(label=proposal.found, required=False, initial=True),
        f"task{place}_name": forms.CharField(
            label="Name",
            max_length=LONGEST_NAME,
            required=False,
            validators=[validate_task_name],
            initial=proposal.name,
        ),
        f"task{place}_title": OneLineField(
            label="Title", max_length=LONGEST_TITLE, required=False, initial=proposal.title
        ),
    }

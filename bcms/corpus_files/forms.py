"""The forms to upload a corpus file, and to confirm what is set up from it."""

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from django import forms
from django.forms import BoundField
from django.http import QueryDict
from django.utils.text import slugify

from annotations.articles.models import Corpus
from bcms.article_uploads.article_import import MEBIBYTES
from bcms.corpus_files.models import CorpusFile
from bcms.corpus_files.proposals import LONGEST_NAME, LONGEST_TITLE, TaskProposal
from bcms.corpus_files.setting_up import (
    PHASE_TYPES,
    TASK_DIFFERS,
    ChosenTask,
    SetUpPlan,
    find_task_by_name,
    has_gold_standards_like,
    parse_set_up_plan,
)
from bcms.lib.forms.text_fields import OneLineField
from evaluation.challenges.forms import CLOSING_HELP, OPENING_HELP, UtcDateTimeField
from evaluation.challenges.models import Challenge
from evaluation.challenges.setup.forms import check_end_of_phase, validate_task_name

LONGEST_CORPUS_NAME, LONGEST_SLUG = 200, 50


class CorpusFileForm(forms.Form):
    file = forms.FileField(
        label="Corpus file",
        max_length=250,
        help_text="Articles with annotations: PubTator, BioC, PubAnnotation, brat standoff (zip), UIMA XMI or Web "
        "Annotation, optionally gzipped; the format is detected. Articles alone can also be PubMed XML, JATS, HTML, "
        f"PDF, DOCX or plain text. At most {MEBIBYTES} MiB.",
    )


class SetUpForm(forms.Form):
    """What is set up from a file. Each task of the proposal has three fields: whether, its name, and its title."""

    sort = forms.ChoiceField(label="Phase")
    opens = UtcDateTimeField(OPENING_HELP)
    closes = UtcDateTimeField(CLOSING_HELP)
    corpus_name = OneLineField(label="Name of the corpus", max_length=LONGEST_CORPUS_NAME)
    corpus_slug = forms.SlugField(
        label="Name in URLs", max_length=LONGEST_SLUG, help_text="Letters, digits and dashes, such as nlm-gene-train."
    )
    # Another file may have been uploaded while the page was open.
    uploaded = forms.CharField(widget=forms.HiddenInput)

    def __init__(self, corpus_file: CorpusFile, data: QueryDict | dict[str, Any] | None = None) -> None:
        challenge, stem = corpus_file.challenge, PurePath(corpus_file.name).name.partition(".")[0] or "corpus"
        initial = {
            "corpus_name": f"{challenge.name}, {stem}"[:LONGEST_CORPUS_NAME],
            "corpus_slug": slugify(f"{challenge.slug}-{stem}")[:LONGEST_SLUG].strip("-"),
            "uploaded": corpus_file.uploaded.isoformat(),
        }
        super().__init__(data, initial=initial, label_suffix="")
        self.corpus_file = corpus_file
        self.proposed = list(corpus_file.get_proposal().tasks)
        free_types = list_free_phase_types(corpus_file.challenge)
        self.is_phase_free = bool(free_types)
        self.fields["sort"] = forms.ChoiceField(label="Phase", choices=free_types)
        for place, proposal in enumerate(self.proposed):
            self.fields |= _make_task_fields(place, proposal)
        if corpus_file.refused_plan:
            plan = parse_set_up_plan(corpus_file.refused_plan)
            self.initial.update(_list_values_of_plan(plan, len(self.proposed)))

    def iter_tasks(self) -> Iterator[tuple[TaskProposal, BoundField, BoundField, BoundField]]:
        """Each proposed task with its three fields."""
        for place, proposal in enumerate(self.proposed):
            yield proposal, self[f"task{place}"], self[f"task{place}_name"], self[f"task{place}_title"]

    def clean_corpus_slug(self) -> str:
        slug = str(self.cleaned_data["corpus_slug"])
        if Corpus.objects.filter(slug=slug).exists():
            raise forms.ValidationError(f"The corpus name {slug} is taken. Choose another name for URLs.")
        return slug

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        check_end_of_phase(self, cleaned)
        self._check_task_names(cleaned)
        return cleaned

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
        return SetUpPlan(data["corpus_name"], data["corpus_slug"], data["sort"], data["opens"], data["closes"], tasks)


def _list_values_of_plan(plan: SetUpPlan, number_of_tasks: int) -> dict[str, Any]:
    """The values of the fields with which somebody confirmed the plan."""
    values = {name: getattr(plan, name) for name in ("sort", "opens", "closes", "corpus_name", "corpus_slug")}
    values |= {f"task{place}": False for place in range(number_of_tasks)}
    for task in plan.tasks:
        field = f"task{task.place}"
        values |= {field: True, f"{field}_name": task.name, f"{field}_title": task.title}
    return values


def list_free_phase_types(challenge: Challenge) -> list[tuple[str, str]]:
    """The (value, label) of the types of phase that can be set up from a file and that the challenge does not have."""
    taken = set(challenge.phases.values_list("sort", flat=True))
    return [(sort.value, str(sort.label)) for sort in PHASE_TYPES if sort.value not in taken]


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

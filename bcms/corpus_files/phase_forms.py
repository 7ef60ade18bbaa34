"""The parts of the form of a corpus file that make a phase and its corpus."""

from pathlib import PurePath
from typing import Any

from django import forms
from django.conf import settings
from django.http import QueryDict
from django.utils.text import slugify

from annotations.articles.models import Corpus
from bcms.corpus_files.models import CorpusFile
from bcms.corpus_files.plans import PhasePlan
from bcms.lib.forms.text_fields import OneLineField
from evaluation.challenges.forms import CLOSING_HELP, OPENING_HELP, UtcDateTimeField
from evaluation.challenges.models import Challenge, Phase
from evaluation.challenges.setup.forms import check_end_of_phase

LONGEST_CORPUS_NAME, LONGEST_SLUG = 200, 50
OPEN_TYPES = (Phase.Type.TRAINING, Phase.Type.DEVELOPMENT)
# Percentages for so many phases.
FIRST_SHARES = {2: (80, 20), 3: (60, 20, 20)}


class PhasePlanForm(forms.Form):
    """The phase that gets the articles of a file, or some of them."""

    opens = UtcDateTimeField(OPENING_HELP)
    closes = UtcDateTimeField(CLOSING_HELP)
    corpus_name = OneLineField(label="Name of the corpus", max_length=LONGEST_CORPUS_NAME)
    corpus_slug = forms.SlugField(
        label="Name in URLs", max_length=LONGEST_SLUG, help_text="Letters, digits and dashes, such as nlm-gene-train."
    )

    def __init__(
        self,
        corpus_file: CorpusFile,
        types: list[Phase.Type],
        data: QueryDict | None,
        *,
        share: int | None = None,
    ) -> None:
        """types: those that the phase may have; share: of the file that the phase first gets, None for all of it."""
        part = "" if share is None else f" {types[0].label.lower()}"
        challenge, stem = corpus_file.challenge, PurePath(corpus_file.name).name.partition(".")[0] or "corpus"
        end = slugify(part)
        initial = {
            "corpus_name": f"{challenge.name}, {stem}"[: LONGEST_CORPUS_NAME - len(part)] + part,
            "corpus_slug": slugify(f"{slugify(f'{challenge.slug}-{stem}')[: LONGEST_SLUG - len(end) - 1]}-{end}"),
        }
        prefix = None if share is None else types[0].value
        super().__init__(data, prefix=prefix, initial=initial, label_suffix="")
        self.types = types
        self.needs_opening = share is not None and types[0] == Phase.Type.TEST
        if self.needs_opening:
            self.fields["opens"].help_text = "In UTC. Teams load the articles from then on."
        if share is not None:
            self.fields["share"] = forms.IntegerField(
                label="Articles in %", min_value=0, max_value=99, initial=share, help_text="0 for no such phase."
            )
        elif len(types) > 1:
            self.fields["sort"] = forms.ChoiceField(label="Phase", choices=[(each.value, each.label) for each in types])

    @property
    def title(self) -> str:
        return f"{self.types[0].label} phase" if len(self.types) == 1 else "Training or development phase"

    def clean_corpus_slug(self) -> str:
        slug = str(self.cleaned_data["corpus_slug"])
        if Corpus.objects.filter(slug=slug).exists():
            raise forms.ValidationError(f"The corpus name {slug} is taken. Choose another name for URLs.")
        return slug

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        check_end_of_phase(self, cleaned)
        if self.needs_opening and cleaned.get("share") and "opens" in cleaned and not cleaned["opens"]:
            self.add_error("opens", "Enter when the test begins.")
        return cleaned

    def build_plan(self) -> PhasePlan:
        """What a valid form confirms."""
        data = self.cleaned_data
        return PhasePlan(
            data.get("sort", self.types[0].value),
            data["corpus_name"],
            data["corpus_slug"],
            data["opens"],
            data["closes"],
            data.get("share", 100),
        )

    def fill_from_plan(self, plan: PhasePlan) -> None:
        """Show what somebody confirmed before."""
        names = ("sort", "opens", "closes", "corpus_name", "corpus_slug", "share")
        self.initial.update({name: getattr(plan, name) for name in names})


def make_phase_forms(corpus_file: CorpusFile, data: QueryDict | None) -> list[PhasePlanForm]:
    """One for each phase that the file can be split into, otherwise a single one; none if no phase is left."""
    types = list_free_phase_types(corpus_file.challenge)
    if corpus_file.purpose != CorpusFile.Purpose.SPLIT:
        fitting = [each for each in types if (each == Phase.Type.TEST) == corpus_file.is_sealed]
        return [PhasePlanForm(corpus_file, fitting, data)] if fitting else []
    if len(types) < 2:
        return []
    return [
        PhasePlanForm(corpus_file, [each], data, share=share)
        for each, share in zip(types, FIRST_SHARES[len(types)], strict=True)
    ]


def list_free_phase_types(challenge: Challenge) -> list[Phase.Type]:
    """The types of phase that the challenge does not have yet."""
    taken = set(challenge.phases.values_list("sort", flat=True))
    return [each for each in Phase.Type if each.value not in taken]


def list_purposes(challenge: Challenge) -> list[CorpusFile.Purpose]:
    """What a file can be uploaded for. Only a site with a key to seal gold standards takes those of tests."""
    free = list_free_phase_types(challenge)
    purposes = {
        CorpusFile.Purpose.OPEN: any(each in free for each in OPEN_TYPES),
        CorpusFile.Purpose.TEST: Phase.Type.TEST in free and settings.GOLD_PUBLIC_KEY,
        CorpusFile.Purpose.SPLIT: len(free) > 1 and settings.GOLD_PUBLIC_KEY,
    }
    return [purpose for purpose, possible in purposes.items() if possible]

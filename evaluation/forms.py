"""Set up a challenge: its name, tasks, phases and gold standards; and enter a server."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.core.validators import RegexValidator
from django.db.models import Q, QuerySet
from django.utils import timezone

from annotations.kinds import LABELS, TASK_NAMES, Kind
from annotations.models import Corpus
from annotations.pmids import listed, read_names
from annotations.querysets import articles_called
from evaluation import challenges
from evaluation.measures import registry
from evaluation.measures.registry import BY_NAME, PRIMARY
from evaluation.mentions.alternatives import AlternativesFile
from evaluation.models import Challenge, Phase, Task
from servers.models import Server

# Words that are pages of their own below /challenges/.
RESERVED_SLUGS = {"new"}
MOST_BYTES = 20 * 1024 * 1024
KINDS = [(kind.value, f"{LABELS[kind]} ({', '.join(TASK_NAMES[kind])})") for kind in PRIMARY]
# What can order a board or stand beside it; each group says of which kinds it is.
OFFERED = [measure for measure in registry.MEASURES if measure.scored and not measure.counted]
MEASURES = [
    (
        ", ".join(LABELS[kind] for kind in PRIMARY if kind in kinds),
        [(measure.name, measure.label) for measure in OFFERED if measure.kinds == kinds],
    )
    for kinds in dict.fromkeys(measure.kinds for measure in OFFERED)
]

task_name = RegexValidator(
    r"^[A-Za-z0-9][A-Za-z0-9-]*$", "Use letters, digits and dashes only in a task's name, as in ACT or GN-2."
)


class ChallengeForm(forms.ModelForm):
    class Meta:
        model = Challenge
        fields = ["name", "slug", "description"]
        labels = {"slug": "Name in addresses"}
        help_texts = {
            "slug": "Letters, digits and dashes; the challenge's page is at /challenges/ and this name.",
            "description": "What is asked, of whom, and until when, for the people who read the challenge's page.",
        }

    def clean_slug(self) -> str:
        slug = str(self.cleaned_data["slug"])
        if slug in RESERVED_SLUGS:
            raise forms.ValidationError(f"The site uses “{slug}” itself; choose another name.")
        return slug


class TaskForm(forms.ModelForm):
    name = forms.CharField(
        max_length=20,
        validators=[task_name],
        help_text="Short, as in ACT, TX, GN: it stands in addresses and signatures.",
    )
    kind = forms.ChoiceField(choices=KINDS, label="Kind of annotation")
    primary = forms.ChoiceField(
        choices=[("", "the usual one of the kind"), *MEASURES],
        required=False,
        label="Ordered by",
        help_text="The measure that orders the leaderboard.",
    )

    further = forms.MultipleChoiceField(
        choices=MEASURES,
        required=False,
        widget=forms.SelectMultiple(attrs={"size": 8}),
        label="Shown beside it",
        help_text="The measures of the leaderboard besides, of the same kind; none chosen: all of the kind.",
    )

    class Meta:
        model = Task
        fields = ["name", "title", "kind", "primary", "further", "note"]
        help_texts = {"note": "What its gold standard is, in words; stands above the leaderboard."}

    def __init__(self, challenge: Challenge, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.challenge = challenge

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        if self.challenge.tasks.filter(name__iexact=name).exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError(f"The challenge has a task {name} already; choose another name.")
        return name

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        kind, primary = cleaned.get("kind"), cleaned.get("primary")
        if kind and primary and kind not in BY_NAME[primary].kinds:
            self.add_error(
                "primary", f"{BY_NAME[primary].label} is no measure for that kind; choose from a group that names it."
            )
        for name in cleaned.get("further", []):
            if kind and kind not in BY_NAME[name].kinds:
                fault = f"{BY_NAME[name].label} is no measure for that kind; choose from groups that name it."
                self.add_error("further", fault)
        return cleaned


class CorpusForm(forms.ModelForm):
    articles = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 6, "placeholder": "16054130 10.1016/j.febslet.2008.02.055 PMC2346421"}),
        help_text="PMIDs, DOIs, PMCIDs or opaque ids, separated by spaces, commas or lines, in the order in which the "
        "articles are to be asked about.",
    )

    class Meta:
        model = Corpus
        fields = ["name", "slug", "description", "blind"]
        labels = {"slug": "Name in addresses", "blind": "Blind"}
        help_texts = {
            "blind": "For a test: nobody but the organizers sees its articles until the phase is published, "
            "and servers are told an opaque id in place of the PMID.",
        }

    def __init__(self, challenge: Challenge, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.challenge = challenge

    def clean_articles(self) -> list[int]:
        try:
            names = read_names(self.cleaned_data["articles"])
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error
        known = articles_called(names, challenges.articles_for(self.challenge))
        if unknown := [name for name in names if name not in known]:
            raise forms.ValidationError(
                f"Not here, or kept for the test of another challenge: {listed(unknown)}. Take them out, or send them "
                "in first."
            )
        return list(dict.fromkeys(known[name] for name in names))


class PhaseForm(forms.ModelForm):
    opens = forms.DateTimeField(
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        help_text="In UTC. Empty: at once.",
    )
    closes = forms.DateTimeField(
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        help_text="In UTC; nobody can enter or load articles after that. Empty: it stays open.",
    )

    class Meta:
        model = Phase
        fields = ["sort", "corpus", "opens", "closes"]
        labels = {"sort": "Phase", "corpus": "Articles"}

    def __init__(self, challenge: Challenge, by: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        taken = set(challenge.phases.values_list("sort", flat=True))
        self.fields["sort"] = forms.ChoiceField(
            label="Phase", choices=[choice for choice in Phase.Sort.choices if choice[0] not in taken]
        )
        self.fields["corpus"] = forms.ModelChoiceField(
            challenges.corpora_for(challenge, by), label="Articles", help_text="A corpus that is there already."
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        opens, closes, now = cleaned.get("opens"), cleaned.get("closes"), timezone.now()
        if closes and closes <= max(opens or now, now):
            self.add_error("closes", "The phase ends before it opens, or its end is over already; give a later end.")
        return cleaned


class GoldForm(forms.Form):
    task = forms.ModelChoiceField(Task.objects.none(), empty_label=None)
    phase = forms.ModelChoiceField(Phase.objects.none(), empty_label=None)
    file = forms.FileField(
        label="Gold standard",
        help_text="Tab-separated values, BioCreative II XML, TREC judgements, PubTator, BioC or PubAnnotation; the "
        "format is known by how the file begins. Tab-separated: one annotation a line, the article's id (PMID, DOI or "
        "opaque id), then the class (0/1, true/false, t/f, y/n, +/-) or the identifier, or both of a pair. Mentions of "
        "genes stand in PubTator, BioC or PubAnnotation, or as in GENE.eval of BioCreative II. It replaces an earlier "
        "one of the task and phase.",
    )
    alternatives = forms.FileField(
        label="Accepted alternatives",
        required=False,
        help_text="Only of mentions: what is right in the place of a gene that it overlaps, as in ALTGENE.eval of "
        "BioCreative II; in the same formats.",
    )
    source = forms.CharField(
        max_length=300, required=False, help_text="Where it comes from, in words; empty: the file's name."
    )

    def __init__(self, challenge: Challenge, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Passages are judged on the site (evaluation/pooling).
        tasks = challenge.tasks.exclude(kind=Kind.PASSAGE).order_by("pk")
        self.fields["task"] = forms.ModelChoiceField(tasks, empty_label=None)
        self.fields["phase"] = PhaseChoice(challenge.phases.order_by("pk"), empty_label=None)

    def clean_file(self) -> Any:
        return small(self.cleaned_data["file"])

    def clean_alternatives(self) -> Any:
        return small(self.cleaned_data["alternatives"])

    def alternatives_file(self) -> AlternativesFile | None:
        """What was sent besides the gold standard, once the form is valid."""
        file = self.cleaned_data["alternatives"]
        return AlternativesFile(file.read(), file.name) if file else None


def small(file: Any) -> Any:
    if file and file.size > MOST_BYTES:
        raise forms.ValidationError("The file is larger than 20 MB; a gold standard is smaller, check what it is.")
    return file


class PersonField(forms.CharField):
    """Becomes the user who has that name or address."""

    def __init__(self) -> None:
        super().__init__(max_length=254, label="User name or e-mail address")

    def clean(self, value: Any) -> Any:
        said = super().clean(value)
        found = list(User.objects.filter(Q(username__iexact=said) | Q(email__iexact=said), is_active=True)[:2])
        if len(found) != 1:
            raise forms.ValidationError(
                f"Nobody here has the user name or address {said}; ask them to sign up, or look at how it is written."
            )
        return found[0]


class PhaseChoice(forms.ModelChoiceField):
    def label_from_instance(self, obj: Any) -> str:
        return str(obj.sort)


class ServerChoiceForm(forms.Form):
    server = forms.ModelChoiceField(Server.objects.none(), to_field_name="slug", empty_label=None)

    def __init__(self, servers: QuerySet[Server], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["server"] = forms.ModelChoiceField(servers, to_field_name="slug", empty_label=None)

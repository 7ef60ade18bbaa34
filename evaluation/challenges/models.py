"""Challenges, their tasks, phases, teams and organizers."""

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from annotations.articles.models import Article, Corpus
from annotations.identifiers.models import EMPTY_ARRAY
from annotations.results.models import RESULT_KIND_CHOICES
from annotations.schema import Kind
from evaluation.challenges.caps import format_caps
from evaluation.challenges.validators import check_caps
from evaluation.measures.open_tasks import ComparedForm, choose_compared_form
from evaluation.measures.task_settings import TaskSettings, list_settings_for_readers, read_task_settings
from servers.review.states import ReviewState
from servers.teams.models import Team

CHALLENGE_REVIEW_CHOICES = [
    (state.value, state.value) for state in (ReviewState.UNREVIEWED, ReviewState.ACCEPTED, ReviewState.DECLINED)
]


class Entrance(models.TextChoices):
    """Which teams can take part in a challenge."""

    OPEN = "open", "every team"
    INVITED = "invited", "only teams that the organizers invite"


class ChallengeState(models.TextChoices):
    """How far a challenge has come; evaluation/challenges/states/transitions.py has the changes that are possible."""

    DRAFT = "draft", "draft: only organizers see it"
    LISTED = "listed", "listed: everybody sees it, and teams can take part"
    CLOSED = "closed", "closed: everybody sees it, and nobody can enter or upload"
    ARCHIVED = "archived", "archived: closed, and listed apart"


class Challenge(models.Model):
    state = models.CharField(
        max_length=8, choices=ChallengeState.choices, default=ChallengeState.DRAFT, db_default="draft"
    )
    name = models.CharField(max_length=200)
    slug = models.SlugField(unique=True)
    description = models.TextField(blank=True)
    organizers: "models.ManyToManyField[Any, Any]" = models.ManyToManyField("auth.User", related_name="challenges")
    entrance = models.CharField(max_length=7, choices=Entrance.choices, default=Entrance.OPEN, db_default="open")
    terms = models.TextField(blank=True, db_default="", help_text="terms that a team accepts before it takes part")
    # For readers of its page: who is behind it, whom to ask, how to cite it and use its data.
    organizer_names = models.CharField(max_length=500, blank=True, db_default="")
    contact = models.CharField(max_length=254, blank=True, db_default="", help_text="an e-mail address or a URL")
    doi = models.CharField(max_length=200, blank=True, db_default="", help_text="DOI of the paper or data set to cite")
    citation = models.TextField(blank=True, db_default="", max_length=2000, help_text="how to cite the challenge")
    data_licence = models.CharField(max_length=200, blank=True, db_default="")
    approve_teams = models.BooleanField(default=False, db_default=False)
    # How strictly uploaded runs are checked: one of annotations.formats.tsv.result_reader.RUN_RULES.
    file_rules = models.CharField(
        max_length=7,
        default="library",
        db_default="library",
        choices=[
            ("library", "ranks and confidences are optional (evaluation library)"),
            ("bc25", "rank and confidence are required, ranks have no gaps (BioCreative II.5)"),
            ("bc3", "every result needs a confidence (BioCreative III)"),
        ],
    )

    # Whether articles show by default what it has published of uploads, baselines and gold standards; servers are
    # reviewed themselves (evaluation/challenges/review/decisions.py).
    review = models.CharField(
        max_length=10,
        choices=CHALLENGE_REVIEW_CHOICES,
        default=ReviewState.UNREVIEWED,
        db_default=ReviewState.UNREVIEWED.value,
    )

    def __str__(self) -> str:
        return self.name

    @property
    def contact_link(self) -> str:
        """The address of the contact as a link has it; empty for what is none, as an archive may have anything."""
        if self.contact.startswith(("https://", "http://")):
            return self.contact
        return f"mailto:{self.contact}" if "@" in self.contact and ":" not in self.contact else ""


class CorpusOwner(models.Model):
    """The challenge that a corpus was added to.

    No other challenge can use a blind corpus, and only the organizers of its owner see its articles.
    """

    corpus = models.OneToOneField(Corpus, on_delete=models.CASCADE, primary_key=True, related_name="owner")
    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="own_corpora")

    def __str__(self) -> str:
        return f"{self.corpus} of {self.challenge}"


class Entrant(models.Model):
    """A team in a challenge: who accepted the terms for the team, and which organizer approved it."""

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="entrants")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="entrants")
    accepted = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(
        "auth.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="accepted_entrants"
    )
    # The text that was accepted: after a change of the terms, the team has to accept them again.
    accepted_terms = models.TextField(blank=True, db_default="")
    # Whether the team agreed to be named among the participants before its runs are published.
    listed = models.BooleanField(default=False, db_default=False)
    approved = models.DateTimeField(null=True, blank=True)
    # Its managers get one mail about an approval, however often it is withdrawn and given again.
    approval_mailed = models.BooleanField(default=False, db_default=False)
    approved_by = models.ForeignKey(
        "auth.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="approved_entrants"
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["challenge", "team"], name="entrant_once")]

    def __str__(self) -> str:
        return f"{self.team} in {self.challenge}"

    def has_accepted_terms(self, terms: str) -> bool:
        """Whether a member of the team accepted exactly these terms."""
        return self.accepted is not None and self.accepted_terms == terms


class Task(models.Model):
    """A task of a challenge: one kind of annotation under the name that the challenge gives it (ACT, GN, ...).

    settings: which types and namespaces count and how they match, as evaluation/measures/task_settings.py reads them;
    None for tasks of the seven kinds as BioCreative has defined them.
    """

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="tasks")
    name = models.CharField(max_length=20)
    title = models.CharField(max_length=200)
    note = models.TextField(blank=True, help_text="description of the gold standard, shown on the leaderboard")
    kind = models.CharField(max_length=14, choices=RESULT_KIND_CHOICES)
    settings = models.JSONField(null=True, blank=True)
    primary = models.CharField(max_length=32, help_text="measure that orders the leaderboard")
    further: "models.Field[list[str], list[str]]" = ArrayField(
        models.CharField(max_length=32),
        default=list,
        db_default=EMPTY_ARRAY,
        blank=True,
        help_text="further measures on the leaderboard, in order; empty: all measures of the kind",
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["challenge", "name"], name="task_once")]

    def __str__(self) -> str:
        return self.name

    def get_settings(self) -> TaskSettings | None:
        """The settings, None for tasks without any."""
        return None if self.settings is None else read_task_settings(self.settings)

    @property
    def settings_for_readers(self) -> list[tuple[str, str]]:
        """(name, value) of its settings, for pages."""
        settings = self.get_settings()
        return [] if settings is None else list_settings_for_readers(settings)

    @property
    def has_gene_mentions(self) -> bool:
        """Whether mentions of genes are scored as in BioCreative II, with accepted alternatives."""
        return self.kind == Kind.MENTION and self.settings is None

    @property
    def compared_form(self) -> ComparedForm | None:
        """What a task with settings compares, None for others."""
        settings = self.get_settings()
        return None if settings is None else choose_compared_form(Kind(self.kind), settings)


class CountedRuns(models.TextChoices):
    """Which runs of a team count on leaderboards."""

    ALL = "all", "all runs"
    BEST = "best", "the best run of each team"
    LAST = "last", "the last run of each team"
    FINAL = "final", "runs that their teams tagged as final"


class Phase(models.Model):
    """The training, development or test phase of a challenge: its corpus, dates and rules."""

    class Type(models.TextChoices):
        TRAINING = "training"
        DEVELOPMENT = "development"
        TEST = "test"

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="phases")
    sort = models.CharField(max_length=11, choices=Type.choices)
    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT)
    opens = models.DateTimeField(db_default=Now())
    closes = models.DateTimeField(null=True, blank=True)
    # From then on everybody sees the leaderboards. Before, organizers do, and before the test each team its own runs.
    published = models.DateTimeField(null=True, blank=True)
    # Publication was requested. Only the scoring worker can open sealed gold standards, so it publishes the phase.
    publish_asked = models.DateTimeField(null=True, blank=True)
    publish_fault = models.CharField(
        max_length=500, blank=True, db_default="", help_text="why the phase could not be published"
    )
    # From then on leaderboards show the names of teams (null: always), before that Team 1, Team 2, ...
    names_shown = models.DateTimeField(null=True, blank=True)
    # The largest numbers of runs per team and task.
    online_runs = models.PositiveSmallIntegerField(default=5, db_default=5)
    offline_runs = models.PositiveSmallIntegerField(default=5, db_default=5)
    # The largest number of runs per team and task that can be uploaded on one day (UTC); None: only the total counts.
    daily_runs = models.PositiveSmallIntegerField(null=True, blank=True)
    # Cannot change once a part of the phase is published.
    counted_runs = models.CharField(
        max_length=5, choices=CountedRuns.choices, default=CountedRuns.ALL, db_default="all"
    )
    # The ranks of teams are averaged over them; cannot change once a part of the phase is published.
    mean_rank_tasks: "models.ManyToManyField[Any, Any]" = models.ManyToManyField("Task", blank=True, related_name="+")
    upload_caps = models.JSONField(
        default=dict,
        blank=True,
        validators=[check_caps],
        help_text="{kind: largest number of results for an article in an uploaded run}",
    )
    minutes = models.PositiveSmallIntegerField(
        default=10, db_default=10, help_text="time limit per article, including retries"
    )
    tries = models.PositiveSmallIntegerField(default=5, db_default=5, help_text="attempts per article")
    may_withdraw = models.BooleanField(default=False, db_default=False)
    # Teams that upload runs get the articles after they tagged their runs of the training phase as final.
    final_first = models.BooleanField(default=False, db_default=False)
    # From the end of the phase until its publication, the LIVE queues of its servers are held.
    closes_live = models.BooleanField(default=False, db_default=False)
    # While a phase is frozen, no server is called and nobody can enter, upload or withdraw.
    frozen = models.DateTimeField(null=True, blank=True)
    # What was already done when a date was reached (evaluation/challenges/phases/lifecycle.py).
    begun = models.DateTimeField(null=True, blank=True)
    ended = models.DateTimeField(null=True, blank=True)
    reminded = models.DateTimeField(null=True, blank=True)
    # Increased when every run has to be scored again: an article was excluded, or an organizer requests it.
    revision = models.PositiveIntegerField(default=0, db_default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["challenge", "sort"], name="phase_once")]

    def __str__(self) -> str:
        return f"{self.challenge} {self.sort}"

    @property
    def caps_text(self) -> str:
        return format_caps(self.upload_caps)


class PhaseEvent(models.Model):
    """A change of a phase, with its author and reason; shown on the page of the challenge."""

    class Type(models.TextChoices):
        BEGUN = "begun"
        ENDED = "ended"
        FROZEN = "frozen"
        THAWED = "thawed", "unfrozen"
        MOVED = "moved", "end moved"
        EXCLUDED = "excluded", "article excluded"
        INCLUDED = "included", "article included again"
        RESCORED = "rescored", "scored again"
        RESENT = "resent", "sent again"
        PUBLISHED = "published"

    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="events")
    at = models.DateTimeField(db_default=Now())
    what = models.CharField(max_length=9, choices=Type.choices)
    words = models.CharField(max_length=200, blank=True, help_text="details of the change, such as the new date")
    reason = models.CharField(max_length=500, blank=True)
    by = models.ForeignKey("auth.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    # Whether a worker still has to mail it (evaluation/challenges/announcements/phase_news.py).
    to_mail = models.BooleanField(default=False, db_default=False)
    mailed = models.DateTimeField(null=True, blank=True)


class ExcludedArticle(models.Model):
    """An article of the corpus that is not scored in this phase."""

    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="excluded")
    article = models.ForeignKey(Article, on_delete=models.PROTECT, related_name="+")
    reason = models.CharField(max_length=500)
    at = models.DateTimeField(db_default=Now())
    by = models.ForeignKey("auth.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["phase", "article"], name="excluded_once")]

"""Challenges, what counts as right in them, who takes part, and how good they are."""

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from annotations.models import EMPTY_ARRAY, KIND_CHOICES, Article, Corpus, Producer
from evaluation.archives.models import ArchivePiece as ArchivePiece
from evaluation.archives.models import ChallengeArchive as ChallengeArchive
from evaluation.archives.models import Restored as Restored
from evaluation.by_hand.models import ByHand as ByHand
from evaluation.calibrations.models import Calibration as Calibration
from evaluation.caps import check_caps, in_words
from evaluation.labelling.models import Label as Label
from evaluation.labelling.models import Labeller as Labeller
from evaluation.labelling.models import Labelling as Labelling
from evaluation.labelling.models import Ruling as Ruling
from evaluation.mentions.models import Alternatives as Alternatives
from evaluation.pooling.models import Judgement as Judgement
from evaluation.pooling.models import Pool as Pool
from evaluation.pooling.models import PooledPassage as PooledPassage
from evaluation.pooling.models import PoolJudge as PoolJudge
from evaluation.uploads.models import Upload as Upload
from evaluation.uploads.models import UploadedFile as UploadedFile
from servers.models import Team


class Entrance(models.TextChoices):
    """Which teams may take part in a challenge."""

    OPEN = "open", "every team"
    INVITED = "invited", "the teams that the organizers name"


class Challenge(models.Model):
    name = models.CharField(max_length=200)
    slug = models.SlugField(unique=True)
    description = models.TextField(blank=True)
    organizers: "models.ManyToManyField[Any, Any]" = models.ManyToManyField("auth.User", related_name="challenges")
    entrance = models.CharField(max_length=7, choices=Entrance.choices, default=Entrance.OPEN, db_default="open")
    terms = models.TextField(blank=True, db_default="", help_text="what a team accepts before it takes part")
    approve_teams = models.BooleanField(default=False, db_default=False)
    # How strictly uploaded runs are checked: one of annotations.formats.runs_tsv.RULES.
    file_rules = models.CharField(
        max_length=7,
        default="library",
        db_default="library",
        choices=[
            ("library", "ranks and confidences as a team likes (the evaluation library)"),
            ("bc25", "rank and confidence both, ranks without a gap (BioCreative II.5)"),
            ("bc3", "a confidence for every result (BioCreative III)"),
        ],
    )

    def __str__(self) -> str:
        return self.name


class OrganizerEvent(models.Model):
    """An organizer was named or released, and by whom; shown on the organizers' page."""

    class What(models.TextChoices):
        NAMED = "named"
        RELEASED = "released"

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="organizer_events")
    at = models.DateTimeField(db_default=Now())
    what = models.CharField(max_length=8, choices=What.choices)
    organizer = models.ForeignKey("auth.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    by = models.ForeignKey("auth.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")


class CorpusOwner(models.Model):
    """The challenge that a corpus was added to. A blind one no other may take, and its organizers alone see its
    articles."""

    corpus = models.OneToOneField(Corpus, on_delete=models.CASCADE, primary_key=True, related_name="owner")
    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="own_corpora")

    def __str__(self) -> str:
        return f"{self.corpus} of {self.challenge}"


class Entrant(models.Model):
    """A team in a challenge: who accepted the terms for it, and which organizer approved it."""

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="entrants")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="entrants")
    accepted = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(
        "auth.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="accepted_entrants"
    )
    # What was accepted, word for word: when the terms are other ones now, they are to be accepted again.
    accepted_terms = models.TextField(blank=True, db_default="")
    approved = models.DateTimeField(null=True, blank=True)
    approved_by = models.ForeignKey(
        "auth.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="approved_entrants"
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["challenge", "team"], name="entrant_once")]

    def __str__(self) -> str:
        return f"{self.team} in {self.challenge}"

    def accepts(self, terms: str) -> bool:
        """Whether these very terms were accepted for the team."""
        return self.accepted is not None and self.accepted_terms == terms


class Task(models.Model):
    """What is asked for in a challenge: one kind of annotation under its challenge name (ACT, TX, ...)."""

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="tasks")
    name = models.CharField(max_length=20)
    title = models.CharField(max_length=200)
    note = models.TextField(blank=True, help_text="what its gold standard is, in words for the leaderboard")
    kind = models.CharField(max_length=14, choices=KIND_CHOICES)
    primary = models.CharField(max_length=32, help_text="name of the measure that orders the leaderboard")
    further: "models.Field[list[str], list[str]]" = ArrayField(
        models.CharField(max_length=32),
        default=list,
        db_default=EMPTY_ARRAY,
        blank=True,
        help_text="names of the measures shown beside it, in order; empty: all of the kind",
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["challenge", "name"], name="task_once")]

    def __str__(self) -> str:
        return self.name


class Phase(models.Model):
    class Sort(models.TextChoices):
        TRAINING = "training"
        DEVELOPMENT = "development"
        TEST = "test"

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="phases")
    sort = models.CharField(max_length=11, choices=Sort.choices)
    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT)
    opens = models.DateTimeField(db_default=Now())
    closes = models.DateTimeField(null=True, blank=True)
    # The leaderboard is seen by all from then on; before, by the organizers, and of training by each team its own.
    published = models.DateTimeField(null=True, blank=True)
    # Publication was asked for: the scoring worker, which alone can open sealed gold standards, does it.
    publish_asked = models.DateTimeField(null=True, blank=True)
    publish_fault = models.CharField(max_length=500, blank=True, db_default="", help_text="why it could not")
    # Teams stand on the boards under their names from then on (null: at once), before as Team 1, 2, ...
    names_shown = models.DateTimeField(null=True, blank=True)
    # The rules. Runs per team and task.
    online_runs = models.PositiveSmallIntegerField(default=5, db_default=5)
    offline_runs = models.PositiveSmallIntegerField(default=5, db_default=5)
    upload_caps = models.JSONField(
        default=dict,
        blank=True,
        validators=[check_caps],
        help_text="{kind: the most results of an article in an uploaded run}",
    )
    minutes = models.PositiveSmallIntegerField(default=10, db_default=10, help_text="per article, all waiting included")
    tries = models.PositiveSmallIntegerField(default=5, db_default=5, help_text="of an article that fails")
    may_withdraw = models.BooleanField(default=False, db_default=False)
    # Teams that upload get the articles only when their runs of the training phase are tagged as final.
    final_first = models.BooleanField(default=False, db_default=False)
    # From its end until it is published the LIVE queues of its servers are held.
    closes_live = models.BooleanField(default=False, db_default=False)
    # While it is frozen nothing goes in: no server is asked, nobody enters, uploads or withdraws.
    frozen = models.DateTimeField(null=True, blank=True)
    # What the dates have done already (evaluation/phases.py).
    begun = models.DateTimeField(null=True, blank=True)
    ended = models.DateTimeField(null=True, blank=True)
    reminded = models.DateTimeField(null=True, blank=True)
    # Goes up when every run is to be scored again: an article was excluded, or an organizer asks for it.
    revision = models.PositiveIntegerField(default=0, db_default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["challenge", "sort"], name="phase_once")]

    def __str__(self) -> str:
        return f"{self.challenge} {self.sort}"

    @property
    def told_caps(self) -> str:
        return in_words(self.upload_caps)


class PhaseEvent(models.Model):
    """What was done to a phase, by whom and why; shown on the challenge's page."""

    class What(models.TextChoices):
        BEGUN = "begun"
        ENDED = "ended"
        FROZEN = "frozen"
        THAWED = "thawed", "unfrozen"
        MOVED = "moved", "end moved"
        EXCLUDED = "excluded", "article excluded"
        INCLUDED = "included", "article included again"
        RESCORED = "rescored", "scored again"
        PUBLISHED = "published"

    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="events")
    at = models.DateTimeField(db_default=Now())
    what = models.CharField(max_length=9, choices=What.choices)
    words = models.CharField(max_length=200, blank=True, help_text="what changed, such as the new date")
    reason = models.CharField(max_length=500, blank=True)
    by = models.ForeignKey("auth.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")


class ExcludedArticle(models.Model):
    """An article of the corpus that counts for nobody in this phase."""

    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="excluded")
    article = models.ForeignKey(Article, on_delete=models.PROTECT, related_name="+")
    reason = models.CharField(max_length=500)
    at = models.DateTimeField(db_default=Now())
    by = models.ForeignKey("auth.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["phase", "article"], name="excluded_once")]


class GoldManager(models.Manager["GoldStandard"]):
    """Sealed files are large, and only who opens one needs it."""

    def get_queryset(self) -> models.QuerySet["GoldStandard"]:
        return super().get_queryset().defer("sealed")


class GoldStandard(models.Model):
    """What is right for the articles of one phase in one task: the Results of its producer.

    That of a test is a sealed file until it is published (evaluation/sealing.py), and has no producer before.
    """

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="golds")
    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="golds")
    producer = models.OneToOneField(Producer, null=True, blank=True, on_delete=models.PROTECT, related_name="gold")
    sealed = models.BinaryField(null=True, blank=True)
    # Its task's leaderboard is open to everybody from then on; also when the whole phase is published.
    published = models.DateTimeField(null=True, blank=True)
    publish_asked = models.DateTimeField(null=True, blank=True)
    checksum = models.CharField(max_length=64, help_text="sha256 of the file it came from")
    source = models.CharField(max_length=300, blank=True)
    imported = models.DateTimeField(db_default=Now())

    objects = GoldManager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["task", "phase"], name="gold_once"),
            models.CheckConstraint(
                condition=Q(producer__isnull=True, sealed__isnull=False)
                | Q(producer__isnull=False, sealed__isnull=True),
                name="gold_sealed_or_stored",
            ),
        ]


class Run(models.Model):
    """One producer's answers to one task in one phase."""

    class Sort(models.TextChoices):
        ONLINE = "online"
        UPLOAD = "upload"
        BASELINE = "baseline"

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="runs")
    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="runs")
    team = models.ForeignKey(Team, null=True, blank=True, on_delete=models.PROTECT, related_name="runs")
    producer = models.ForeignKey(Producer, on_delete=models.PROTECT, related_name="runs")
    name = models.CharField(max_length=200)
    sort = models.CharField(max_length=8, choices=Sort.choices)
    # One of those by which its team wants to be judged.
    final = models.BooleanField(default=False, db_default=False)
    # It counts no more, stands on no board, and its team alone sees it.
    withdrawn = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["task", "phase", "producer"], name="run_once")]

    def __str__(self) -> str:
        return self.name


class Score(models.Model):
    """The figures of a run in one scenario, with what they were computed from.

    A run has one current score in each scenario. It is superseded, and stays, when the gold standard, the software or
    the articles that count have changed; answers that only came in since make it anew in its place.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="scores")
    gold = models.ForeignKey(GoldStandard, on_delete=models.CASCADE, related_name="scores")
    scenario = models.CharField(max_length=32, default="all", db_default="all")
    # Why the run cannot be scored in this scenario; then there are no figures.
    absent = models.CharField(max_length=300, blank=True, db_default="")
    figures = models.JSONField(help_text="{measure name: value or null when undefined}")
    intervals = models.JSONField(default=dict, help_text="{measure name: [low, high]}, of 95 %")
    curve = models.JSONField(default=list, help_text="[[recall, precision], ...] in list order")
    articles = models.PositiveIntegerField(help_text="of the gold standard")
    answered = models.PositiveIntegerField(help_text="of these, articles with a Result, empty ones too")
    confidence = models.FloatField(null=True, blank=True, help_text="mean of what it reports of these articles")
    # Of its timed answers.
    seconds_mean = models.FloatField(null=True, blank=True)
    seconds_median = models.FloatField(null=True, blank=True)
    seconds_slowest = models.FloatField(null=True, blank=True)
    # Right or wrong, item by item, without their names: what runs are compared by (evaluation/analyses/packed.py).
    table = models.BinaryField(default=bytes)
    samples = models.PositiveIntegerField(default=0, db_default=0, help_text="drawn for the intervals")
    seed = models.PositiveIntegerField(default=0, db_default=0)
    checksum = models.CharField(max_length=64, blank=True, db_default="", help_text="of the gold standard then")
    version = models.CharField(max_length=32, blank=True, db_default="", help_text="of the software")
    # What the figures mean: measures, scenario, gold checksum, version of the code.
    signature = models.CharField(max_length=700)
    # Which Results were read, so that newer ones are noticed.
    seen = models.CharField(max_length=150)
    computed = models.DateTimeField(db_default=Now())
    took = models.FloatField(default=0, db_default=0, help_text="seconds, for all scenarios of the run")
    superseded = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "scenario"], condition=Q(superseded__isnull=True), name="one_current_score"
            )
        ]

    def __str__(self) -> str:
        return f"{self.run} {self.scenario}"


class Ranking(models.Model):
    """Paired tests between all runs of a board by one measure in one scenario, and the ensemble of the best of them."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="rankings")
    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="rankings")
    scenario = models.CharField(max_length=32)
    measure = models.CharField(max_length=32)
    scores = models.JSONField(default=list, help_text="the scores that were compared, by id")
    # Of each pair, (0, 1), (0, 2), ..., (1, 2), ...: samples in which the runs differ at least as much as observed.
    counts = models.JSONField(default=list)
    untested = models.CharField(max_length=300, blank=True, help_text="why there is no test")
    samples = models.PositiveIntegerField(default=0)
    seed = models.PositiveIntegerField(default=0)
    ensemble = models.JSONField(null=True, blank=True, help_text="evaluation/joining.py, Joined")
    version = models.CharField(max_length=32, blank=True, help_text="of the software")
    # The tests that readers see before publication, who must not see by their samples how many other runs there are.
    readers = models.JSONField(default=list, help_text="evaluation/rankings.py, OfReader")
    # How far the worker is with the next one; both 0: not at work.
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    computed = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["task", "phase", "scenario", "measure"], name="one_ranking_of_a_board")
        ]

    def __str__(self) -> str:
        return f"{self.task} {self.phase} {self.scenario} by {self.measure}"

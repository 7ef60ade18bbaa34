"""Curation: the decisions of a person on the annotations of an article, and the record that follows from them.

Decisions are kept for good, apart from the annotations: nothing is overwritten. What an item is now follows from its
last decision that was not undone. When a curation is finished, its accepted items become Results of the curator's
producer.
"""

from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from annotations.articles.models import Article
from annotations.curation.states import CurationArm, CurationState, DecisionAction, ItemKind, ItemState
from annotations.results.models import Producer


def _make_choices(values: Any) -> list[tuple[str, str]]:
    return [(each.value, each.value) for each in values]


ITEM_KIND_CHOICES, ITEM_STATE_CHOICES = _make_choices(ItemKind), _make_choices(ItemState)
CURATION_STATE_CHOICES, CURATION_ARM_CHOICES = _make_choices(CurationState), _make_choices(CurationArm)


class Curator(models.Model):
    """A person who curates, alone or in a project, with the producer of the records.

    user: None for authors who have no account, for curators restored from archives, and for the outcomes of projects,
    which have no project here (CurationProject.outcome). released: when the person left the project or was removed;
    what they finished counts.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="curators"
    )
    project = models.ForeignKey(
        "annotations.CurationProject", null=True, blank=True, on_delete=models.PROTECT, related_name="curators"
    )
    producer = models.OneToOneField(Producer, on_delete=models.PROTECT, related_name="curator")
    released = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user"], condition=Q(project__isnull=True), name="curator_once"),
            models.UniqueConstraint(fields=["project", "user"], name="curator_once_in_project"),
        ]

    def __str__(self) -> str:
        return self.producer.name


class CuratorProfile(models.Model):
    """What a person who curates says about themselves and agrees to; without a profile, to nothing.

    orcid: such as "0000-0002-1825-0097", "" if not given. shows_orcid: everybody sees it with the name of the account.
    orcid_verified: the owner of the account has logged in with it (bcms/accounts/providers/verified_orcids.py).
    shares_decisions: teams see what the person decided about annotations of their servers, once it is published, or an
    outcome with which it agrees.
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="curator_profile")
    orcid = models.CharField(max_length=19, blank=True)
    shows_orcid = models.BooleanField(default=False)
    orcid_verified = models.BooleanField(default=False, db_default=False)
    shares_decisions = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"profile of {self.user_id}"

    @property
    def shown_orcid(self) -> str:
        """The ORCID if its owner shows it, else ""."""
        return self.orcid if self.shows_orcid else ""


class CandidateList(models.Model):
    """What was proposed for one text of an article: the consensus of some producers, or nothing.

    It does not change: when the annotations do, a new one is made, so that a decision refers to what was on screen.

    recipe: {"producers": [ids], "method", "threshold", "spans", "match", "cuts": [[producer, kind, criterion, value]]}.
    fingerprint: equal for lists of the same recipe, annotations and text.
    """

    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="candidate_lists")
    text_version = models.PositiveIntegerField()
    recipe = models.JSONField(default=dict)
    fingerprint = models.CharField(max_length=64)
    built = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["article", "fingerprint"], name="candidate_list_once")]

    def __str__(self) -> str:
        return f"candidates of {self.article_id}"


class Candidate(models.Model):
    """One proposed item. position: from 0, the best of its kind first. content: as in DecidedItem.

    producers: who proposed it. confidence: the mean calibrated confidence, None if nobody gives one. group: equal for
    mentions of one text, which can be decided at once.
    """

    # The index of the constraint begins with it; one of its own would only be slower to write.
    candidate_list = models.ForeignKey(
        CandidateList, on_delete=models.CASCADE, related_name="candidates", db_index=False
    )
    kind = models.CharField(max_length=11, choices=ITEM_KIND_CHOICES)
    key = models.CharField(max_length=400)
    group = models.CharField(max_length=400, blank=True)
    position = models.PositiveIntegerField()
    content = models.JSONField()
    producers: "models.Field[list[int], list[int]]" = ArrayField(models.BigIntegerField(), default=list)
    confidence = models.FloatField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["candidate_list", "kind", "key"], name="candidate_once"),
        ]
        indexes = [
            models.Index(fields=["candidate_list", "kind", "position"], name="candidate_by_position"),
            models.Index(fields=["candidate_list", "group"], name="candidate_by_group", condition=~Q(group="")),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


class Curation(models.Model):
    """The work of one curator on one article.

    revision: the number of its last decision. candidates: what is on screen, None before it was opened or if nothing is
    shown. basis: the finished curation that it continues, such as that of an author. record: the digital abstract as
    JSON when it was finished last. arm: what was drawn when it was assigned in an experiment, "" outside of one.

    The timer: seconds: the time in sight so far, of which pending has not been attributed to a decision; running: when
    it was started, None while it is stopped; showing is increased each time that the page is opened, so that outdated
    pages cannot change the timer.
    """

    curator = models.ForeignKey(Curator, on_delete=models.PROTECT, related_name="curations")
    article = models.ForeignKey(Article, on_delete=models.PROTECT, related_name="curations")
    text_version = models.PositiveIntegerField()
    state = models.CharField(max_length=8, choices=CURATION_STATE_CHOICES, default=CurationState.OPEN)
    revision = models.PositiveIntegerField(default=0)
    candidates = models.ForeignKey(
        CandidateList, null=True, blank=True, on_delete=models.PROTECT, related_name="curations"
    )
    basis = models.ForeignKey("self", null=True, blank=True, on_delete=models.PROTECT, related_name="continued_by")
    arm = models.CharField(max_length=7, choices=CURATION_ARM_CHOICES, blank=True)
    notes = models.TextField(blank=True)
    nothing_found = models.BooleanField(default=False)
    record = models.JSONField(null=True, blank=True)
    started = models.DateTimeField(db_default=Now())
    changed = models.DateTimeField(db_default=Now())
    finished = models.DateTimeField(null=True, blank=True)
    # When its curator asked reviewers to publish it; None after they decided, or after it was opened again.
    proposed = models.DateTimeField(null=True, blank=True)
    # Why reviewers did not publish it.
    declined = models.CharField(max_length=500, blank=True)
    seconds = models.FloatField(default=0.0)
    pending = models.FloatField(default=0.0)
    running = models.DateTimeField(null=True, blank=True)
    showing = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["curator", "article"], name="curation_once")]
        indexes = [models.Index(fields=["article"], name="curation_finished", condition=Q(state="finished"))]

    def __str__(self) -> str:
        return f"{self.curator} on {self.article_id}"


class Decision(models.Model):
    """One decision of a curator, on one item or on several at once.

    number: from 1 in each curation. token: chosen by the page, so that a request that is sent twice decides once.
    seconds: the time in sight since the decision before. candidates: what was on screen, None for nothing. undoes: the
    decision that this one takes back; undone: that it was taken back itself.
    """

    curation = models.ForeignKey(Curation, on_delete=models.CASCADE, related_name="decisions")
    number = models.PositiveIntegerField()
    token = models.CharField(max_length=36)
    action = models.CharField(max_length=6, choices=_make_choices(DecisionAction))
    reason = models.CharField(max_length=500, blank=True)
    at = models.DateTimeField()
    seconds = models.FloatField()
    candidates = models.ForeignKey(CandidateList, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    # The account that decided: the curator's own, or None for an author without one.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    undoes = models.OneToOneField("self", null=True, blank=True, on_delete=models.PROTECT, related_name="undone_by")
    undone = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["curation", "number"], name="decision_number_once"),
            models.UniqueConstraint(fields=["curation", "token"], name="decision_once"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.number} of {self.curation_id}"


class DecidedItem(models.Model):
    """What a decision made of one item. It is current until a later decision on the item supersedes it.

    key: names the item within its kind; that of a candidate, or for an added item one of its own. content: an
    annotation as the values of its row (annotations/results/annotation_rows.py), with "kind", or an interaction as JSON
    (annotations/digital_abstract_json.py). producers: whose proposal it is; empty if the curator added it.
    """

    decision = models.ForeignKey(Decision, on_delete=models.CASCADE, related_name="items")
    curation = models.ForeignKey(Curation, on_delete=models.CASCADE, related_name="items")
    kind = models.CharField(max_length=11, choices=ITEM_KIND_CHOICES)
    key = models.CharField(max_length=400)
    state = models.CharField(max_length=8, choices=ITEM_STATE_CHOICES)
    content = models.JSONField()
    producers: "models.Field[list[int], list[int]]" = ArrayField(models.BigIntegerField(), default=list)
    superseded_by = models.ForeignKey(
        Decision, null=True, blank=True, on_delete=models.PROTECT, related_name="superseded_items"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["curation", "kind", "key"],
                condition=Q(superseded_by__isnull=True),
                name="one_current_decision_on_item",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}: {self.state}"


class PublishedAbstract(models.Model):
    """The digital abstract of an article that everybody sees: a finished curation as it was when it was published.

    record: as JSON (annotations/digital_abstract_json.py). Its annotations are those of the site's producer of
    published curations. withdrawn: it is shown no longer, because it was replaced or taken back. withdrawal_reason: why
    it was taken back, which everybody sees; empty if it was replaced. withdrawer: who took it back.
    """

    article = models.ForeignKey(Article, on_delete=models.PROTECT, related_name="published_abstracts")
    curation = models.ForeignKey(Curation, on_delete=models.PROTECT, related_name="publications")
    record = models.JSONField()
    published = models.DateTimeField(db_default=Now())
    publisher = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    withdrawn = models.DateTimeField(null=True, blank=True)
    withdrawer = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    withdrawal_reason = models.CharField(max_length=500, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["article"], condition=Q(withdrawn__isnull=True), name="one_published_abstract_of_article"
            )
        ]

    def __str__(self) -> str:
        return f"digital abstract of {self.article_id}"


class Contribution(models.Model):
    """A person whose work is in a published record, as it was when it was published.

    position: from 0, those whose records it continues first, its own curator last.
    """

    published = models.ForeignKey(PublishedAbstract, on_delete=models.CASCADE, related_name="contributions")
    curator = models.ForeignKey(Curator, on_delete=models.PROTECT, related_name="contributions")
    position = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["published", "curator"], name="contribution_once")]

    def __str__(self) -> str:
        return f"{self.curator} in {self.published}"

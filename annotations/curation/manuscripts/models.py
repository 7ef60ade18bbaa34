"""Manuscripts: private articles that a journal sends in, with the links for their authors and reviewers."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from annotations.articles.models import Article
from annotations.curation.manuscripts.states import LINK_ROLE_CHOICES, ManuscriptState
from annotations.curation.models import Curation

LONGEST_REASON = 500


class Manuscript(models.Model):
    """An article that nobody sees before its journal publishes it, and the curation of its author.

    The article is blind and in no corpus: what hides blind test sets hides manuscripts, also from administrators. What
    names it, such as a DOI, is in its ArticleSnapshot until then. journal: the account that sent it. reference: the
    number that the journal gave it. public_on: the day on which it is published at the latest, in UTC. reminded: when
    the author was last sent a mail.
    """

    journal = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="manuscripts")
    article = models.OneToOneField(Article, on_delete=models.PROTECT, related_name="manuscript")
    curation = models.OneToOneField(Curation, on_delete=models.PROTECT, related_name="manuscript")
    reference = models.CharField(max_length=100, blank=True)
    author_mail = models.EmailField(blank=True)
    guidelines = models.TextField(blank=True)
    state = models.CharField(
        max_length=9, choices=[(each.value, each.value) for each in ManuscriptState], default=ManuscriptState.OPEN
    )
    # Why the author takes no part.
    reason = models.CharField(max_length=LONGEST_REASON, blank=True)
    public_on = models.DateField(null=True, blank=True)
    created = models.DateTimeField(db_default=Now())
    closed = models.DateTimeField(null=True, blank=True)
    reminded = models.DateTimeField(null=True, blank=True)

    class Meta:
        default_permissions = ()
        permissions = [("submit_manuscript", "Can submit manuscripts")]
        constraints = [
            models.UniqueConstraint(
                fields=["journal", "reference"], condition=~Q(reference=""), name="manuscript_reference_once"
            )
        ]

    def __str__(self) -> str:
        return self.reference or str(self.article)


class ManuscriptLink(models.Model):
    """A link that opens one manuscript without an account. digest: of its token, which is stored nowhere."""

    manuscript = models.ForeignKey(Manuscript, on_delete=models.CASCADE, related_name="links")
    role = models.CharField(max_length=8, choices=LINK_ROLE_CHOICES)
    digest = models.CharField(max_length=64, unique=True)
    created = models.DateTimeField(db_default=Now())
    expires = models.DateTimeField()
    revoked = models.DateTimeField(null=True, blank=True)
    opened = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.role} link of {self.manuscript_id}"


class ManuscriptComment(models.Model):
    """What a reviewer or the author wrote about the record. name: as they signed it, empty if they did not. done: when
    the author marked it as done. link: by which they wrote it, None if that was not kept. database, identifier: the
    organism, entity or method that a reviewer suggests for the record, empty if none."""

    manuscript = models.ForeignKey(Manuscript, on_delete=models.CASCADE, related_name="comments")
    link = models.ForeignKey(ManuscriptLink, null=True, blank=True, on_delete=models.CASCADE, related_name="comments")
    role = models.CharField(max_length=8, choices=LINK_ROLE_CHOICES)
    name = models.CharField(max_length=100, blank=True)
    text = models.TextField(blank=True)
    database = models.CharField(max_length=32, blank=True, default="", db_default="")
    identifier = models.CharField(max_length=200, blank=True, default="", db_default="")
    at = models.DateTimeField(db_default=Now())
    done = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"comment on {self.manuscript_id}"

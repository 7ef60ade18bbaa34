"""Store a manuscript that a journal sends in: its private article, and the curation that waits for its author."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime

from django.db import IntegrityError, transaction

from annotations.articles.models import Article
from annotations.articles.snapshots import create_snapshots
from annotations.curation.manuscripts.errors import ManuscriptError
from annotations.curation.manuscripts.models import Manuscript
from annotations.curation.models import Curation, Curator
from annotations.curation.states import CurationState
from annotations.results.models import Producer

AUTHOR_NAME = "Author of the article"


@dataclass(frozen=True, slots=True)
class ManuscriptInput:
    """What a journal sends with the text; the fields are those of Manuscript."""

    reference: str = ""
    author_mail: str = ""
    guidelines: str = ""
    public_on: date | None = None


def submit_manuscript(
    journal_id: int, article: Article, given: ManuscriptInput, now: datetime, enqueue: Callable[[Article], object]
) -> Manuscript:
    """Store a manuscript. article: its text and identifiers, a row that is not stored. enqueue: calls the servers, in
    the same transaction. ManuscriptError if the journal has one with this reference, or the date is over.
    """
    if given.public_on is not None and given.public_on <= now.date():
        raise ManuscriptError("Give a date in the future, or none.", "public_on")
    try:
        with transaction.atomic():
            [private] = create_snapshots(None, [article])
            manuscript = Manuscript.objects.create(
                journal_id=journal_id,
                article=private,
                curation=_create_curation_of_author(private),
                reference=given.reference,
                author_mail=given.author_mail,
                guidelines=given.guidelines,
                public_on=given.public_on,
            )
            enqueue(private)
    except IntegrityError as error:
        if "manuscript_reference_once" not in str(error):
            raise
        raise ManuscriptError(
            f"You have sent a manuscript with the reference {given.reference} before. Use that one, or another "
            "reference.",
            "reference",
        ) from error
    return manuscript


def _create_curation_of_author(article: Article) -> Curation:
    """The curation of somebody without an account, with a producer of its own, whose annotations are not public."""
    producer = Producer.objects.create(sort=Producer.Type.AUTHOR, name=AUTHOR_NAME)
    curator = Curator.objects.create(producer=producer)
    return Curation.objects.create(
        curator=curator, article=article, text_version=article.text_version, state=CurationState.ASSIGNED
    )

"""Bring in what authors or curators said as Results of their own producer, as the answers of a server are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from django.db import transaction
from django.db.models import Count, F, Q, QuerySet
from django.db.models.functions import Now

from annotations.formats.errors import RefusedFileError
from annotations.formats.gold_tsv import MOST_FAULTS
from annotations.kinds import Finding, Kind
from annotations.models import Corpus, Producer, Result
from annotations.storing import store_annotations
from evaluation.by_hand.models import ByHand
from evaluation.errors import ChallengeError
from evaluation.gold import Known, articles_by_name, misfits, scan
from evaluation.models import Challenge, Task

BATCH = 5000
SORTS = (Producer.Sort.AUTHOR, Producer.Sort.CURATOR)
Findings = Mapping[int, Sequence[Finding]]


@dataclass(frozen=True, slots=True)
class HandFile:
    """A file with its name, and whose it is. sort: one of SORTS; who: what they are called; whole: they read every
    article of the corpus, so that they found nothing in those that the file does not name."""

    sort: str
    who: str
    content: bytes
    name: str
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Brought:
    """articles: those that the file tells of; again: those of which something was said before."""

    by_hand: ByHand
    articles: int
    again: int


def bring_in(task: Task, corpus: Corpus, file: HandFile) -> Brought:
    """Store what a file says of one kind in a corpus. RefusedFileError with every fault, and then nothing is stored;
    ChallengeError for passages, for a file that says nothing, and for the same file again."""
    if task.kind == Kind.PASSAGE:
        raise ChallengeError(f"The passages of {task} are judged on the site: collect them and name judges.")
    articles = articles_by_name(corpus)
    findings = read(task, corpus, articles, file)
    # An article without a class has none, whoever read it.
    whole = file.whole and task.kind != Kind.CLASSIFICATION
    told = {own.id: own for own in articles.values() if whole or own.id in findings}
    if not told:
        raise ChallengeError("The file names no article; look whether it is the one that you meant.")
    return store(task, corpus, file, told, findings)


def read(task: Task, corpus: Corpus, articles: Mapping[str, Known], file: HandFile) -> Findings:
    """What the file says by article, in any format of a gold standard."""
    lines, faults = scan(file.content, task, corpus, articles, file.name)
    faults += misfits(articles, lines, file.name)
    if faults:
        raise RefusedFileError(sorted(faults, key=lambda fault: (fault.line, fault.column))[:MOST_FAULTS])
    findings: dict[int, list[Finding]] = {}
    for line in lines:
        findings.setdefault(articles[line.article].id, []).append(line.finding)
    return findings


@transaction.atomic
def store(task: Task, corpus: Corpus, file: HandFile, told: Mapping[int, Known], findings: Findings) -> Brought:
    challenge = Challenge.objects.select_for_update(no_key=True).get(pk=task.challenge_id)
    producer = producer_of(challenge, corpus, file)
    checksum = sha256(file.content).hexdigest()
    if ByHand.objects.filter(producer=producer, kind=task.kind, checksum=checksum).exists():
        raise ChallengeError(
            f"This very file is what {producer} say already: bring in another reading, or give it another name."
        )
    values = {"challenge": challenge, "corpus": corpus, "source": file.name[:300], "checksum": checksum}
    own, _ = ByHand.objects.update_or_create(producer=producer, kind=task.kind, defaults={**values, "brought": Now()})
    before = Result.objects.filter(producer=producer, kind=task.kind, article__in=told, superseded__isnull=True)
    again = before.update(superseded=Now())
    results = Result.objects.bulk_create(
        (
            Result(article_id=pk, text_version=article.text_version, kind=task.kind, producer=producer)
            for pk, article in told.items()
        ),
        batch_size=BATCH,
    )
    store_annotations((result.pk, finding) for result in results for finding in findings.get(result.article_id, ()))
    return Brought(own, len(results), again)


def producer_of(challenge: Challenge, corpus: Corpus, file: HandFile) -> Producer:
    """Theirs, who may have said something of another kind before, or a new one, which the organizers alone see."""
    name = f"{file.who}, {corpus}"[:200]
    known = Producer.objects.filter(by_hand__challenge=challenge, by_hand__corpus=corpus, sort=file.sort, name=name)
    return known.first() or Producer.objects.create(sort=file.sort, name=name)


def brought_to(challenge: Challenge) -> QuerySet[ByHand]:
    """All of a challenge, each with the number of its articles: one query."""
    current = Q(producer__results__kind=F("kind"), producer__results__superseded__isnull=True)
    rows = ByHand.objects.filter(challenge=challenge).select_related("corpus", "producer")
    counted = rows.annotate(articles=Count("producer__results", filter=current))
    return counted.order_by("corpus__name", "kind", "producer__name", "pk")


@transaction.atomic
def take_out(own: ByHand) -> None:
    """Delete what they say of this kind, all readings of it; and their producer when that was all."""
    producer = own.producer
    producer.results.filter(kind=own.kind).delete()
    own.delete()
    if not producer.by_hand.exists():
        producer.delete()

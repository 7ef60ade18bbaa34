"""A curator reads one article after the other: which is next, how long it is in sight, what is said of it."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Coalesce, Mod

from annotations.kinds import Finding, Kind
from annotations.models import Article, CorpusArticle, Result
from annotations.storing import announce, store_results
from evaluation.labelling.models import Label, Labeller, Labelling

# Nobody reads an abstract for longer: the curator was away.
MOST = timedelta(minutes=10)
# An article comes again after so many others, so that the curator judges it anew and does not remember.
BETWEEN = 25


@dataclass(frozen=True, slots=True)
class Turn:
    """An article to be read, for the first or the second time."""

    article: int
    again: bool


def locked(labeller: int) -> Labeller:
    rows = Labeller.objects.select_for_update(of=("self",))
    return rows.select_related("labelling", "article", "producer").get(pk=labeller)


@transaction.atomic
def show(labeller: int, now: datetime) -> Labeller:
    """The curator with the article to read, None when all is done; its clock goes, unless it was paused."""
    own = locked(labeller)
    if own.article_id is None and (turn := next_turn(own)):
        begin(own, turn, timedelta(0))
    if own.article_id and own.running is None and not own.paused:
        own.running = now
    own.showing += 1
    own.save()
    return own


def begin(own: Labeller, turn: Turn | None, before: timedelta) -> None:
    own.article = None if turn is None else Article.objects.get(pk=turn.article)
    own.again = turn is not None and turn.again
    own.before, own.running = before, None


def next_turn(own: Labeller) -> Turn | None:
    """What was read long enough ago and comes twice, then what is new, then what was skipped, then the rest of the
    second readings; None when all is done."""
    twice, first = to_read_again(own), current(own).filter(again=False)
    old = current(own).order_by("-pk").values_list("pk", flat=True)[BETWEEN - 1 : BETWEEN]
    if old and (label := twice.filter(pk__lte=old[0]).first()):
        return Turn(label.article_id, again=True)
    fresh = in_order(own.labelling).exclude(article__in=first.values("article"))
    if (article := fresh.values_list("article", flat=True).first()) is not None:
        return Turn(article, again=False)
    if skipped := first.filter(relevant__isnull=True).order_by("pk").first():
        return Turn(skipped.article_id, again=False)
    label = twice.first()
    return None if label is None else Turn(label.article_id, again=True)


def current(own: Labeller) -> QuerySet[Label]:
    return Label.objects.filter(labeller=own, superseded__isnull=True)


def to_read_again(own: Labeller) -> QuerySet[Label]:
    """First readings that are to be followed by a second one, oldest first."""
    labels = current(own)
    read = labels.filter(again=False, relevant__isnull=False, article__in=twice_in(own.labelling).values("article"))
    return read.exclude(article__in=labels.filter(again=True).values("article")).order_by("pk")


def twice_in(labelling: Labelling) -> QuerySet[CorpusArticle]:
    """The articles that every curator reads twice: by their place in the corpus, so that they are the same for all."""
    rows = CorpusArticle.objects.filter(corpus=labelling.corpus_id)
    if not labelling.again_every:
        return rows.none()
    return rows.annotate(rest=Mod("position", labelling.again_every)).filter(rest=labelling.again_every // 2)


def in_order(labelling: Labelling) -> QuerySet[CorpusArticle]:
    rows = CorpusArticle.objects.filter(corpus=labelling.corpus_id)
    if labelling.order == Labelling.Order.LIKELY:
        return rows.order_by(Coalesce("article__standing__balance", -1.0).desc(), "position")
    return rows.order_by("position")


@transaction.atomic
def answer(labeller: int, opaque: str, relevant: bool | None, now: datetime) -> bool:
    """Store what the curator says of the article in sight, None: skipped; False when another is in sight by now."""
    own = locked(labeller)
    if own.article is None or own.article.opaque != opaque:
        return False
    time = time_of(own, now)
    current(own).filter(article=own.article, again=own.again).update(superseded=now)
    Label.objects.create(
        labeller=own,
        article=own.article,
        again=own.again,
        relevant=relevant,
        seconds=min(time, MOST).total_seconds(),
        capped=time > MOST,
    )
    if relevant is not None and not own.again:
        said = {Kind.CLASSIFICATION: [Finding(Kind.CLASSIFICATION, relevant=relevant)]}
        store_results(own.article, own.producer, said, duration=min(time, MOST).total_seconds())
    begin(own, None, timedelta(0))
    own.save()
    return True


@transaction.atomic
def undo(labeller: int, now: datetime) -> bool:
    """Take the last label back and show its article again, its time counted on; False when there is none."""
    own = locked(labeller)
    last = current(own).order_by("-pk").first()
    if last is None:
        return False
    Label.objects.filter(pk=last.pk).update(superseded=now)
    if not last.again:
        withdraw(last.article_id, own.producer_id, now)
    begin(own, Turn(last.article_id, last.again), timedelta(seconds=last.seconds))
    own.paused = False
    own.save()
    return True


def withdraw(article: int, producer: int, now: datetime) -> None:
    rows = Result.objects.filter(article=article, producer=producer, superseded__isnull=True)
    if rows.update(superseded=now):
        announce(article, producer)


def time_of(own: Labeller, now: datetime) -> timedelta:
    """How long the article has been in sight."""
    return own.before + (now - own.running if own.running else timedelta(0))


@transaction.atomic
def stop(labeller: int, now: datetime, showing: int | None = None) -> bool:
    """The clock stands from now on: the page is out of sight. With showing only if that is the page shown last."""
    own = locked(labeller)
    if own.running is None or showing not in (None, own.showing):
        return False
    own.before, own.running = time_of(own, now), None
    own.save()
    return True


@transaction.atomic
def go_on(labeller: int, now: datetime, showing: int) -> bool:
    """The clock of the page shown last goes on: it is in sight again."""
    own = locked(labeller)
    if own.running is not None or own.paused or own.article_id is None or showing != own.showing:
        return False
    own.running = now
    own.save()
    return True


def pause(labeller: int, now: datetime) -> None:
    """The clock stands, and no article is in sight, until the curator goes on."""
    stop(labeller, now)
    Labeller.objects.filter(pk=labeller).update(paused=True)


def end_pause(labeller: int) -> None:
    Labeller.objects.filter(pk=labeller).update(paused=False)

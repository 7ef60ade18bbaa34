"""What a judge reads: one pair of an article with its passages, in an order of the judge's own, and the article's text.

Nothing here tells whose a passage is, how many submitted it, or where it stood in their lists.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotations.databases import entry_page
from annotations.models import Article, Entry
from bcms.lib.text import one_spaced
from evaluation.analyses.pooling import Marks, in_conflict, settled, shuffled
from evaluation.measures.passages import Verdict
from evaluation.pooling.models import Pool, PooledPassage
from evaluation.pooling.standing import Pair, counted, current_of, judged_of, verdict_of


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of an article's text; marked: it is in a passage; anchor: the first of a passage, by its key, else 0."""

    text: str
    marked: bool
    anchor: int = 0


@dataclass(frozen=True, slots=True)
class Protein:
    identifier: str
    name: str
    page: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A passage to be decided; verdict: what the reader said of it; others: what judges say, for who adjudicates."""

    key: int
    text: str
    verdict: Verdict | None
    others: Sequence[Verdict] = ()
    conflict: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """One pair, number of whole; judged passages of passages in all; unjudged: the number of the next pair that has a
    passage without a decision, None when all are decided."""

    number: int
    whole: int
    judged: int
    passages: int
    unjudged: int | None
    pieces: Sequence[Piece]
    pair: tuple[Protein, Protein]
    shown: Sequence[Shown]

    @property
    def percent(self) -> int:
        return 100 * self.judged // self.passages if self.passages else 0

    @property
    def before(self) -> int | None:
        return self.number - 1 if self.number > 1 else None

    @property
    def after(self) -> int | None:
        return self.number + 1 if self.number < self.whole else None


def page_of(pool: Pool, user: Any, number: int | None, *, adjudicates: bool) -> Page | None:
    """The pair of that number, or the first that is undecided; None when there is none to decide. Six queries.

    Who adjudicates sees the pairs about which judges differ, and what they say, not who says it.
    """
    groups = groups_of(pool, user, adjudicates=adjudicates)
    if not groups:
        return None
    open_pairs = [place for place, group in enumerate(groups, 1) if any(undecided(own) for own in group)]
    place = min(max(number or next(iter(open_pairs), 1), 1), len(groups))
    group = groups[place - 1]
    first = group[0][0]
    article = Article.objects.only("text").get(pk=first.article_id)
    texts = dict(PooledPassage.objects.filter(pk__in=[own.pk for own, _ in group]).values_list("pk", "passage"))
    everything = [shown for each in groups for _, shown in each]
    after = [each for each in open_pairs if each > place] + open_pairs
    return Page(
        place,
        len(groups),
        sum(not needs(shown) for shown in everything),
        len(everything),
        next(iter(after), None),
        pieces_of(article.text, texts),
        proteins_of(first),
        [Shown(own.pk, texts[own.pk], shown.verdict, shown.others, shown.conflict) for own, shown in group],
    )


Group = list[tuple[PooledPassage, Shown]]


def groups_of(pool: Pool, user: Any, *, adjudicates: bool) -> list[Group]:
    """The passages by pair, all in the reader's own order."""
    judges = {judge.who for judge in pool.judges.filter(adjudicates=False)}
    judgements = current_of(pool, None if adjudicates else user)
    by_pair: dict[Pair, Group] = {}
    for own in shuffled(
        counted(pool).defer("passage"), f"{pool.pk} {user.pk}", lambda own: own.article_id, pair_in, lambda own: own.pk
    ):
        said = judgements.get(own.pk, ())
        each = judged_of(own, said, judges)
        if adjudicates:
            differ = in_conflict(each.marks.values())
            shown = Shown(
                own.pk, "", each.adjudicated, sorted_marks(each.marks), differ or each.adjudicated is not None
            )
        else:
            shown = Shown(own.pk, "", next(map(verdict_of, said), None))
        by_pair.setdefault(pair_in(own), []).append((own, shown))
    groups = list(by_pair.values())
    return [each for each in groups if any(shown.conflict for _, shown in each)] if adjudicates else groups


def pair_in(own: PooledPassage) -> Pair:
    return own.article_id, own.first, own.second


def sorted_marks(marks: Marks) -> list[Verdict]:
    """What judges say, in an order that does not tell who says it."""
    return sorted(marks.values(), key=lambda mark: (not mark.best, not mark.relevant))


def undecided(own: tuple[PooledPassage, Shown]) -> bool:
    return needs(own[1])


def needs(shown: Shown) -> bool:
    """Whether the reader has to decide it: what judges agree about needs nobody who adjudicates."""
    if shown.others:
        return shown.conflict and shown.verdict is None
    return settled((), shown.verdict) is None


def proteins_of(own: PooledPassage) -> tuple[Protein, Protein]:
    """Both of the pair, with their names where the tables of the site have them."""
    rows = Entry.objects.filter(database=own.database, identifier__in=[own.first, own.second])
    names = {
        identifier: symbol or name for identifier, symbol, name in rows.values_list("identifier", "symbol", "name")
    }
    first, second = (
        Protein(each, names.get(each, ""), entry_page(own.database, each)) for each in (own.first, own.second)
    )
    return first, second


def pieces_of(text: str, passages: Mapping[int, str]) -> list[Piece]:
    """The text in pieces, those marked that are in a passage, {key: passage}; white space may differ."""
    spans = sorted((*span, key) for key, passage in passages.items() if (span := span_of(text, passage)))
    return list(cut(text, spans))


def span_of(text: str, passage: str) -> tuple[int, int] | None:
    words = one_spaced(passage).split(" ")
    found = re.search(r"\s+".join(map(re.escape, words)), text)
    return found.span() if found else None


def cut(text: str, spans: Iterable[tuple[int, int, int]]) -> Iterator[Piece]:
    done = 0
    for start, end, key in spans:
        if start > done:
            yield Piece(text[done:start], marked=False)
        if end > done:
            yield Piece(text[max(start, done) : end], marked=True, anchor=key)
            done = end
    if done < len(text):
        yield Piece(text[done:], marked=False)

"""What a judge reads: a pair in an article with its passages, in an order of the judge's own, and the article's text.

It does not show which runs submitted a passage, how many they were, or at which ranks.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotations.articles.models import Article
from annotations.identifiers.models import Entry
from annotations.identifiers.namespaces import build_entry_url_or_empty
from bcms.lib.text import collapse_white_space
from evaluation.analyses.passage_pools import (
    JudgedPair,
    VerdictsByJudge,
    find_adjudicated_or_unanimous_verdict,
    has_unadjudicated_verdict_conflict,
    shuffle_reproducibly_by_key_digests,
)
from evaluation.measures.passages import Verdict
from evaluation.pooling.judging_status import (
    JudgedPassage,
    build_judged_passage,
    build_verdict,
    group_current_judgements_by_passage,
    list_passages_of_unexcluded_articles,
)
from evaluation.pooling.models import Pool, PooledPassage
from servers.teams.permissions import User


@dataclass(frozen=True, slots=True)
class MarkedTextPiece:
    """A part of an article's text. marked: inside a passage; anchor: key of the passage that begins here, else 0."""

    text: str
    marked: bool
    anchor: int = 0


@dataclass(frozen=True, slots=True)
class PairProtein:
    """One protein of a pair. name: may be empty; page: its URL in its database."""

    identifier: str
    name: str
    page: str


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A passage to judge. verdict: of the reader; others: of the judges, for adjudicators; conflict: they disagree."""

    key: int
    text: str
    verdict: Verdict | None
    others: Sequence[Verdict] = ()
    conflict: bool = False


@dataclass(frozen=True, slots=True)
class JudgingPage:
    """The pair with this number, from 1, of a whole number of pairs.

    judged: passages decided, of all passages; unjudged: number of the next pair with an undecided passage, None if all
    are decided; pieces: of the article's text; shown: the passages of the pair.
    """

    number: int
    whole: int
    judged: int
    passages: int
    unjudged: int | None
    pieces: Sequence[MarkedTextPiece]
    pair: tuple[PairProtein, PairProtein]
    shown: Sequence[ShownPassage]

    @property
    def percent(self) -> int:
        return 100 * self.judged // self.passages if self.passages else 0

    @property
    def before(self) -> int | None:
        return self.number - 1 if self.number > 1 else None

    @property
    def after(self) -> int | None:
        return self.number + 1 if self.number < self.whole else None


def find_chosen_or_first_undecided_pair(
    pool: Pool, user: User, pair_number: int | None, *, adjudicates: bool
) -> JudgingPage | None:
    """Return the pair with this number, or the first undecided one; None if there is no pair. Six queries.

    Adjudicators see the pairs on which judges disagree, with the verdicts of the judges but not their names.
    """
    groups = group_shuffled_passages_by_pair(pool, user, adjudicates_conflicts_only=adjudicates)
    if not groups:
        return None
    undecided = [position for position, group in enumerate(groups, 1) if any(map(_is_undecided, group))]
    current = min(max(pair_number or next(iter(undecided), 1), 1), len(groups))
    group = groups[current - 1]
    first = group[0][0]
    article = Article.objects.only("text").get(pk=first.article_id)
    keys = [passage.pk for passage, _ in group]
    texts = dict(PooledPassage.objects.filter(pk__in=keys).values_list("pk", "passage"))
    all_shown = [shown for each_group in groups for _, shown in each_group]
    next_undecided = [position for position in undecided if position > current] + undecided
    return JudgingPage(
        current,
        len(groups),
        sum(not _needs_decision(shown) for shown in all_shown),
        len(all_shown),
        next(iter(next_undecided), None),
        _split_marked_text(article.text, texts),
        _load_pair_proteins(first),
        [
            ShownPassage(passage.pk, texts[passage.pk], shown.verdict, shown.others, shown.conflict)
            for passage, shown in group
        ],
    )


PassageGroup = list[tuple[PooledPassage, ShownPassage]]


def group_shuffled_passages_by_pair(pool: Pool, user: User, *, adjudicates_conflicts_only: bool) -> list[PassageGroup]:
    """Group the passages by pair, in the reader's own order; adjudicators get only pairs with a conflict."""
    judges = {judge.account_or_pseudonym for judge in pool.judges.filter(adjudicates=False)}
    judgements = group_current_judgements_by_passage(pool, None if adjudicates_conflicts_only else user)
    by_pair: dict[JudgedPair, PassageGroup] = {}
    for passage in shuffle_reproducibly_by_key_digests(
        list_passages_of_unexcluded_articles(pool).defer("passage"),
        f"{pool.pk} {user.pk}",
        lambda passage: passage.article_id,
        _get_passage_pair,
        lambda passage: passage.pk,
    ):
        of_passage = judgements.get(passage.pk, ())
        if adjudicates_conflicts_only:
            shown = _build_passage_to_adjudicate(build_judged_passage(passage, of_passage, judges))
        else:
            shown = ShownPassage(passage.pk, "", next(map(build_verdict, of_passage), None))
        by_pair.setdefault(_get_passage_pair(passage), []).append((passage, shown))
    groups = list(by_pair.values())
    return (
        [group for group in groups if any(shown.conflict for _, shown in group)]
        if adjudicates_conflicts_only
        else groups
    )


def _build_passage_to_adjudicate(judged: JudgedPassage) -> ShownPassage:
    """A passage without its text; it stays in conflict once it is adjudicated, so that it can be changed."""
    conflict = has_unadjudicated_verdict_conflict(judged.marks.values()) or judged.adjudicated is not None
    return ShownPassage(judged.passage.pk, "", judged.adjudicated, _sort_marks_without_judges(judged.marks), conflict)


def _get_passage_pair(passage: PooledPassage) -> JudgedPair:
    return passage.article_id, passage.first, passage.second


def _sort_marks_without_judges(verdicts: VerdictsByJudge) -> list[Verdict]:
    """The verdicts of the judges in an order that does not reveal who gave them."""
    return sorted(verdicts.values(), key=lambda verdict: (not verdict.best, not verdict.relevant))


def _is_undecided(passage_and_shown: tuple[PooledPassage, ShownPassage]) -> bool:
    return _needs_decision(passage_and_shown[1])


def _needs_decision(shown: ShownPassage) -> bool:
    """Whether the reader still has to decide; adjudicators only where judges disagree."""
    if shown.others:
        return shown.conflict and shown.verdict is None
    return find_adjudicated_or_unanimous_verdict((), shown.verdict) is None


def _load_pair_proteins(passage: PooledPassage) -> tuple[PairProtein, PairProtein]:
    """The proteins of a pair; the name is empty if the site does not know the identifier."""
    rows = Entry.objects.filter(database=passage.database, identifier__in=[passage.first, passage.second])
    names = {
        identifier: symbol or name for identifier, symbol, name in rows.values_list("identifier", "symbol", "name")
    }
    first, second = (
        PairProtein(identifier, names.get(identifier, ""), build_entry_url_or_empty(passage.database, identifier))
        for identifier in (passage.first, passage.second)
    )
    return first, second


def _split_marked_text(text: str, passages: Mapping[int, str]) -> list[MarkedTextPiece]:
    """Split a text into pieces inside and outside of passages, given {key: passage}; white space may differ."""
    spans = sorted((*span, key) for key, passage in passages.items() if (span := _find_passage_span(text, passage)))
    return list(_iter_text_pieces(text, spans))


def _find_passage_span(text: str, passage: str) -> tuple[int, int] | None:
    words = collapse_white_space(passage).split(" ")
    match = re.search(r"\s+".join(map(re.escape, words)), text)
    return match.span() if match else None


def _iter_text_pieces(text: str, spans: Iterable[tuple[int, int, int]]) -> Iterator[MarkedTextPiece]:
    position = 0
    for start, end, key in spans:
        if start > position:
            yield MarkedTextPiece(text[position:start], marked=False)
        if end > position:
            yield MarkedTextPiece(text[max(start, position) : end], marked=True, anchor=key)
            position = end
    if position < len(text):
        yield MarkedTextPiece(text[position:], marked=False)

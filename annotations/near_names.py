"""Names that are one slip of the finger away from what was written: for who looks for a gene or an organism by name.

A letter too many, too few, another one, or two exchanged are four in five misspellings (Damerau 1964). All that a name
may have been are looked up in the index of names at once, so that it takes as long with a million entries as with ten.
"""

from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from string import ascii_lowercase, digits
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from annotations.finding import OF_GENES, ORGANISMS
from annotations.models import Article, Standing
from annotations.registry.taxonomy import species
from bcms.lib.text import regularize

# One letter beside a short name makes any other; of a long one there are too many.
SHORTEST, LONGEST = 3, 40
# So many entries with such a name are looked at, and so many articles that name one of them.
MOST_ENTRIES, MOST_ARTICLES = 200, 200
MOST_NEAR = 5
LETTERS = ascii_lowercase + digits
# Each hundred on its own: the planner takes many rare names together for so many entries that it reads all there are.
AT_ONCE = 100
COLUMNS = "database, identifier, symbol, name, synonyms"
CALLED = f"""
    SELECT id, reported, {COLUMNS} FROM annotations_entry
    WHERE annotations_names(identifier, symbol, name, synonyms, successors) && %s::text[] AND database = ANY(%s)
"""


def near_genes(written: str, articles: QuerySet[Article]) -> list[str]:
    """At most five names of genes and proteins near to this one, of those that one of the articles is annotated with.

    Two queries.
    """
    return near(written, OF_GENES, articles)


def near_organisms(written: str, articles: QuerySet[Article]) -> list[str]:
    """At most five names of organisms near to this one, of those that one of the articles is annotated with.

    Two queries.
    """
    return near(written, (ORGANISMS,), articles)


def near(written: str, databases: Collection[str], articles: QuerySet[Article]) -> list[str]:
    slips = one_slip_away(regularize(written))
    if not slips:
        return []
    called = dict(names_among(slips, databases))
    standings = Standing.objects.filter(article__in=articles.values("pk"), named__overlap=list(called))
    rows = standings.order_by("article").values_list("named", flat=True)[:MOST_ARTICLES] if called else ()
    named = set(chain.from_iterable(rows))
    return list(dict.fromkeys(name for identifier, name in called.items() if identifier in named))[:MOST_NEAR]


def names_among(slips: set[str], databases: Collection[str]) -> Iterator[tuple[str, str]]:
    """Entries as Standing.named has them, each with its name that is meant; those that somebody reports first."""
    if ORGANISMS in databases:
        for own in species():
            if name := first_among(slips, (own.name, *own.common)):
                yield f"{ORGANISMS}:{own.taxon}", name
    for database, identifier, symbol, name, synonyms in entries_called(sorted(slips), list(databases)):
        if meant := first_among(slips, (symbol, name, *synonyms)):
            yield f"{database}:{identifier}", meant


def entries_called(names: list[str], databases: list[str]) -> list[tuple[Any, ...]]:
    parts = [names[start : start + AT_ONCE] for start in range(0, len(names), AT_ONCE)]
    called = " UNION ALL ".join([CALLED] * len(parts))
    wanted = [own for part in parts for own in (part, databases)]
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {COLUMNS} FROM ({called}) AS called ORDER BY reported DESC, id LIMIT {MOST_ENTRIES}", wanted
        )
        return list(cursor.fetchall())


def first_among(slips: set[str], names: Iterable[str]) -> str:
    return next((name for name in names if regularize(name) in slips), "")


def one_slip_away(name: str) -> set[str]:
    """Every name that one slip makes of this one; none of one that is too short or too long to tell."""
    if not SHORTEST <= len(name) <= LONGEST:
        return set()
    parts = [(name[:at], name[at:]) for at in range(len(name) + 1)]
    without = {left + right[1:] for left, right in parts if right}
    exchanged = {left + right[1] + right[0] + right[2:] for left, right in parts if len(right) > 1}
    other = {left + letter + right[1:] for left, right in parts if right for letter in LETTERS}
    more = {left + letter + right for left, right in parts for letter in LETTERS}
    return (without | exchanged | other | more) - {name}

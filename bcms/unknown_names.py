"""Which name in a filter is the reason that nothing was found, and how it may have been meant."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from annotations.finding import Wish, found
from annotations.models import Article
from annotations.near_names import near_genes, near_organisms


@dataclass(frozen=True, slots=True)
class UnknownName:
    """field is the filter's; near are names of its kind that do find something, mend is what to do without any."""

    field: str
    said: str
    mend: str
    near: Sequence[str]

    @property
    def message(self) -> str:
        return f"{self.said} {f'Did you mean {self.likeliest}?' if self.near else self.mend}"

    @property
    def likeliest(self) -> str:
        return " or ".join(self.near)


@dataclass(frozen=True, slots=True)
class Filter:
    field: str
    what: str
    example: str
    near: Callable[[str, QuerySet[Article]], list[str]]


FILTERS = (
    Filter("gene", "a gene or protein", "an identifier such as uniprot:P04637", near_genes),
    Filter("taxon", "an organism", "a number of the NCBI Taxonomy such as 9606", near_organisms),
)


def unknown_names(articles: QuerySet[Article], wish: Wish) -> Iterator[UnknownName]:
    """The names in the wish with which none of the articles is annotated, whatever else is wished for.

    For who found nothing. Only what the articles show is told: a name that the tables of identifiers know, and one that
    they do not, are answered alike. Four queries for each name.
    """
    for own in FILTERS:
        written = getattr(wish, own.field)
        if not written or found(articles, Wish(**{own.field: written})).exists():
            continue
        said = f"No article is annotated with {own.what} “{written}”."
        mend = f"Check its spelling, or enter {own.example}."
        yield UnknownName(own.field, said, mend, own.near(written, articles))

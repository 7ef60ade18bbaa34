"""Articles in a list, each with what public servers make of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models.fields.json import KT

from annotations.models import Article, Standing
from annotations.querysets import FOUND, FOUND_END, with_highlights

LONG = ("text", "passages", "metadata", "standing__named", "standing__producers")


@dataclass(frozen=True, slots=True)
class Opinion:
    """What servers make of an article. balance and disagreement in percent, None where nobody looked."""

    servers: int
    yes: int
    no: int
    balance: int | None
    disagreement: int | None

    @property
    def likely(self) -> str:
        """Whether it is about protein interactions, in a word or two."""
        if self.balance is None:
            return ""
        return "likely PPI" if self.balance > 50 else "undecided" if self.balance == 50 else "hardly PPI"


@dataclass(frozen=True, slots=True)
class Hit:
    """One article in a list; title in parts, (words, whether they were searched for)."""

    ident: str
    title: list[tuple[str, bool]]
    journal: str
    year: int | None
    opinion: Opinion


def hits(keys: Sequence[int], words: str = "") -> list[Hit]:
    """The articles of these primary keys in their order, the words marked in the titles: one query."""
    articles = Article.objects.filter(pk__in=keys).select_related("standing").defer(*LONG)
    titled = with_highlights(articles, words) if words else articles.annotate(highlighted=KT("passages__0__text"))
    by_key = {article.pk: hit(article, getattr(article, "highlighted", None) or "") for article in titled}
    return [by_key[key] for key in keys if key in by_key]


def hit(article: Article, title: str) -> Hit:
    standing = getattr(article, "standing", None)
    ident = str(article.pmid or article.opaque)
    return Hit(ident, parts(title), article.journal, article.year, opinion(standing))


def opinion(standing: Standing | None) -> Opinion:
    if standing is None:
        return Opinion(0, 0, 0, None, None)
    shares = (None if own is None else round(100 * own) for own in (standing.balance, standing.disagreement))
    return Opinion(standing.servers, standing.yes, standing.no, *shares)


def parts(title: str) -> list[tuple[str, bool]]:
    """Split a title at the marks around what was found."""
    pieces = [piece.partition(FOUND_END) for piece in title.split(FOUND)]
    split = [(pieces[0][0], False)]
    for found, _, rest in pieces[1:]:
        split += [(found, True), (rest, False)]
    return [(words, found) for words, found in split if words]

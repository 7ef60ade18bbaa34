"""All that the article page shows, and the addresses of everything that may be chosen on it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.safestring import SafeString

from annotations.collation import Balance, Order, heat_level
from annotations.databases import entry_page
from annotations.models import Article
from bcms.pages.agreed import Agreement
from bcms.pages.awaited import ServerLine
from bcms.pages.listing import Listing
from bcms.pages.marking import html_of, span_key
from bcms.pages.parts import Chosen, Row
from bcms.pages.reading import Reading
from bcms.pages.votes import votes_html

MOST_AUTHORS = 12
# A text of more passages is drawn as it comes into sight.
LONG = 20


@dataclass(frozen=True)
class Page:
    """All that the article page and its refreshed part show."""

    reading: Reading
    chosen: Chosen | None
    agreement: Agreement
    servers: list[ServerLine]
    version: str
    done: bool
    ask: bool
    ident: str
    # How many answers are about an older text, and which older texts are kept.
    older: int = 0
    older_versions: Sequence[int] = ()
    # Of a page that shows an older text: the version of the present one.
    present_version: int | None = None

    @property
    def article(self) -> Article:
        return self.reading.article

    @property
    def live_url(self) -> str:
        page = str(self.reading.choice.page or "")
        return f"{reverse('article-live', args=[self.ident])}{self.query(page=page)}"

    @property
    def legend(self) -> list[tuple[int, str]]:
        return legend(self.reading.looked)

    @property
    def passages(self) -> list[tuple[str, SafeString]]:
        """The type of each passage and its marked text."""
        return [(passage.type, html_of(passage.pieces, self.mention_query)) for passage in self.reading.passages]

    @cached_property
    def listing(self) -> Listing:
        return Listing(self.reading)

    @property
    def rows(self) -> list[tuple[Row, SafeString]]:
        """The rows of the list, each with who says so."""
        return [(row, votes_html(row.lines, self.server_url, self.results_url)) for row in self.listing.rows]

    @property
    def long(self) -> bool:
        return len(self.article.passages) > LONG

    @property
    def words_on(self) -> str:
        """The keys of the marks that are chosen, for the script of a page that has the text already."""
        return " ".join(sorted(self.reading.marked.words))

    @cached_property
    def results_url(self) -> str:
        """What the address of each answer begins with."""
        return reverse("article-results", args=[self.ident])

    @property
    def pubmed(self) -> str:
        return entry_page("pubmed", str(self.article.pmid or ""))

    @property
    def doi(self) -> str:
        return entry_page("doi", self.article.doi)

    @property
    def authors(self) -> str:
        names = [str(name) for name in self.article.metadata.get("authors", ())]
        return ", ".join(names[:MOST_AUTHORS]) + (" and others" if len(names) > MOST_AUTHORS else "")

    @property
    def bar_words(self) -> str:
        return bar_words(self.reading.bar.balance) if self.reading.bar else ""

    @property
    def announcement(self) -> str:
        """What is read out when it changes."""
        heard = len({word.source.server for word in self.reading.spoken})
        words = f"{heard} of {len(self.servers)} servers answered."
        if chosen := self.chosen:
            return f"{words} {chosen.text}: {len(chosen.meanings)} database entries, {chosen.sentences} sentences."
        return words

    @cached_property
    def server_url(self) -> str:
        """What the address of each server's page begins with: hundreds of links, resolved once."""
        return reverse("server-list")

    @property
    def close_query(self) -> str:
        return self.query(mention="", beside="")

    def query(self, **changes: str) -> str:
        return "?" + urlencode(self.pairs(**changes))

    def pairs(self, **changes: str) -> list[tuple[str, str]]:
        """What the reader chose, with changes; another page of the list is named by what leads there alone."""
        choice = self.reading.choice
        chosen = {
            "kind": self.reading.kind.value,
            "order": choice.order.value if choice.order != Order.SERVERS else "",
            "mention": span_key(choice.mention) if choice.mention else "",
            "beside": span_key(choice.beside) if choice.beside else "",
            "text": str(self.article.text_version) if self.present_version else "",
        }
        pairs = [(key, value) for key, value in {**chosen, **changes}.items() if value]
        return pairs + choice.filters.pairs() + choice.rule.pairs()

    # The queries of links, each but for the value at its end

    @cached_property
    def tab_query(self) -> str:
        return self.query(kind="") + "&kind="

    @cached_property
    def order_query(self) -> str:
        return self.query(order="") + "&order="

    @cached_property
    def page_query(self) -> str:
        return self.query() + "&page="

    @cached_property
    def mention_query(self) -> str:
        return self.query(mention="", beside="") + "&mention="

    @cached_property
    def sentence_query(self) -> str:
        return self.query(mention="") + "&mention="

    @cached_property
    def beside_query(self) -> str:
        return self.query(beside="") + "&beside="

    @property
    def alone_query(self) -> str:
        return self.query(beside="")

    @property
    def number(self) -> int:
        """How many annotations of the open kind there are."""
        return self.reading.numbers.get(self.reading.kind, 0)

    @property
    def unfiltered_query(self) -> str:
        return "?" + urlencode([pair for pair in self.pairs() if pair not in self.reading.choice.filters.pairs()])

    @property
    def filter_pairs(self) -> list[tuple[str, str]]:
        """What the form of filters sends besides its own fields."""
        return [pair for pair in self.pairs() if pair not in self.reading.choice.filters.pairs()]

    @property
    def rule_pairs(self) -> list[tuple[str, str]]:
        """What the form of the consensus sends besides its own fields."""
        return [pair for pair in self.pairs() if pair not in self.reading.choice.rule.pairs()]


def legend(total: int) -> list[tuple[int, str]]:
    """The levels of heat that occur with so many servers, each with how many servers it means."""
    counts: dict[int, list[int]] = {}
    for count in range(1, total + 1):
        counts.setdefault(heat_level(count, total), []).append(count)
    return [(level, legend_words(some, total)) for level, some in counts.items()]


def legend_words(counts: list[int], total: int) -> str:
    if counts[0] == total:
        return f"all {total} servers" if total > 1 else "1 server"
    return str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def bar_words(sum_of: Balance) -> str:
    total = sum_of.yes + sum_of.no
    mean = "" if sum_of.mean_confidence is None else f", mean confidence {sum_of.mean_confidence:.2f}"
    return f"{sum_of.yes} of {total} server{'s' if total > 1 else ''} say{'s' if total == 1 else ''} yes{mean}"

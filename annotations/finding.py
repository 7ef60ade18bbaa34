"""Articles by what one wishes for: words, names, genes, organisms, servers and whether these agree; and in what order.

Whatever is said of an article counts as its Standing has it: only what is public, and some seconds old.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from django.contrib.postgres.search import SearchQuery, SearchRank, SearchVector
from django.db.models import Expression, F, FloatField, Q, QuerySet, Value
from django.db.models.functions import Cast, Coalesce, Upper
from django.db.models.lookups import GreaterThan

from annotations.databases import DATABASES
from annotations.formats.read_article import Name
from annotations.greek import in_latin
from annotations.models import NAMES, Article, Entry
from annotations.querysets import search_query
from annotations.registry.taxonomy import species
from bcms.lib.text import regularize

ORGANISMS = "ncbitaxon"
# Where genes and proteins have their identifiers, and where everything else has.
OF_GENES = ("uniprot", "ncbigene")
# So many entries of one name are looked for: of a name that is common to all organisms, those that annotations name.
MOST_CALLED = 1000
UNDECIDED = 0.5
# As the indexes of Standing have them; what nobody has an opinion of comes last.
BALANCE = Coalesce("standing__balance", -1.0)
DISAGREEMENT = Coalesce("standing__disagreement", -1.0)
NEWEST = Coalesce("pmid", 0)
# A long text is not a better one: the rank is divided by 1 + log(number of words).
BY_LENGTH = 1
# So many articles with the words of a search are ranked for a page: to rank one takes as long as to count a hundred.
MOST_RANKED = 2000
# So many found articles are counted for a page; of more nobody reads the number.
MOST_COUNTED = 10_000


class Order(StrEnum):
    RELEVANCE = "relevance"
    NEWEST = "newest"
    PPI = "ppi"
    SERVERS = "servers"
    DISAGREEMENT = "disagreement"


@dataclass(frozen=True, slots=True)
class Wish:
    """What an article must have; whatever is empty is not asked for.

    words: all of them, "a phrase", one or another, -without. names: it has one of these. journal: words of its name.
    since, until: years. gene, taxon: a name or an identifier that an annotation gives. producers: one of these
    annotated it. servers: at least so many did. likely: servers say that it is about protein interactions.
    disagreeing: servers agree on less than half (Standing.disagreement). corpus: it is in that one.
    """

    words: str = ""
    names: tuple[Name, ...] = ()
    journal: str = ""
    since: int | None = None
    until: int | None = None
    gene: str = ""
    taxon: str = ""
    producers: tuple[int, ...] | None = None
    servers: int = 0
    likely: bool = False
    disagreeing: bool = False
    corpus: int | None = None
    order: Order | None = None

    @property
    def ordered_by(self) -> Order:
        """Without words nothing is more relevant than another."""
        if self.order in (None, Order.RELEVANCE):
            return Order.RELEVANCE if self.words else Order.NEWEST
        return self.order or Order.NEWEST


def found(articles: QuerySet[Article], wish: Wish) -> QuerySet[Article]:
    """Those of the articles that have all that is wished for, in no order yet.

    One query for the gene's name and one for the organism's are made at once, if they are asked for; no more.
    """
    for narrowed in NARROWING:
        articles = narrowed(articles, wish)
    return articles


def rank(wish: Wish) -> Expression | F:
    """What found articles are ordered by, the highest first: a number, never null."""
    match wish.ordered_by:
        case Order.RELEVANCE:
            ranked = SearchRank(F("words"), search_query(wish.words), normalization=Value(BY_LENGTH))
            return Cast(ranked, FloatField())
        case Order.PPI:
            return BALANCE
        case Order.SERVERS:
            return F("standing__servers")
        case Order.DISAGREEMENT:
            return DISAGREEMENT
        case _:
            return NEWEST


def foremost(matching: QuerySet[Article], wish: Wish) -> QuerySet[Article]:
    """What a page puts in order: of very many that have the words, which so says little, the newest 2,000."""
    if wish.ordered_by != Order.RELEVANCE:
        return matching
    newest = matching.order_by(NEWEST.desc(), "-pk").values("pk")[:MOST_RANKED]
    return Article.objects.filter(pk__in=newest)


def counted(matching: QuerySet[Article]) -> int:
    """How many there are, 10,001 for all that are more than 10,000: to count takes no longer with more of them."""
    return matching.values("pk")[: MOST_COUNTED + 1].count()


def _with_words(articles: QuerySet[Article], wish: Wish) -> QuerySet[Article]:
    return articles.filter(words=search_query(wish.words)) if wish.words else articles


def _of_names(articles: QuerySet[Article], wish: Wish) -> QuerySet[Article]:
    if not wish.names:
        return articles
    return articles.alias(upper_doi=Upper("doi")).filter(
        Q(pmid__in={name.pmid for name in wish.names if name.pmid})
        | Q(pmcid__in={name.pmcid for name in wish.names if name.pmcid})
        | Q(upper_doi__in={name.doi.upper() for name in wish.names if name.doi})
    )


def _of_journal(articles: QuerySet[Article], wish: Wish) -> QuerySet[Article]:
    if not wish.journal:
        return articles
    words = SearchQuery(wish.journal, config="simple", search_type="websearch")
    return articles.alias(journal_words=SearchVector("journal", config="simple")).filter(journal_words=words)


def _of_years(articles: QuerySet[Article], wish: Wish) -> QuerySet[Article]:
    if wish.since is not None:
        articles = articles.filter(year__gte=wish.since)
    return articles if wish.until is None else articles.filter(year__lte=wish.until)


def _of_corpus(articles: QuerySet[Article], wish: Wish) -> QuerySet[Article]:
    return articles if wish.corpus is None else articles.filter(corpusarticle__corpus=wish.corpus)


def _of_gene(articles: QuerySet[Article], wish: Wish) -> QuerySet[Article]:
    return articles.filter(standing__named__overlap=genes_called(wish.gene)) if wish.gene else articles


def _of_taxon(articles: QuerySet[Article], wish: Wish) -> QuerySet[Article]:
    return articles.filter(standing__named__overlap=organisms_called(wish.taxon)) if wish.taxon else articles


def _by_servers(articles: QuerySet[Article], wish: Wish) -> QuerySet[Article]:
    if wish.producers is not None:
        articles = articles.filter(standing__producers__overlap=list(wish.producers))
    return articles.filter(standing__servers__gte=wish.servers) if wish.servers else articles


def _agreed(articles: QuerySet[Article], wish: Wish) -> QuerySet[Article]:
    of_standing = wish.ordered_by in (Order.PPI, Order.SERVERS, Order.DISAGREEMENT)
    if of_standing or wish.likely or wish.disagreeing:
        # The index of standings gives the order only where there is one for each article.
        articles = articles.filter(standing__isnull=False)
    if wish.likely:
        articles = articles.filter(GreaterThan(BALANCE, Value(UNDECIDED)))
    return articles.filter(GreaterThan(DISAGREEMENT, Value(UNDECIDED))) if wish.disagreeing else articles


NARROWING: tuple[Callable[[QuerySet[Article], Wish], QuerySet[Article]], ...] = (
    *(_with_words, _of_names, _of_journal, _of_years, _of_corpus),
    *(_of_gene, _of_taxon, _by_servers, _agreed),
)


def genes_called(written: str) -> list[str]:
    """The genes and proteins of a name, a synonym or an identifier, old ones too, as Standing.named has them.

    "uniprot:P04637" is that one alone, a number is an identifier of NCBI Gene. One query.
    """
    text = written.strip()
    database, _, identifier = text.partition(":")
    if database.lower() in DATABASES and database.lower() != ORGANISMS:
        return _with_old_names(database.lower(), identifier.strip())
    known = [f"{name}:{form}" for name in OF_GENES for form in (text, text.upper()) if _fits(name, form)]
    called = _entries(text).exclude(database__in=(ORGANISMS, "psi-mi"))
    return list(dict.fromkeys([*known, *_names(called)]))


def organisms_called(written: str) -> list[str]:
    """The organisms of a taxon id or a name, as Standing.named has them. One query."""
    text = written.strip().removeprefix(f"{ORGANISMS}:")
    known = [text] if _fits(ORGANISMS, text) else []
    asked = regularize(text)
    known += [str(own.taxon) for own in species() if asked in {regularize(form) for form in (own.name, *own.common)}]
    names = [f"{ORGANISMS}:{taxon}" for taxon in known]
    return list(dict.fromkeys([*names, *_names(_entries(text).filter(database=ORGANISMS))]))


def _with_old_names(database: str, identifier: str) -> list[str]:
    own = [f"{database}:{identifier}"]
    return list(dict.fromkeys([*own, *_names(_entries(identifier).filter(database=database))]))


def _entries(text: str) -> QuerySet[Entry]:
    names = list({name for own in (text, in_latin(text)) if (name := regularize(own))})
    known = Entry.objects.alias(names=NAMES)
    entries = known.filter(names__overlap=names) if names else known.none()
    return entries.order_by("-reported", "pk")


def _names(entries: QuerySet[Entry]) -> list[str]:
    """The identifiers, and what old ones mean today."""
    rows = entries.values_list("database", "identifier", "successors")[:MOST_CALLED]
    return [f"{database}:{name}" for database, own, successors in rows for name in (own, *successors)]


def _fits(database: str, identifier: str) -> bool:
    return DATABASES[database].pattern.fullmatch(identifier) is not None

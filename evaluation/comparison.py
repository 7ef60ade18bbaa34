"""A run against the gold standard, article by article: what it found, missed and reported wrongly; why; where to cut.

Only what the user may see comes here: evaluation/own_runs.py says who may see the figures of a run, and a gold standard
that is secret has no Results to compare with.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache
from django.db.models import F

from annotations.databases import entry_page
from annotations.kinds import Finding, Kind
from annotations.models import Article, CorpusArticle, Result
from evaluation.analyses.causes import Fault, by_cause, faults
from evaluation.analyses.cutoff import Cutoff, cutoff_by_confidence, cutoff_by_rank
from evaluation.articles import articles_of
from evaluation.measures.bc2gm import accounted
from evaluation.measures.finding_figures import genes_in, mention_sides
from evaluation.measures.order import unsureness
from evaluation.measures.scenarios import Scenario
from evaluation.measures.spans import Span
from evaluation.mentions.alternatives import Accepted, accepted_by, places_of
from evaluation.models import GoldStandard, Phase, Run, Score
from evaluation.run_findings import gold_columns, run_columns
from evaluation.scoring import Said, answers_of, by_names, right_of

PER_PAGE = 25
SECONDS_KEPT = 3600
FIELDS = ("confidence", "rank", "database", "identifier", "partner", "relevant", "text", "start", "end", "type")


@dataclass(frozen=True, slots=True)
class Named:
    """An item as a page shows it; page is its address in its database, empty when it has none."""

    text: str
    page: str


@dataclass(frozen=True, slots=True)
class Compared:
    """One article: name is what the phase calls it, page what its page is found by, empty in a blind phase.

    A call (ACT) stands in said and right, items in the three lists.
    """

    name: str
    page: str
    title: str
    answered: bool
    found: Sequence[Named]
    missed: Sequence[Named]
    false: Sequence[Named]
    said: str = ""
    right: str = ""

    @property
    def faulty(self) -> bool:
        return bool(self.missed or self.false) or self.said != self.right


@dataclass(frozen=True, slots=True)
class CauseRow:
    miss: bool
    cause: str
    number: int
    share: float


@dataclass(frozen=True, slots=True)
class Cut:
    """Where lists are best cut: by "confidence" or "rank", at which value, the FAP there and without a cut."""

    by: str
    value: float
    fap: float
    uncut: float

    @property
    def shown(self) -> str:
        return f"{self.value:g}"

    @property
    def cuts(self) -> bool:
        """Whether it leaves out anything that lowers the FAP."""
        return self.fap > self.uncut


@dataclass(frozen=True, slots=True)
class Analysis:
    """Of a whole run: the causes of its faults, where to cut it, and the articles with a fault."""

    causes: Sequence[CauseRow]
    cuts: Sequence[Cut]
    faulty: Sequence[int]


def gold_of(run: Run) -> GoldStandard | None:
    """The gold standard that a run can be compared with, None when there is none or it is sealed."""
    return GoldStandard.objects.filter(task=run.task_id, phase=run.phase_id, producer__isnull=False).first()


def analysis(run: Run, gold: GoldStandard, score: Score) -> Analysis:
    """The whole run, computed once for each score and kept an hour."""
    key = f"analysis:{run.pk}:{score.pk}:{score.computed.timestamp()}"
    found = cache.get(key)
    if found is None:
        found = analysed(run, gold)
        cache.set(key, found, SECONDS_KEPT)
    return found


def analysed(run: Run, gold: GoldStandard) -> Analysis:
    kind, names = Kind(run.task.kind), articles_of(run.phase)
    right = right_of(gold, kind).findings
    said = answers_of(run.producer_id, kind).findings
    known = {article: name for article, name in names.items() if article in right}
    if kind == Kind.CLASSIFICATION:
        return Analysis([], [], [pk for pk in known if call(said.get(pk, ())) != call(right[pk])])
    if kind == Kind.PASSAGE:
        return Analysis([], [], [pk for pk in known if keys_of(said.get(pk, ())) != keys_of(right[pk])])
    if kind == Kind.MENTION:
        return analysed_mentions(known, right, said, accepted_by(gold, known))
    return analysed_lists(known, right, said, average="micro" if kind == Kind.METHOD else "macro")


def keys_of(findings: Sequence[Finding]) -> set[object]:
    return {finding.key for finding in findings}


def analysed_lists(known: Mapping[int, str], right: Any, said: Any, average: Any) -> Analysis:
    """Documents without a right item count in the causes, but as everywhere not in the figures."""
    gold, run = gold_columns(known, right), run_columns(known, said)
    found, cuts = faults(gold, run), []
    if len(run) and len(gold.item):
        cuts = [cut_of(cutoff_by_rank(gold, run, average=average))]
        if run.confidence is not None:
            cuts.insert(0, cut_of(cutoff_by_confidence(gold, run, average=average)))
    return analysis_of(known, found, cuts)


def analysed_mentions(known: Mapping[int, str], right: Said, said: Said, accepted: Accepted | None) -> Analysis:
    """Mentions have no order in which they could be cut."""
    sides = mention_sides(by_names(known, right), by_names(known, said))
    scenario = Scenario(empty_documents=True, alternatives=accepted)
    return analysis_of(known, faults(sides.gold, sides.run, scenario), [])


def analysis_of(known: Mapping[int, str], found: Sequence[Fault], cuts: Sequence[Cut]) -> Analysis:
    totals = {miss: sum(own.miss == miss for own in found) for miss in (True, False)}
    causes = [CauseRow(miss, str(cause), number, number / totals[miss]) for miss, cause, number in by_cause(found)]
    faulty = {own.document for own in found}
    return Analysis(causes, cuts, [pk for pk, name in known.items() if name in faulty])


def cut_of(own: Cutoff) -> Cut:
    uncut = own.tried[0] if own.by == "confidence" else own.tried[-1]
    return Cut(own.by, own.value, own.fap, uncut.fap)


def compared(run: Run, gold: GoldStandard, articles: Sequence[int]) -> list[Compared]:
    """These articles in their order: three queries, whatever their number."""
    blind, genes = run.phase.corpus.blind, run.task.kind == Kind.MENTION
    fields = ("pk", "pmid", "doi", "opaque", "passages", *(["text"] if genes else []))
    rows = Article.objects.filter(pk__in=articles).only(*fields).in_bulk()
    right, said = (said_of(producer, run.task.kind, articles) for producer in (gold.producer_id, run.producer_id))
    if genes:
        places = places_of(gold) or {}
        return [
            one_of_genes(rows[pk], right.get(pk, []), said.get(pk), places.get(pk, ()), blind=blind) for pk in articles
        ]
    return [one(rows[pk], Kind(run.task.kind), right.get(pk, []), said.get(pk), blind=blind) for pk in articles]


def said_of(producer: int | None, kind: str, articles: Sequence[int]) -> dict[int, list[Finding]]:
    """What a producer says of these articles, in one query; those with an empty Result have an empty list."""
    current = Result.objects.filter(producer=producer, kind=kind, superseded__isnull=True, article__in=articles)
    if kind == Kind.MENTION:
        current = current.filter(text_version=F("article__text_version"))
    fields = ("article_id", "annotations__pk", *(f"annotations__{name}" for name in FIELDS))
    rows = current.order_by("annotations__pk").values_list(*fields)
    found: dict[int, list[Finding]] = {}
    for article, key, *values in rows:
        findings = found.setdefault(article, [])
        if key is not None:
            findings.append(Finding(Kind(kind), **dict(zip(FIELDS, values, strict=True))))
    return found


def one_of_genes(
    article: Article, right: list[Finding], said: list[Finding] | None, accepted: Collection[Span], *, blind: bool
) -> Compared:
    """The mentions of genes in the order of the text; an accepted alternative is found, even if its gene was before."""
    genes, reported = genes_in(right), genes_in(said or [])
    got, false = accounted(genes, accepted, reported)
    spans = (
        [span for span in reported if span not in false],
        [span for span in genes if span not in got],
        [span for span in reported if span in false],
    )
    found, missed, wrong = ([place_in(article, span) for span in own] for own in spans)
    name, page = called(article, blind=blind)
    return Compared(name, page, article.title, said is not None, found, missed, wrong)


def place_in(article: Article, span: Span) -> Named:
    return Named(f"{article.text[slice(*span)]} ({span.start}-{span.end})", "")


def called(article: Article, *, blind: bool) -> tuple[str, str]:
    """What the phase calls an article, and what its page is found by."""
    if blind:
        return article.opaque, ""
    return str(article.pmid or article.doi or article.opaque), str(article.pmid or article.opaque)


def one(article: Article, kind: Kind, right: list[Finding], said: list[Finding] | None, *, blind: bool) -> Compared:
    name, page = called(article, blind=blind)
    own = sorted(said or [], key=lambda finding: (*unsureness(finding), finding.identifier, finding.partner))
    if kind == Kind.CLASSIFICATION:
        return Compared(name, page, article.title, said is not None, [], [], [], call(own), call(right))
    keys, reported = keys_of(right), keys_of(own)
    return Compared(
        name,
        page,
        article.title,
        said is not None,
        named(finding for finding in own if finding.key in keys),
        named(finding for finding in right if finding.key not in reported),
        named(finding for finding in own if finding.key not in keys),
    )


def call(findings: Any) -> str:
    """A call in words; an article without one counts as not relevant."""
    return "relevant" if any(finding.relevant for finding in findings) else "not relevant"


def named(findings: Any) -> list[Named]:
    return [name_of(finding) for finding in findings]


def name_of(finding: Finding) -> Named:
    if finding.text:
        return Named(f"{finding.identifier} - {finding.partner}: {finding.text}", "")
    if finding.partner:
        return Named(f"{finding.identifier} - {finding.partner}", "")
    return Named(finding.identifier, entry_page(finding.database, finding.identifier))


def everything_of(run: Run) -> Mapping[int, Sequence[Finding]]:
    """All that a run says, by article."""
    return answers_of(run.producer_id, Kind(run.task.kind)).findings


def articles_in_order(phase: Phase) -> list[int]:
    """The articles that count, in the order of the corpus."""
    counted = articles_of(phase)
    rows = (
        CorpusArticle.objects.filter(corpus=phase.corpus_id).order_by("position").values_list("article_id", flat=True)
    )
    return [pk for pk in rows if pk in counted]

"""Import a gold standard: a file becomes the Results of a gold producer over the corpus of a phase.

That of a test is sealed as soon as it is checked, and becomes Results when it is published: before, nobody but the
scoring worker can read it. Nothing of a gold standard is logged.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.gold_tsv import MOST_FAULTS, GoldLine
from annotations.kinds import Finding, Kind
from annotations.models import Article, Corpus, Producer, Result
from annotations.storing import store_annotations
from evaluation import phases
from evaluation.errors import ChallengeError
from evaluation.gold_files import Scanned, scan_gold_file, scan_mentions
from evaluation.mentions.alternatives import (
    AlternativesFile,
    Places,
    alternatives_within,
    keep,
    places_of,
    read_alternatives,
    unseal_alternatives,
)
from evaluation.models import GoldStandard, Phase, Task
from evaluation.run_files import in_order
from evaluation.sealing import SealError, open_sealed, seal

BATCH = 5000
Findings = Mapping[int, Sequence[Finding]]


@dataclass(frozen=True, slots=True)
class Known:
    """An article of the corpus: its key, the version of its text, and the name to call it by."""

    id: int
    text_version: int
    name: str


def import_gold(task: Task, phase: Phase, path: Path | str, source: str = "") -> GoldStandard:
    """Read the gold standard file of one task and phase and store it, in the place of an earlier one.

    source says where the file comes from (default: its name). RefusedFileError with every fault of the file, and then
    nothing is stored; OSError when it cannot be read; ValueError for a kind without gold standard files.
    """
    path = Path(path)
    return store_gold(task, phase, path.read_bytes(), path.name, source=source)


def store_gold(
    task: Task,
    phase: Phase,
    content: bytes,
    name: str,
    alternatives: AlternativesFile | None = None,
    source: str = "",
) -> GoldStandard:
    """As import_gold, from the bytes of the file with this name.

    alternatives: of mentions what is accepted in place of genes; its faults are told with those of the gold standard.
    ChallengeError when it is to be sealed and the site has no key, and for alternatives of anything else.
    """
    if alternatives is not None and task.kind != Kind.MENTION:
        raise ChallengeError(f"{task} has no alternatives, only mentions have: upload the gold standard alone.")
    if task.kind == Kind.PASSAGE:
        raise ChallengeError(f"The passages of {task} are judged on the site: collect them and name judges.")
    try:
        findings, articles = read_gold(task, phase, content, name)
    except RefusedFileError as error:
        more = faults_of_alternatives(task, phase, content, name, alternatives)
        raise RefusedFileError(file_by_file([*error.faults, *more], name)) from None
    if task.kind == Kind.MENTION:
        alternatives = alternatives or alternatives_within(content, name)
    places = alternatives_in(phase.corpus, alternatives) if alternatives else {}
    key, source = the_public_key() if secret(task, phase) else None, source or name
    with transaction.atomic(savepoint=False):
        if key is not None:
            gold = replace_sealed(task, phase, seal(content, key), content, source)
        else:
            gold = replace(task, phase, articles, findings, content, source)
        if task.kind == Kind.MENTION:
            keep(gold, alternatives, places, key)
    return gold


def secret(task: Task, phase: Phase) -> bool:
    """Whether the gold standard of the task in the phase is kept from everybody: that of a test, until published."""
    if phase.sort != Phase.Sort.TEST or phase.published:
        return False
    return not GoldStandard.objects.filter(task=task, phase=phase, published__isnull=False).exists()


def the_public_key() -> RSAPublicKey:
    key: RSAPublicKey | None = settings.GOLD_PUBLIC_KEY
    if key is None:
        raise ChallengeError(
            "This site has no key to seal the gold standard of a test with: its administrator makes one with "
            "`manage.py make_gold_key` and sets GOLD_PUBLIC_KEY; then upload the file again."
        )
    return key


def read_gold(task: Task, phase: Phase, content: bytes, source: str) -> tuple[Findings, dict[int, Known]]:
    """What is right by article, and the articles of the phase's corpus; RefusedFileError with every fault."""
    kind = Kind(task.kind)
    names = articles_by_name(phase.corpus)
    lines, faults = scan(content, task, phase.corpus, names, source)
    faults += misfits(names, lines, source)
    # A faulty line may be the one that an article lacks, so this comes only when all lines are right.
    if kind == Kind.CLASSIFICATION and not faults:
        faults += unlabelled(names, lines, source)
    if faults:
        raise RefusedFileError(sorted(faults, key=lambda fault: (fault.line, fault.column))[:MOST_FAULTS])
    findings: dict[int, list[Finding]] = defaultdict(list)
    for line in lines:
        findings[names[line.article].id].append(line.finding)
    return findings, {article.id: article for article in names.values()}


def scan(content: bytes, task: Task, corpus: Corpus, names: Mapping[str, Known], source: str) -> Scanned:
    if task.kind != Kind.MENTION:
        return scan_gold_file(content, Kind(task.kind), task.name, source)
    return scan_mentions(content, source, {name: own.id for name, own in names.items()}, texts_of(corpus))


def texts_of(corpus: Corpus) -> dict[int, str]:
    return dict(Article.objects.filter(corpora=corpus).values_list("pk", "text"))


def faults_of_alternatives(
    task: Task, phase: Phase, content: bytes, source: str, own: AlternativesFile | None
) -> Sequence[FormatError]:
    """Those of the alternatives, if there are any, beside a gold standard that was refused or within it."""
    if task.kind != Kind.MENTION:
        return ()
    try:
        own = own or alternatives_within(content, source)
        if own is not None:
            alternatives_in(phase.corpus, own)
    except RefusedFileError as error:
        return error.faults
    return ()


def file_by_file(faults: Iterable[FormatError], first: str) -> list[FormatError]:
    """Each fault once, as one file may be read twice; those of the file called `first` in front, by line."""
    distinct = {fault.args: fault for fault in faults}.values()
    return sorted(distinct, key=lambda fault: (fault.source != first, *in_order(fault)))


def alternatives_in(corpus: Corpus, own: AlternativesFile) -> Places:
    known = {name: article.id for name, article in articles_by_name(corpus).items()}
    return read_alternatives(own, known, texts_of(corpus))


def opened(gold: GoldStandard) -> dict[int, list[Finding]]:
    """What is right by article of the corpus, out of the sealed file: for the scoring worker, which has the key.

    SealError when it cannot be opened, and when the file does not fit the corpus any more.
    """
    return opened_file(gold)[0]


def opened_file(gold: GoldStandard) -> tuple[dict[int, list[Finding]], dict[int, Known], bytes]:
    content = open_sealed(bytes(gold.sealed or b""), settings.GOLD_PRIVATE_KEY)
    try:
        findings, articles = read_gold(gold.task, gold.phase, content, gold.source)
    except RefusedFileError as error:
        # From None, and without its faults, as they quote the file.
        raise SealError(
            f"{len(error.faults)} lines of the sealed gold standard of {gold.task} do not fit the articles of the "
            "phase any more: upload it again, and what is wrong is shown."
        ) from None
    return {pk: list(findings.get(pk, ())) for pk in articles}, articles, content


def unseal(gold: GoldStandard) -> GoldStandard:
    """Store the sealed gold standard as Results, which is what makes it public; SealError when it cannot be opened."""
    (findings, articles, content), places = opened_file(gold), places_of(gold)
    with transaction.atomic():
        stored = replace(gold.task, gold.phase, articles, findings, content, gold.source)
        unseal_alternatives(stored, places)
    return stored


def articles_by_name(corpus: Corpus) -> dict[str, Known]:
    """The articles of a corpus under each of their names: PMID, DOI, opaque id."""
    names: dict[str, Known] = {}
    rows = Article.objects.filter(corpora=corpus).order_by("corpusarticle__position")
    for pk, version, pmid, doi, opaque in rows.values_list("pk", "text_version", "pmid", "doi", "opaque"):
        own = [name for name in (str(pmid or ""), doi, opaque) if name]
        names |= dict.fromkeys(own, Known(pk, version, opaque if corpus.blind else own[0]))
    return names


def misfits(names: Mapping[str, Known], lines: Sequence[GoldLine], source: str) -> Iterator[FormatError]:
    """Lines of articles that the corpus lacks (R508) or that say the same as another under another name (R510)."""
    said: dict[tuple[object, ...], int] = {}
    for line in lines:
        article = names.get(line.article)
        if article is None:
            message = f"article {line.article} is not in the corpus of this phase - remove the line or add the article"
            yield FormatError(source, line.line, 1, "R508", message)
            continue
        first = said.setdefault((article.id, line.finding.key), line.line)
        if first != line.line:
            message = f"line {first} says the same of this article under its other name - remove one of the two"
            yield FormatError(source, line.line, 1, "R510", message)


def unlabelled(names: Mapping[str, Known], lines: Sequence[GoldLine], source: str) -> Iterator[FormatError]:
    """Articles of the corpus that the file gives no class (R509)."""
    labelled = {names[line.article].id for line in lines}
    for article in dict.fromkeys(names.values()):
        if article.id not in labelled:
            message = f"article {article.name} of the corpus has no class - add a line for it"
            yield FormatError(source, 0, 0, "R509", message)


@transaction.atomic
def replace_sealed(task: Task, phase: Phase, sealed: bytes, content: bytes, source: str) -> GoldStandard:
    """Store a sealed gold standard. Results that an earlier one had are deleted: they would tell much of this one."""
    Phase.objects.select_for_update().get(pk=phase.pk)
    gold = gold_in(task, phase)
    before, gold.producer, gold.sealed = gold.producer, None, sealed
    save(gold, content, source)
    if before is not None:
        before.results.all().delete()
        before.delete()
    return gold


def gold_in(task: Task, phase: Phase) -> GoldStandard:
    """The one that is there, or a new one."""
    gold = GoldStandard.objects.filter(task=task, phase=phase).first() or GoldStandard()
    gold.task, gold.phase = task, phase
    return gold


def save(gold: GoldStandard, content: bytes, source: str) -> None:
    """Everybody is told when it takes the place of another one."""
    checksum = sha256(content).hexdigest()
    if gold.pk is not None and gold.checksum != checksum:
        phases.note(gold.phase, phases.What.RESCORED, words=f"by another gold standard of {gold.task}")
    gold.checksum, gold.source, gold.imported = checksum, source[:300], Now()
    gold.save()
    gold.refresh_from_db(fields=["checksum", "source", "imported"])


@transaction.atomic
def replace(
    task: Task,
    phase: Phase,
    articles: Mapping[int, Known],
    findings: Findings,
    content: bytes,
    source: str,
) -> GoldStandard:
    """Store a checked gold standard; a Result for each article of the corpus, empty where nothing is right."""
    Phase.objects.select_for_update().get(pk=phase.pk)
    gold = gold_in(task, phase)
    gold.producer, gold.sealed = gold.producer or gold_producer(task, phase), None
    save(gold, content, source)
    Result.objects.filter(producer=gold.producer, superseded__isnull=True).update(superseded=Now())
    results = Result.objects.bulk_create(
        (
            Result(article_id=pk, text_version=article.text_version, kind=task.kind, producer=gold.producer)
            for pk, article in articles.items()
        ),
        batch_size=BATCH,
    )
    store_annotations((result.pk, finding) for result in results for finding in findings.get(result.article_id, ()))
    return gold


def gold_producer(task: Task, phase: Phase) -> Producer:
    name = f"Gold standard, {task.name} {phase.sort}"
    return Producer.objects.create(sort=Producer.Sort.GOLD, name=name, public=phase.published is not None)

"""PubTator files are read as they come; what cannot be understood refuses the whole file, with every fault."""

import gzip
from collections import Counter
from io import BytesIO

import pytest

from annotations.formats.annotated_text.identifier_fields import split_distinct_identifiers_without_prefix
from annotations.formats.annotated_text.mentions import AnnotatedTextFile, InteractionPair, TextMention
from annotations.formats.annotated_text.readers import ANNOTATED_TEXT_FORMATS
from annotations.formats.articles.annotated_article import AnnotatedArticle, ExportedProducer, ProducerResult
from annotations.formats.articles.parsed_article import ArticleIds, TextPassage
from annotations.formats.errors import RefusedFileError
from annotations.formats.pubtator.writer import find_left_out_of_pubtator, write_pubtator_mentions_and_pairs
from annotations.formats.result_sniffing import ResultFormat
from annotations.formats.rules import FILE_RULES
from annotations.schema import (
    AnnotationData,
    EntityId,
    Kind,
    Qualifier,
    RelationArgument,
    Span,
    make_mention,
    make_relation,
)
from tests.shared_data import require_shared_path

TWO_DOCUMENTS = """\
12|t|p53 binds Mdm2.
12|a|So does α-p53|t| in mice.
12\t0\t3\tp53\tGene\tNCBI Gene:7157
12\t10\t14\tMdm2\tGene\t4193;17246,4193
12\t24\t29\tα-p53\tGene\t-
12\tPPI\t7157\t4193\tNovel

13|t|Nothing.
13|a|
"""


def read_pubtator_text(text: str) -> AnnotatedTextFile:
    return ANNOTATED_TEXT_FORMATS[ResultFormat.PUBTATOR].read(BytesIO(text.encode("utf-8", "surrogateescape")), "mine")


def faults(text: str) -> list[tuple[int, int, str]]:
    with pytest.raises(RefusedFileError) as refusal:
        read_pubtator_text(text)
    return [(fault.line, fault.column, fault.rule) for fault in refusal.value.faults]


def read_published_file(*parts: str) -> AnnotatedTextFile:
    return ANNOTATED_TEXT_FORMATS[ResultFormat.PUBTATOR].read(
        BytesIO(gzip.decompress(require_shared_path(*parts).read_bytes())), parts[-1]
    )


def test_it_reads_documents_mentions_and_relations() -> None:
    own = read_pubtator_text(TWO_DOCUMENTS)
    assert own.documents == ["12", "13"]
    assert list(own.mentions) == [
        TextMention("12", 0, 3, "p53", "Gene", ("7157",), 3, given="NCBI Gene:7157"),
        TextMention("12", 10, 14, "Mdm2", "Gene", ("4193", "17246"), 4, given="4193;17246,4193"),
        TextMention("12", 24, 29, "α-p53", "Gene", (), 5, given="-"),
    ]
    assert own.pairs == [InteractionPair("12", "7157", "4193", "PPI", 6)]
    [relation] = own.relations
    assert (relation.type, relation.qualifiers) == ("PPI", (Qualifier("novelty", "Novel"),))
    assert [each.list_links() for each in relation.arguments] == [
        (EntityId("ncbigene", "7157"),),
        (EntityId("ncbigene", "4193"),),
    ]
    assert own.warnings == []


def test_it_reads_numbers_after_identifiers_as_confidences() -> None:
    lines = ["12|t|p53", "12\t0\t3\tp53\tGene\t7157\t0.5", "12\t0\t3\tp53\tGene\t7157\tp|53", "12\tCID\tD1\tD2\t0.25"]
    own = read_pubtator_text("\r\n".join(lines))
    assert [mention.confidence for mention in own.mentions] == [0.5, None]
    assert [(each.confidence, each.qualifiers) for each in own.relations] == [(0.25, ())]


def test_it_writes_identifiers_and_relations_as_pubtator_does() -> None:
    gene, drug, variant = EntityId("ncbigene", "7157"), EntityId("mesh", "D016685"), EntityId("", "c|SUB|C|1|T")
    arguments = [RelationArgument("Drug", (drug,)), RelationArgument("Gene", (gene,))]
    mentions = [
        make_mention([Span(0, 3)], "p53", "Gene", [gene, EntityId("uniprot", "P04637")]),
        make_mention([Span(0, 3)], "p53", "SequenceVariant", [variant]),
        make_mention([Span(0, 1), Span(2, 3)], "p 3", "Gene", [gene]),
    ]
    relations = [
        make_relation("Association", arguments, directed=True, qualifiers={"novelty": "No"}),
        make_relation("Association", [*arguments, RelationArgument("", (variant,))]),
    ]
    producer = ExportedProducer("Alpha", "server")
    results = [ProducerResult(producer, Kind.MENTION, mentions), ProducerResult(producer, Kind.RELATION, relations)]
    passages = [TextPassage("title", "p53\u2028\x85\v.")]
    article = AnnotatedArticle("12", ArticleIds(12), passages, results=results)
    assert "".join(write_pubtator_mentions_and_pairs([article])).split("\n") == [
        "12|t|p53   .",
        "12|a|",
        "12\t0\t3\tp53\tGene\t7157,UniProt:P04637",
        "12\t0\t3\tp53\tSequenceVariant\tc|SUB|C|1|T",
        "12\tAssociation\tMESH:D016685\t7157\tNo",
        "",
        "",
    ]


def test_it_reads_a_file_without_text_and_without_identifiers() -> None:
    own = read_pubtator_text("12\t0\t3\tp53\tgene\n13\t5\t9\tmice\tspecies\t-1\t\n12\t7\t9\tnot\tgene\t\n")
    assert own.documents == ["12", "13"]
    assert [mention.identifiers for mention in own.mentions] == [(), (), ()]


def test_it_reads_title_and_abstract_in_one_line() -> None:
    assert read_pubtator_text("1|t|A title. An abstract\n1\t12\t20\tabstract\tX\t1\n").warnings == []


def test_it_warns_where_the_text_is_another_and_reads_the_mention() -> None:
    own = read_pubtator_text(
        "1|t|A title\n1|a|of p53\n1\t11\t14\tp53\tGene\t7157\n1\t9\t99\tp53\tGene\t1\n1\t9\t11\tp5\tGene\t1\n"
    )
    assert [mention.start for mention in own.mentions] == [11, 9, 9]
    assert [str(warning) for warning in own.warnings] == [
        "mine:4:3: R655 the mention ends at 99, but the text has only 14 characters - "
        "count over title, one separator and abstract",
        "mine:5:3: R657 the text at this position is “f ”, not “p5” - correct text or position if this is not intended",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [(0, 0, "R659")]),
        ("\n\n", [(0, 0, "R659")]),
        ("1|t|A title\n1\t0\t1\tA\n", [(2, 1, "R652")]),
        ("1|t|A title\nnonsense\n", [(2, 1, "R652")]),
        ("|t|A title\n", [(1, 1, "R653")]),
        (" \t0\t1\tA\tGene\n", [(1, 1, "R653")]),
        ("1\tzero\t1\tA\tGene\t7\n", [(1, 3, "R654")]),
        ("1\t0\t1.5\tA\tGene\t7\n", [(1, 5, "R654")]),
        ("1\t-1\t٣\tA\tGene\t7\n", [(1, 3, "R654"), (1, 6, "R654")]),
        ("1\t5\t5\tA\tGene\t7\n", [(1, 3, "R654")]),
        ("1\t9999999999999999999999\t5\tA\tGene\t7\n", [(1, 3, "R654")]),
        ("1|t|A title\n1\t7\t9\tA\tGene\t7\n", [(2, 3, "R655")]),
        ("1\t0\t1\tA\t \t7\n", [(1, 9, "R656")]),
        ("1|t|A title\n1|t|A title\n", [(2, 1, "R658")]),
        ("1|t|A\n1|a|B\n2|t|C\n1|a|D\n", [(4, 1, "R658")]),
        ("1|t|ä\udcff\n1\t0\t1\tA\tGene\t7\n1\tx\t1\tA\tGene\t7\n", [(1, 6, "R651"), (3, 3, "R654")]),
    ],
)
def test_it_refuses_a_file_with_all_its_faults(text: str, expected: list[tuple[int, int, str]]) -> None:
    assert faults(text) == expected


def test_it_says_how_to_mend_a_fault() -> None:
    with pytest.raises(RefusedFileError) as refusal:
        read_pubtator_text("1\tzero\t1\tA\tGene\t7\n")
    assert str(refusal.value) == "mine:1:3: R654 “zero” is not a position - write a whole number from 0"


def test_it_lists_a_thousand_faults_of_a_rule_and_how_many_more_there_are() -> None:
    with pytest.raises(RefusedFileError) as refusal:
        read_pubtator_text("1\tx\t1\tA\tGene\t7\n" * 1005)
    assert len(refusal.value.faults) == 1001
    assert refusal.value.faults[-1].message == "and 5 more of this rule - fix those above first"


def test_it_has_a_rule_in_the_manual_for_each_fault() -> None:
    codes = [rule.code for rule in FILE_RULES]
    assert codes == sorted(set(codes))
    assert {f"R65{digit}" for digit in range(1, 10)} <= set(codes)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7157", ("7157",)),
        ("NCBI Gene:7157", ("7157",)),
        ("NCBIGene:7157", ("7157",)),
        ("NCBI taxon:9606", ("9606",)),
        ("NCBITaxonomyID:90371", ("90371",)),
        ("UniProtKB:P04637", ("P04637",)),
        ("10434(Tax:9606)", ("10434",)),
        ("1(tax:9606),2;3|4", ("1", "2", "3", "4")),
        ("NCBI Gene:1,NCBI Gene:1", ("1",)),
        ("MESH:C535702;omim:248360", ("MESH:C535702", "omim:248360")),
        ("MI:0018", ("MI:0018",)),
        ("NCBI Gene:-", ()),
        ("-1", ()),
        ("", ()),
    ],
)
def test_it_reads_identifiers_however_they_are_written(text: str, expected: tuple[str, ...]) -> None:
    assert split_distinct_identifiers_without_prefix(text) == expected


@pytest.mark.parametrize(
    ("parts", "documents", "mentions", "genes", "named", "odd"),
    [
        (("biored", "Train.PubTator.gz"), 400, 13_351, 4_430, 4_416, 0),
        (("biored", "Dev.PubTator.gz"), 100, 3_533, 1_087, 1_083, 0),
        (("nlmgene", "NLMgene_Train.PubTator.gz"), 429, 13_196, 10_716, 10_590, 11),
        (("gnormplus", "GNormPlus_Train.PubTator.gz"), 427, 5_703, 4_158, 4_136, 35),
        (("tmvar3", "tmVar3_Train.PubTator.gz"), 318, 7_267, 2_425, 2_424, 21),
    ],
)
def test_it_reads_published_corpora(
    parts: tuple[str, ...], documents: int, mentions: int, genes: int, named: int, odd: int
) -> None:
    own = read_published_file("corpora", *parts)
    found = [mention for mention in own.mentions if mention.type in ("Gene", "GeneOrGeneProduct")]
    assert (len(own.documents), len(own.mentions), len(own.warnings)) == (documents, mentions, odd)
    assert (len(found), sum(bool(mention.identifiers) for mention in found)) == (genes, named)


def test_it_reads_relations_of_a_published_corpus() -> None:
    kinds = Counter(pair.relation for pair in read_published_file("corpora", "biored", "Train.PubTator.gz").pairs)
    assert kinds.total() == 4178
    assert kinds["Association"] > kinds["Bind"] > 0


@pytest.mark.parametrize(
    ("name", "mentions"),
    [("pubtator_central", 6136), ("bern2", 10_684), ("hunflair2", 6947), ("bent", 7439), ("gold", 4317)],
)
def test_it_reads_what_real_systems_wrote(name: str, mentions: int) -> None:
    own = read_published_file("system_runs", "tmvar3", f"{name}.txt.gz")
    assert (len(own.documents), len(own.mentions)) == (318, mentions)
    genes = [mention for mention in own.mentions if mention.type.lower() == "gene"]
    assert all(number.isdigit() for mention in genes for number in mention.identifiers)


@pytest.mark.parametrize("folder", ["bconv/pubtator", "julielab"])
def test_it_reads_samples_of_other_programs(folder: str) -> None:
    for path in sorted(require_shared_path("samples", "formats", *folder.split("/")).glob("*[es].txt")):
        if "listWith" not in path.name:
            assert ANNOTATED_TEXT_FORMATS[ResultFormat.PUBTATOR].read(BytesIO(path.read_bytes()), path.name).documents


P53, MDM2 = EntityId("ncbigene", "7157"), EntityId("ncbigene", "4193")
LINKED = make_mention([Span(0, 3)], "p53", "Gene", [P53])


def relate_p53_to_mdm2(role: str = "", directed: bool = False, **qualifiers: str) -> AnnotationData:
    arguments = [RelationArgument(role, (P53,)), RelationArgument("", (MDM2,))]
    return make_relation("Bind", arguments, directed=directed, qualifiers=qualifiers)


@pytest.mark.parametrize(
    ("annotation", "is_left_out", "lines"),
    [
        (LINKED, False, 1),
        (make_mention([Span(0, 3), Span(4, 8)], "p53 Mdm2", "Gene"), True, 1),
        (AnnotationData(Kind.NORMALIZATION, database="ncbigene", identifier="7157"), False, 1),
        (AnnotationData(Kind.NORMALIZATION, database="ncbigene", identifier="672"), True, 1),
        (AnnotationData(Kind.PAIR, database="ncbigene", identifier="7157", partner="4193"), False, 2),
        (AnnotationData(Kind.CLASSIFICATION, relevant=True), True, 1),
        (relate_p53_to_mdm2(novelty="Novel"), False, 2),
        (relate_p53_to_mdm2(negated="true"), True, 1),
        (relate_p53_to_mdm2(role="agent"), True, 2),
        (relate_p53_to_mdm2(directed=True), True, 2),
    ],
)
def test_it_says_what_pubtator_leaves_out(annotation: AnnotationData, is_left_out: bool, lines: int) -> None:
    producer = ExportedProducer("A", "server")
    results = [ProducerResult(producer, each.kind, [each]) for each in (LINKED, annotation)]
    article = AnnotatedArticle("1", ArticleIds(), [TextPassage("title", "p53 Mdm2")], results=results)
    assert find_left_out_of_pubtator(article)(annotation) is is_left_out
    assert len("".join(write_pubtator_mentions_and_pairs([article])).strip().splitlines()) - 2 == lines

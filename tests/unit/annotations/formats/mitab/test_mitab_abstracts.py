"""Digital abstracts as PSI-MITAB 2.7: column by column as in real rows, and read again."""

import gzip
import io
import re
from dataclasses import replace

import pytest

from annotations.digital_abstract import DigitalAbstract, Participant
from annotations.formats.articles.annotated_article import AnnotatedArticle
from annotations.formats.articles.parsed_article import ArticleIds
from annotations.formats.digital_abstracts.exported_abstract import ExportedAbstract, ParticipantNames
from annotations.formats.mitab.abstract_writer import write_abstracts_as_mitab
from annotations.formats.mitab.columns import MITAB_COLUMNS
from annotations.formats.mitab.reader import read_mitab
from annotations.formats.result_sniffing import ResultFormat, sniff_result_format_else_tsv
from annotations.identifiers.psi_mi_terms import load_shipped_psi_mi_terms
from annotations.schema import EntityId
from tests.interaction_records import (
    ABSTRACT,
    BINDING,
    BRCA2,
    COMPLEX,
    DIMER,
    NEGATIVE,
    P53,
    PHOSPHORYLATED,
    RAD51,
)
from tests.shared_data import require_shared_path

TERMS = {term.id: term.name for term in load_shipped_psi_mi_terms()}
ARTICLE = AnnotatedArticle(
    "12", ArticleIds(10373512, "PMC3463565", "10.1000/xyz(1)"), [], year=1999, authors=("Marmorstein LY", "Doe J")
)
ENTRIES = {BRCA2: ParticipantNames("BRCA2", "Breast cancer type 2 susceptibility protein", ("FACD", "FANCD1|x"))}
REAL_FILES = ("molConTest.txt.gz", "19696444_27.txt.gz", "mitab_27_example.txt.gz")


def export(*interactions, article=ARTICLE):
    abstract = replace(ABSTRACT, interactions=interactions)
    organisms = {9606: "Homo sapiens", 10090: "Mus musculus"}
    return ExportedAbstract(article, abstract, "https://bcms.example/articles/12/", TERMS, organisms, ENTRIES)


def write(*interactions):
    """The rows as {column: field}."""
    header, *lines = write_abstracts_as_mitab([export(*interactions)])
    assert header.removeprefix("#").rstrip("\n").split("\t") == list(MITAB_COLUMNS)
    return [dict(zip(MITAB_COLUMNS, line.rstrip("\n").split("\t"), strict=True)) for line in lines]


def read_again(*interactions):
    content = "".join(write_abstracts_as_mitab([export(*interactions)])).encode()
    [parsed] = read_mitab(io.BytesIO(content), "sda.mitab")
    return parsed


def test_it_fills_the_columns_of_an_interaction():
    one, two = write(BINDING)
    assert {column: field for column, field in one.items() if field != "-"} == {
        "ID(s) interactor A": "uniprotkb:P51587",
        "ID(s) interactor B": "uniprotkb:Q06609",
        "Alias(es) interactor A": "psi-mi:BRCA2(display_short)|uniprotkb:BRCA2(gene name)"
        "|uniprotkb:FACD(gene name synonym)"
        '|uniprotkb:"FANCD1|x"(gene name synonym)|psi-mi:Breast cancer type 2 susceptibility protein(display_long)',
        "Alias(es) interactor B": "psi-mi:Rad51(display_short)",
        "Interaction detection method(s)": 'psi-mi:"MI:0018"(two hybrid)',
        "Publication 1st author(s)": "Marmorstein LY et al. (1999)",
        "Publication Identifier(s)": 'pubmed:10373512|pmc:PMC3463565|doi:"10.1000/xyz(1)"',
        "Taxid interactor A": "taxid:9606(Homo sapiens)",
        "Taxid interactor B": "taxid:9606(Homo sapiens)",
        "Interaction type(s)": 'psi-mi:"MI:0915"(physical association)',
        "Interaction identifier(s)": "bcms:12-1",
        "Confidence value(s)": "author-based confidence:0.8",
        "Biological role(s) interactor A": 'psi-mi:"MI:0499"(unspecified role)',
        "Biological role(s) interactor B": 'psi-mi:"MI:0499"(unspecified role)',
        "Experimental role(s) interactor A": 'psi-mi:"MI:0496"(bait)',
        "Experimental role(s) interactor B": 'psi-mi:"MI:0498"(prey)',
        "Type(s) interactor A": 'psi-mi:"MI:0326"(protein)',
        "Type(s) interactor B": 'psi-mi:"MI:0326"(protein)',
        "Interaction annotation(s)": "figure legend:Figure 2A"
        "|sda-evidence:27-63 by two hybrid that BRCA2 binds RAD51(Figure 2A)"
        r'|comment:"Checked twice: \"yes|no\" and a tab"|sda-source:system GNormPlus 2|sda-source:author Doe J',
        "Update date": "2026/11/24",
        "Negative": "false",
    }
    assert two["Interaction detection method(s)"] == 'psi-mi:"MI:0019"(coimmunoprecipitation)'
    assert two["Interaction identifier(s)"] == "bcms:12-1"
    assert "sda-evidence" not in two["Interaction annotation(s)"]


def test_it_expands_a_complex_around_its_bait():
    rows = write(COMPLEX)
    assert len(rows) == 3 * 2
    assert {row["ID(s) interactor A"] for row in rows} == {"uniprotkb:P51587"}
    assert [row["ID(s) interactor B"] for row in rows[::2]] == [
        "uniprotkb:P04637",
        'chebi:"CHEBI:15422"',
        'unknown:"an unknown (protein)"',
    ]
    assert {row["Expansion method(s)"] for row in rows} == {'psi-mi:"MI:1060"(spoke expansion)'}
    assert [row["Type(s) interactor B"] for row in rows[::2]][1:] == [
        'psi-mi:"MI:0328"(small molecule)',
        'psi-mi:"MI:0329"(unknown participant)',
    ]
    no_bait = replace(
        COMPLEX, participants=tuple(replace(e, experimental_role="MI:0499") for e in COMPLEX.participants)
    )
    assert {row["ID(s) interactor A"] for row in write(no_bait)} == {"uniprotkb:P04637"}


def test_it_writes_negative_ones_and_those_of_one_molecule():
    [negative], [dimer] = write(NEGATIVE), write(DIMER)
    assert (negative["Negative"], negative["Expansion method(s)"]) == ("true", "-")
    assert {dimer[column] for column in MITAB_COLUMNS if column.endswith(" B")} == {"-"}
    assert dimer["Experimental role(s) interactor A"] == 'psi-mi:"MI:0503"(self)'


FLAT_COMMENT = BINDING.comment.replace("\n", " ").replace("\t", " ")


def test_it_reads_again_what_it_writes():
    parsed = read_again(BINDING, PHOSPHORYLATED, NEGATIVE, DIMER, COMPLEX)
    assert parsed.publication.ids == ARTICLE.ids
    first, bait, *others = COMPLEX.participants
    named = tuple(replace(each, name=each.name or "BRCA2") for each in NEGATIVE.participants[:1])
    assert parsed.abstract.interactions == (
        replace(BINDING, comment=FLAT_COMMENT),
        PHOSPHORYLATED,
        replace(NEGATIVE, participants=(*named, NEGATIVE.participants[1])),
        DIMER,
        replace(COMPLEX, participants=(bait, first, *others)),
    )
    assert parsed.lines == (2, 4, 5, 6, 7)


def test_it_keeps_equal_participants_apart():
    twice = replace(COMPLEX, participants=(*COMPLEX.participants[:2], COMPLEX.participants[0]))
    dimer = replace(BINDING, participants=(Participant(RAD51, "Rad51", 9606),) * 2, comment="")
    parsed = read_again(dimer, twice)
    assert parsed.abstract.interactions[0] == dimer
    # Two equal lines are one, as in any file that lists pairs.
    assert len(parsed.abstract.interactions[1].participants) == 2


def test_an_article_without_identifiers_has_its_own():
    exported = export(BINDING, article=replace(ARTICLE, ids=ArticleIds()))
    content = "".join(write_abstracts_as_mitab([exported])).encode()
    [parsed] = read_mitab(io.BytesIO(content), "sda.mitab")
    assert parsed.publication.name == "bcms:12"


def test_a_record_without_interactions_has_no_lines():
    exported = replace(export(), abstract=DigitalAbstract(nothing_found=True))
    assert len(list(write_abstracts_as_mitab([exported]))) == 1


def test_its_format_is_recognized():
    content = "".join(write_abstracts_as_mitab([export(BINDING)])).encode()
    for file in (content, content.split(b"\n", 1)[1]):
        assert sniff_result_format_else_tsv(io.BytesIO(file)) == ResultFormat.MITAB


# The form of one value in IntAct's rows: database, identifier in quotation marks if it has reserved characters, text.
QUOTED, PLAIN = r'"(?:[^"\\]|\\.)*"', r'[^"|:()\t]+'
STRICT_VALUE = re.compile(rf"{PLAIN}:(?:{QUOTED}|{PLAIN})(?:\((?:{QUOTED}|{PLAIN})\))?")
STRICT_FIELD = re.compile(rf"-|{STRICT_VALUE.pattern}(?:\|{STRICT_VALUE.pattern})*")
FREE_COLUMNS = {"Publication 1st author(s)", "Creation date", "Update date", "Negative"}


def list_real_rows():
    for name in REAL_FILES:
        text = gzip.decompress(require_shared_path("interactions", "mitab", name).read_bytes()).decode()
        for line in text.splitlines():
            if not line.startswith("#"):
                yield dict(zip(MITAB_COLUMNS, line.split("\t"), strict=True))


def describe(field):
    """The form of a field of one value: its database, whether the identifier is quoted, and whether it has a text."""
    match = re.fullmatch(rf"({PLAIN}):(?:({QUOTED})|{PLAIN})(\(.*\))?", field)
    return (match[1], match[2] is not None, match[3] is not None) if match else field


@pytest.mark.shared
def test_its_columns_have_the_form_of_real_rows():
    written, real = write(*ABSTRACT.interactions), list(list_real_rows())
    assert len(real) > 400
    for column in MITAB_COLUMNS:
        fields = {row[column] for row in written}
        if column in FREE_COLUMNS:
            continue
        assert [field for field in fields if not STRICT_FIELD.fullmatch(field)] == [], column
    for column in (
        *("Interaction detection method(s)", "Interaction type(s)", "Expansion method(s)"),
        *("Biological role(s) interactor A", "Experimental role(s) interactor A", "Type(s) interactor A"),
        *("ID(s) interactor A", "Negative"),
    ):
        forms = {describe(row[column]) for row in written if row[column] not in ("-", "true")}
        assert forms <= {describe(row[column]) for row in real}, column
    terms = {row["Interaction detection method(s)"] for row in real}
    assert {'psi-mi:"MI:0018"(two hybrid)', 'psi-mi:"MI:0096"(pull down)'} <= terms
    authors = re.compile(r"\S+( \S+)* et al\. \([0-9]{4}\)")
    assert all(authors.fullmatch(row["Publication 1st author(s)"]) for row in written)
    assert any(authors.fullmatch(row["Publication 1st author(s)"]) for row in real)
    date = re.compile(r"[0-9]{4}/[0-9]{2}/[0-9]{2}")
    assert all(date.fullmatch(row["Update date"]) for row in (written[0], real[0]))


@pytest.mark.shared
def test_it_reads_real_rows_as_they_are():
    path = require_shared_path("interactions", "mitab", "molConTest.txt.gz")
    parsed = read_mitab(io.BytesIO(gzip.decompress(path.read_bytes())), path.name)
    by_pmid = {each.publication.ids.pmid: each.abstract for each in parsed}
    assert len(by_pmid) == 48
    first = by_pmid[17612402].interactions[0]
    assert [each.entity for each in first.participants] == [
        EntityId("uniprot", "Q9H1D9"),
        EntityId("uniprot", "Q12796"),
    ]
    assert [(each.name, each.taxon, each.experimental_role) for each in first.participants] == [
        ("POLR3F", 9606, "MI:0498"),
        ("PNRC1", 9606, "MI:0496"),
    ]
    assert (first.interaction_type, first.methods) == ("MI:0915", ("MI:0018",))
    sizes = sorted(len(each.participants) for abstract in by_pmid.values() for each in abstract.interactions)
    assert sizes[0] == 2
    assert sizes[-1] > 60


@pytest.mark.shared
def test_it_joins_expanded_rows_that_have_the_method_in_the_column_before():
    path = require_shared_path("interactions", "mitab", "19696444_27.txt.gz")
    [parsed] = read_mitab(io.BytesIO(gzip.decompress(path.read_bytes())), path.name)
    joined = [each for each in parsed.abstract.interactions if len(each.participants) > 2]
    assert [[each.entity.identifier for each in one.participants] for one in joined] == [
        ["P23352", "P11362", "P09038", "28304"],
        ["P23352", "P11362", "P09038"],
    ]
    assert P53 not in parsed.abstract.list_participant_ids()

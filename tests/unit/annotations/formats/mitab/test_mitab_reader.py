"""PSI-MITAB that is read: versions, old spellings, gold standards of pairs, and every fault with line and column."""

import csv
import gzip
import io

import pytest

from annotations.formats.annotated_text.document_results import collect_document_results
from annotations.formats.annotated_text.readers import ANNOTATED_TEXT_FORMATS
from annotations.formats.errors import RefusedFileError
from annotations.formats.mitab.columns import MITAB_COLUMNS
from annotations.formats.mitab.reader import read_mitab
from annotations.formats.result_sniffing import ResultFormat, sniff_result_format_else_tsv
from annotations.schema import EntityId
from tests.shared_data import require_shared_path

FIELDS = {
    "ID(s) interactor A": "uniprotkb:P04637",
    "ID(s) interactor B": "uniprotkb:Q00987",
    "Interaction detection method(s)": 'psi-mi:"MI:0018"(two hybrid)',
    "Publication Identifier(s)": "pubmed:12345",
    "Taxid interactor A": "taxid:9606(human)|taxid:9606(Homo sapiens)",
    "Taxid interactor B": "taxid:-1(in vitro)",
    "Interaction type(s)": 'psi-mi:"MI:0915"(physical association)',
}


def make_line(width=42, **changes):
    """A row; changes by the beginning of a column's name, with _ for spaces."""
    values = dict(FIELDS)
    for start, value in changes.items():
        [column] = [each for each in MITAB_COLUMNS if each.startswith(start.replace("_", " "))]
        values[column] = value
    return "\t".join(values.get(column, "-") for column in MITAB_COLUMNS[:width]) + "\n"


def read(*lines):
    return read_mitab(io.BytesIO("".join(lines).encode()), "gold.mitab")


def list_faults(*lines):
    with pytest.raises(RefusedFileError) as caught:
        read(*lines)
    return [(fault.line, fault.column, fault.rule) for fault in caught.value.faults]


@pytest.mark.parametrize("width", [15, 36, 42])
def test_it_reads_each_version(width):
    [parsed] = read("#" + "\t".join(MITAB_COLUMNS[:width]) + "\n", "\n", make_line(width), "# a comment\n")
    [interaction] = parsed.abstract.interactions
    assert parsed.publication.name == "12345"
    assert parsed.lines == (3,)
    assert [(each.entity.identifier, each.taxon) for each in interaction.participants] == [
        ("P04637", 9606),
        ("Q00987", None),
    ]


def test_it_reads_old_spellings():
    header = "ID interactor A\tID interactor B" + "\tx" * 13 + "\t\n"
    line = make_line(15, Interaction_detection="MI:0676(tap)", Taxid_interactor_A="taxid:4932(yeast)")
    [parsed] = read(header, line.replace("\n", "\t\n"))
    assert parsed.abstract.interactions[0].methods == ("MI:0676",)


@pytest.mark.parametrize(
    ("fields", "entity"),
    [
        ({"ID(s)_interactor_A": "intact:EBI-1|uniprotkb:P04637-2"}, EntityId("uniprot", "P04637-2")),
        (
            {"ID(s)_interactor_A": "intact:EBI-1", "Alt._ID(s)_interactor_A": "uniprotkb:P1"},
            EntityId("intact", "EBI-1"),
        ),
        (
            {"ID(s)_interactor_A": "intact:EBI-1", "Alt._ID(s)_interactor_A": "uniprotkb:P04637"},
            EntityId("uniprot", "P04637"),
        ),
        (
            {"ID(s)_interactor_A": "intact:EBI-1", "Alt._ID(s)_interactor_A": "uniprotkb:P04637(secondary-ac)"},
            EntityId("intact", "EBI-1"),
        ),
        ({"ID(s)_interactor_A": "entrez gene/locuslink:7157"}, EntityId("ncbigene", "7157")),
        ({"ID(s)_interactor_A": 'chebi:"CHEBI:15422"(ATP)'}, EntityId("chebi", "15422")),
        ({"ID(s)_interactor_A": "nowhere:7"}, EntityId("", "nowhere:7")),
    ],
)
def test_it_chooses_the_identifier(fields, entity):
    [parsed] = read(make_line(**fields))
    assert parsed.abstract.interactions[0].participants[0].entity == entity


def test_it_reads_several_methods_and_articles():
    methods = 'psi-mi:"MI:0018"(two hybrid)|psi-mi:"MI:0096"(pull down)|psi-mi:"MI:0018"(2 hybrid)'
    parsed = read(make_line(Interaction_detection=methods, Publication_Id="pubmed:1|pubmed:2|imex:IM-1"))
    assert [each.publication.ids.pmid for each in parsed] == [1, 2]
    assert parsed[0].abstract.interactions[0].methods == ("MI:0018", "MI:0096")
    [other] = read(make_line(Publication_Id="pubmed:unassigned1304|imex:IM-1"))
    assert other.publication.name == "pubmed:unassigned1304"


def test_rows_of_one_interaction_are_joined_only_if_the_file_says_so():
    spoke = {"Interaction_identifier": "intact:EBI-7", "Expansion": 'psi-mi:"MI:1060"(spoke expansion)'}
    rows = [make_line(**spoke), make_line(**spoke, **{"ID(s)_interactor_B": "uniprotkb:P38398"})]
    [parsed] = read(*rows)
    assert [len(each.participants) for each in parsed.abstract.interactions] == [3]
    [apart] = read(*(row.replace('psi-mi:"MI:1060"(spoke expansion)', "-") for row in rows))
    assert [len(each.participants) for each in apart.abstract.interactions] == [2, 2]
    [nameless] = read(*(row.replace("intact:EBI-7", "-") for row in rows))
    assert [len(each.participants) for each in nameless.abstract.interactions] == [2, 2]
    [elsewhere] = read(rows[0], rows[1].replace("EBI-7", "EBI-8"))
    assert [len(each.participants) for each in elsewhere.abstract.interactions] == [2, 2]


@pytest.mark.parametrize(
    ("lines", "faults"),
    [
        ([make_line(14)], [(1, 1, "R751")]),
        ([make_line(31 + 12)[:-1] + "\tmore\n"], [(1, 1, "R751")]),
        ([make_line(40), make_line(40)], [(1, 1, "R751")]),
        ([make_line(), make_line(36)], [(2, len(make_line(36)), "R752")]),
        ([make_line(), make_line()[:80]], [(2, 81, "R752")]),
        ([make_line(**{"ID(s)_interactor_A": "P04637"})], [(1, 1, "R753"), (1, 1, "R754")]),
        ([make_line(**{"ID(s)_interactor_B": "Q00987"})], [(1, 18, "R753")]),
        ([make_line(**{"ID(s)_interactor_A": "-"})], [(1, 1, "R754")]),
        ([make_line(Publication_Id="-")], [(1, 74, "R754")]),
        ([make_line(), make_line(Taxid_interactor_A="taxid:human")], [(2, 87, "R755")]),
        ([make_line(Taxid_interactor_A="human")], [(1, 87, "R753")]),
        ([make_line(Interaction_detection="psi-mi:two hybrid")], [(1, 43, "R755")]),
        ([make_line(Negative="no")], [(1, 234, "R755")]),
        ([make_line(Negative="no"), make_line(Negative="maybe")], [(1, 234, "R755"), (2, 234, "R755")]),
    ],
)
def test_it_names_line_and_column_of_each_fault(lines, faults):
    assert list_faults(*lines) == faults


def test_its_messages_say_how_to_fix_the_file():
    with pytest.raises(RefusedFileError) as caught:
        read(make_line(), make_line(36))
    assert str(caught.value) == (
        f"gold.mitab:2:{len(make_line(36))}: R752 the line has 36 columns, but the first has 42 - it is cut off or has "
        "line breaks or tabs in a field; write every field, - for none"
    )
    with pytest.raises(
        RefusedFileError, match=r"“taxid:human” in the column Taxid interactor A is no organism - write"
    ):
        read(make_line(Taxid_interactor_A="taxid:human"))
    with pytest.raises(RefusedFileError, match="R651 this byte is not UTF-8"):
        read_mitab(io.BytesIO(make_line().encode() + b"\xff\n"), "gold.mitab")


def read_gold(content, task):
    stream = io.BytesIO(content)
    text_format = sniff_result_format_else_tsv(stream)
    assert text_format == ResultFormat.MITAB
    table = collect_document_results(ANNOTATED_TEXT_FORMATS[text_format].read(stream, "gold.mitab"), task).table
    return {
        (table.article.names[article], table.item.names[item])
        for article, item in zip(table.article.codes.tolist(), table.item.codes.tolist(), strict=True)
    }


def test_it_is_a_gold_standard_of_pairs_and_of_interactors():
    lines = [
        make_line(),
        make_line(**{"ID(s)_interactor_A": "uniprotkb:Q00987", "ID(s)_interactor_B": "uniprotkb:P04637"}),
        make_line(**{"ID(s)_interactor_B": "uniprotkb:P38398", "Negative": "true"}),
        make_line(**{"ID(s)_interactor_B": 'chebi:"CHEBI:15422"'}),
        make_line(**{"ID(s)_interactor_B": "-", "Publication_Id": "pubmed:7"}),
    ]
    content = "".join(lines).encode()
    assert read_gold(content, "ipt") == {("12345", ("P04637", "Q00987")), ("7", ("P04637", "P04637"))}
    assert read_gold(content, "int") == {("12345", "P04637"), ("12345", "Q00987"), ("7", "P04637")}


def test_an_empty_file_is_refused_as_a_gold_standard():
    header = ("#" + "\t".join(MITAB_COLUMNS) + "\n").encode()
    with pytest.raises(RefusedFileError, match="R659"):
        ANNOTATED_TEXT_FORMATS[ResultFormat.MITAB].read(io.BytesIO(header), "gold.mitab")


@pytest.mark.shared
@pytest.mark.parametrize("name", ["intact.sample.tsv.gz", "molConTest.txt.gz", "19696444_27.txt.gz"])
def test_real_files_are_gold_standards_of_the_pairs_that_they_list(name):
    content = gzip.decompress(require_shared_path("interactions", "mitab", name).read_bytes())
    with require_shared_path("interactions", "mitab_pairs.tsv").open(encoding="utf-8") as lines:
        rows = csv.DictReader((line for line in lines if not line.startswith("#")), delimiter="\t")
        listed = {
            (row["pmid"], tuple(sorted((row["uniprot_a"], row["uniprot_b"]))))
            for row in rows
            if row["source_file"] in (name, name.removesuffix(".gz"))
        }
    assert listed
    assert listed <= read_gold(content, "ipt")


@pytest.mark.shared
@pytest.mark.parametrize("name", ["P51578.intact_extended.txt.gz", "brca2.mitab25-ia.txt.gz"])
def test_files_of_31_columns_are_refused(name):
    content = gzip.decompress(require_shared_path("interactions", "mitab", name).read_bytes())
    with pytest.raises(
        RefusedFileError, match=r"R751 the line has 31 columns, and PSI-MITAB has 15 \(PSI-MITAB 2\.5\)"
    ):
        read_mitab(io.BytesIO(content), name)

"""`python -m evaluation` for mentions of any type, their links, relations and labels."""

import gzip
import json
from pathlib import Path
from zipfile import ZipFile

import pytest

from annotations.formats.annotated_text.article_reader import read_annotated_articles_skipping_textless
from annotations.formats.annotated_text.open_annotations import build_open_annotations
from annotations.formats.articles.annotated_article import AnnotatedArticle, ExportedProducer, ProducerResult
from annotations.formats.articles.parsed_article import ArticleIds, TextPassage
from annotations.formats.exports import EXPORTS
from annotations.formats.result_sniffing import ResultFormat
from annotations.schema import Kind, make_label
from evaluation.__main__ import main
from tests.shared_data import require_shared_path
from tests.unit.evaluation.measures.items.test_other_scorers import write_changed_relations

EXPORTED_SUFFIXES = {"parquet": "parquet-annotations", "ndjson": "ndjson", "lines.ndjson": "ndjson-annotations"}
TITLES = {"1": "p53 causes lung cancer in mice", "2": "No disease here"}
# Two mentions are right; one has another type, one another end; one entity is another.
GOLD = {
    "1": [
        *("1\t0\t3\tp53\tGene\t7157", "1\t11\t22\tlung cancer\tDisease\tMESH:D008175"),
        *("1\t26\t30\tmice\tSpecies\t10090", "1\tAssociation\t7157\tD008175\tNovel"),
    ],
    "2": [],
}
RUN = {
    "1": [
        *("1\t0\t3\tp53\tGene\t7157", "1\t16\t22\tcancer\tDisease\tMESH:D009369"),
        *("1\t26\t30\tmice\tDisease\t10090", "1\tAssociation\tMESH:D008175\t7157\tNo"),
        "1\tBind\t7157\tMESH:D009369\tNo",
    ],
    "2": ["2\t3\t10\tdisease\tDisease\tMESH:D004194"],
}
LABELS = "1\ttreatment\n1\tdiagnosis\n2\tdiagnosis\n"


def write(name, rows):
    lines = [line for document, title in TITLES.items() for line in (f"{document}|t|{title}", *rows[document], "")]
    Path(name).write_text("\n".join(lines))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("gold.txt", GOLD)
    write("run.txt", RUN)
    Path("gold.tsv").write_text(LABELS)
    Path("run.tsv").write_text("1\ttreatment\n2\ttreatment\n2\tdiagnosis\n3\tother\n")


@pytest.fixture
def call(capsys):
    def read_json(line):
        assert main([*line.split(), "--format", "json"]) == 0
        return json.loads(capsys.readouterr().out)

    return read_json


@pytest.fixture
def score(call):
    return lambda line: call(f"score {line}")["runs"][0]


def list_counts(figures):
    return [figures[name] for name in ("tp", "fp", "fn")]


def write_as_brat(name, rows):
    with ZipFile(name, "w") as archive:
        for document, title in TITLES.items():
            mentions = [row.split("\t") for row in rows[document] if row.count("\t") == 5]
            lines = [
                f"T{number}\t{type_name} {start} {end}\t{text}\nN{number}\tReference T{number} {identifier}\t{text}\n"
                for number, (_, start, end, text, type_name, identifier) in enumerate(mentions, 1)
            ]
            archive.writestr(f"{document}.txt", title)
            archive.writestr(f"{document}.ann", "".join(lines))


@pytest.mark.parametrize("task", ["ner", "nel"])
def test_it_scores_brat_as_any_other_format(score, task):
    write_as_brat("gold.zip", GOLD)
    write_as_brat("run.zip", RUN)
    from_text, from_brat = (
        score(f"--task {task} {run} {gold}") for run, gold in (("run.txt", "gold.txt"), ("run.zip", "gold.zip"))
    )
    assert [from_brat[name] for name in ("figures", "types")] == [from_text[name] for name in ("figures", "types")]


def test_it_scores_mentions_with_their_types(score):
    report = score("--task ner run.txt gold.txt")
    assert list_counts(report["figures"]["micro"]) == [1, 3, 2]
    assert {name: list_counts(figures) for name, figures in report["types"].items()} == {
        "Disease": [0, 3, 1],
        "Gene": [1, 0, 0],
        "Species": [0, 0, 1],
    }
    assert (report["documents"], report["answered"], report["results"]) == (2, 2, 4)


def test_it_scores_mentions_by_each_scheme(score):
    report = score("--task ner run.txt gold.txt")
    assert {name: (own["correct"], own["incorrect"], own["partial"]) for name, own in report["schemes"].items()} == {
        "strict": (1, 2, 0),
        "exact": (2, 1, 0),
        "type": (2, 1, 0),
        "partial": (2, 0, 1),
    }
    chosen = score("--task ner --scheme partial run.txt gold.txt")
    assert list_counts(chosen["figures"]["micro"]) == [2.5, 1.5, 0.5]
    assert chosen["figures"]["micro"]["f1"] == pytest.approx(report["schemes"]["partial"]["f1"])
    same = score("--task ner --match spans=partial run.txt gold.txt")
    assert same["figures"] == chosen["figures"]


def test_it_counts_chosen_types_and_ways_to_match(score):
    chosen = score("--task ner --types disease --match spans=end run.txt gold.txt")
    assert list_counts(chosen["figures"]["micro"]) == [1, 2, 0]
    assert list_counts(score("--task ner --match types=no run.txt gold.txt")["figures"]["micro"]) == [2, 2, 1]
    assert "|types:Disease|spans:end|" in chosen["signature"]


def test_it_scores_links_of_mentions_and_entities_of_articles(score):
    assert list_counts(score("--task nel run.txt gold.txt")["figures"]["micro"]) == [1, 3, 2]
    articles = score("--task nel --match identifiers=article --namespaces ncbigene,MESH run.txt gold.txt")
    assert list_counts(articles["figures"]["micro"]) == [1, 2, 1]
    assert articles["figures"]["macro"]["ap"] is not None


def test_it_scores_relations(score):
    report = score("--task relations run.txt gold.txt")
    assert list_counts(report["figures"]["micro"]) == [1, 1, 0]
    assert {name: list_counts(figures) for name, figures in report["types"].items()} == {"Association": [1, 0, 0]}
    assert list_counts(score("--task relations --types Bind,association run.txt gold.txt")["figures"]["micro"]) == [
        1,
        1,
        0,
    ]
    excluded = score("--task relations --exclude-type-pairs Disease-Gene,Gene-Gene run.txt run.txt")
    assert list_counts(excluded["figures"]["micro"]) == [1, 0, 0]


def write_exports(name, found_by_document):
    """Write annotations, {document: annotations by kind}, in the formats of exports for programs."""
    producer = ExportedProducer("Run", "upload")
    articles = [
        AnnotatedArticle(
            document,
            ArticleIds(pmid=int(document)),
            [TextPassage("title", TITLES[document])],
            results=[ProducerResult(producer, kind, found) for kind, found in found_by_kind.items()],
        )
        for document, found_by_kind in found_by_document.items()
    ]
    for suffix, slug in EXPORTED_SUFFIXES.items():
        Path(f"{name}.{suffix}").write_bytes(b"".join(EXPORTS[slug].write(articles)))


def write_text_as_exports(name):
    with Path(f"{name}.txt").open("rb") as stream:
        parsed = read_annotated_articles_skipping_textless(stream, name, ResultFormat.PUBTATOR).articles
    write_exports(name, {str(each.ids.pmid): build_open_annotations(each) for each in parsed})


@pytest.mark.parametrize("suffix", EXPORTED_SUFFIXES)
@pytest.mark.parametrize("task", ["ner", "nel", "relations"])
def test_it_scores_exports_of_annotations(score, task, suffix):
    for name in ("run", "gold"):
        write_text_as_exports(name)
    line = f"--task {task} run.{suffix} gold."
    reports = [score(f"--task {task} run.txt gold.txt"), score(f"{line}txt"), score(f"{line}ndjson")]
    for report in reports[1:]:
        assert [report[name] for name in ("figures", "types")] == [reports[0][name] for name in ("figures", "types")]


@pytest.mark.parametrize("suffix", EXPORTED_SUFFIXES)
def test_it_scores_labels_of_exports(score, suffix):
    labels = {
        name: {
            document: {Kind.LABEL: [make_label("topic", value) for value in values if value]}
            for document, values in values_by_document.items()
        }
        for name, values_by_document in {
            "run": {"1": ["treatment"], "2": ["treatment", "diagnosis"]},
            "gold": {"1": ["treatment", "diagnosis"], "2": ["diagnosis"]},
        }.items()
    }
    for name, found in labels.items():
        write_exports(name, found)
    report = score(f"--task labels --label-set topic run.{suffix} gold.{suffix}")
    assert list_counts(report["figures"]["micro"]) == [2, 1, 1]


def test_it_refuses_other_parquet_in_one_line(capsys):
    Path("run.parquet").write_bytes(b"PAR1 and more")
    assert main(["score", "--task", "ner", "run.parquet", "gold.txt"]) == 1
    assert "run.parquet:0:0: R681 the file is not valid Parquet, or damaged - " in capsys.readouterr().err


def test_it_scores_labels(score):
    report = score("--task labels run.tsv gold.tsv")
    assert list_counts(report["figures"]["micro"]) == [2, 1, 1]
    assert {name: list_counts(figures) for name, figures in report["types"].items()} == {
        "diagnosis": [1, 0, 1],
        "treatment": [1, 1, 0],
    }
    assert report["figures"]["instance"]["f1"] == pytest.approx(2 / 3)
    assert report["figures"]["macro"]["f1"] == pytest.approx(2 / 3)
    assert report["unknown_document_names"] == ["3"]


def test_it_reads_articles_without_a_label(score):
    """A tab-separated file with articles alone is scored like an export that has these articles without labels."""
    labels = {"run": {"1": ["treatment"], "2": ["diagnosis"]}, "gold": {"1": ["treatment"], "2": []}}
    for name, values in labels.items():
        write_exports(
            name,
            {
                document: {Kind.LABEL: [make_label("topic", value) for value in of_document]}
                for document, of_document in values.items()
            },
        )
    Path("gold.tsv").write_text("1\ttreatment\n2\n")
    Path("run.tsv").write_text("2\tdiagnosis\t1\t0.5\n1\ttreatment\t1\t0.75\n3\n4\n5\n")
    report = score("--task labels run.tsv gold.tsv")
    assert report["figures"] == score("--task labels --label-set topic run.ndjson gold.ndjson")["figures"]
    assert list_counts(report["figures"]["micro"]) == [1, 1, 0]
    assert (report["documents"], report["answered"], report["unknown_document_names"]) == (2, 2, ["3", "4", "5"])


@pytest.mark.parametrize(
    "line",
    [
        "--task ner run.txt gold.txt",
        "--task ner --scheme type run.txt gold.txt",
        "--task nel run.txt gold.txt",
        "--task relations run.txt gold.txt",
        "--task labels run.tsv gold.tsv",
    ],
)
@pytest.mark.parametrize("report_format", ["table", "tsv"])
def test_it_prints_tables_with_intervals(line, report_format, capsys):
    assert main([*f"score {line} --bootstrap 20 --format {report_format}".split()]) == 0
    output = capsys.readouterr().out
    assert "micro.f1" in output
    assert "bootstrap:20" in output


@pytest.mark.parametrize(
    ("line", "figure"),
    [
        ("--task ner run.txt gold.txt gold.txt", "micro.f1"),
        ("--task ner --scheme partial run.txt gold.txt gold.txt", "micro.f1"),
        ("--task nel run.txt gold.txt gold.txt", "micro.f1"),
        ("--task relations --figure macro.ap run.txt gold.txt gold.txt", "macro.ap"),
        ("--task labels --figure instance_f1 run.tsv gold.tsv gold.tsv", "instance_f1"),
    ],
)
def test_it_compares_runs(call, line, figure):
    compared = call(f"compare {line} --samples 50")
    assert compared["figure"] == figure
    assert [run["run"] for run in compared["runs"]] == ["gold", "run"]
    assert compared["runs"][0][figure] == 1


def test_it_finds_what_runs_have_in_common(call):
    assert call("agree --task ner run.txt gold.txt")["pairs"][0]["instances"] == 6
    overlap = call("overlap --task relations run.txt gold.txt --gold gold.txt")
    assert [region["items"] for region in overlap["regions"]] == [1, 1]
    assert call("overlap --task labels run.tsv gold.tsv")["totals"][0]["items"] == 4


def test_it_explains_errors(call):
    causes = call("causes --task ner run.txt gold.txt")["causes"]
    assert {(each["fault"], each["cause"]): each["number"] for each in causes} == {
        ("miss", "boundary"): 1,
        ("miss", "another type or link"): 1,
        ("false alarm", "boundary"): 1,
        ("false alarm", "another type or link"): 1,
        ("false alarm", "not in the gold standard"): 1,
    }
    relations = call("causes --task relations run.txt gold.txt")["faults"]
    assert [(each["fault"], each["cause"]) for each in relations] == [("false alarm", "one partner")]
    assert relations[0]["item"]["arguments"] == ["mesh:D009369", "ncbigene:7157"]


def test_it_explains_errors_of_labels(call, capsys):
    Path("run.tsv").write_text("1\ttreatment\n1\tother\n")
    found = call("causes --task labels run.tsv gold.tsv")["faults"]
    assert [(each["document"], each["fault"], each["item"], each["cause"], each["instead"]) for each in found] == [
        ("1", "miss", "diagnosis", "another label", "other"),
        ("1", "false alarm", "other", "another label", "diagnosis"),
        ("2", "miss", "diagnosis", "document unanswered", None),
    ]
    assert main(["causes", "--task", "labels", "run.tsv", "gold.tsv", "gold.tsv", "--format", "tsv"]) == 0
    assert "1\tmiss\tdiagnosis\tanother label\tother\n" in capsys.readouterr().out


@pytest.mark.parametrize("task", ["ner", "nel", "relations"])
def test_it_combines_runs_to_one_that_can_be_scored(task, score, capsys):
    Path("same.txt").write_text(Path("gold.txt").read_text())
    assert main(f"ensemble --task {task} --votes 2 gold.txt same.txt run.txt -o both.txt".split()) == 0
    assert f"both.txt: results: {1 if task == 'relations' else 3}, " in capsys.readouterr().out
    assert list_counts(score(f"--task {task} both.txt gold.txt")["figures"]["micro"])[1:] == [0, 0]


def test_it_combines_labels(score, capsys):
    assert main(["ensemble", "--task", "labels", "--votes", "2", "gold.tsv", "run.tsv", "-o", "both.tsv"]) == 0
    assert "both.tsv: results: 2, " in capsys.readouterr().out
    assert Path("both.tsv").read_text().splitlines()[2:] == ["3"]
    assert list_counts(score("--task labels both.tsv gold.tsv")["figures"]["micro"]) == [2, 0, 1]


def test_it_checks_and_describes_files(capsys):
    assert main(["check", "--task", "relations", "run.txt", "--gold", "gold.txt"]) == 0
    printed = capsys.readouterr()
    assert printed.out == "run.txt: no errors; results: 2, articles: 2\n"
    assert "mentions: Disease 3, Gene 1; links: 4; relations: Association 1, Bind 1" in printed.err
    assert main(["check", "--task", "labels", "run.tsv", "--gold", "gold.tsv"]) == 0
    assert "not in the gold standard: 3" in capsys.readouterr().out


def test_it_refuses_a_gold_standard_in_which_nothing_counts(capsys):
    assert main(["score", "--task", "ner", "--types", "CellLine", "run.txt", "gold.txt"]) == 1
    assert "gold.txt:0:0: R610 nothing in the file counts" in capsys.readouterr().err
    assert main(["score", "--task", "ner", "run.tsv", "gold.txt"]) == 1
    assert "R695 entities and relations cannot be read from tsv" in capsys.readouterr().err


@pytest.mark.parametrize("task", ["ner", "nel", "nel --match identifiers=article"])
def test_it_scores_types_in_the_spellings_of_the_task_as_the_types(score, task):
    respelled = Path("run.txt").read_text().replace("\tDisease\t", "\tmedical problem\t")
    Path("respelled.txt").write_text(respelled)
    options = "--types Disease --type-spellings Disease:illness,Medical-Problem"
    figures = [score(f"--task {task} {options} {run} gold.txt")["figures"] for run in ("run.txt", "respelled.txt")]
    assert figures[0] == figures[1] == score(f"--task {task} --types Disease run.txt gold.txt")["figures"]
    assert figures[0] != score(f"--task {task} --types Disease respelled.txt gold.txt")["figures"]


def test_it_reads_bare_identifiers_of_types_in_the_spellings_of_the_task(score):
    """The database of a bare identifier is that of its type, which the task alone knows by this name."""
    gold = Path("gold.txt").read_bytes().replace(b"MESH:", b"")
    Path("spelled.txt").write_bytes(gold.replace(b"\tDisease\t", b"\tMedical_Problem\t"))
    options = "--types Disease --type-spellings Disease:Medical-Problem --match identifiers=mention --task nel"
    figures = score(f"{options} spelled.txt gold.txt")["figures"]
    assert figures["micro"]["f1"] == 1


def test_it_names_types_as_the_task_in_figures_of_each_type(score):
    Path("gold.txt").write_text(Path("gold.txt").read_text().replace("\tDisease\t", "\tIllness\t"))
    assert set(score("--task ner --type-spellings Malady:illness run.txt gold.txt")["types"]) == {
        "Malady",
        "Gene",
        "Species",
    }


@pytest.mark.parametrize("task", ["ner", "gm", "labels"])
def test_it_says_that_a_file_is_compressed(capsys, task):
    Path("run.txt.gz").write_bytes(gzip.compress(Path("run.txt").read_bytes()))
    assert main(["score", "--task", task, "run.txt.gz", "gold.txt"]) == 1
    assert "run.txt.gz:0:0: R629 the file is compressed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("--task gn --types Gene", "--types does not work with --task gn"),
        ("--task nel --scheme strict", "--scheme does not work with --task nel"),
        ("--task ner --match relation=type", "--match relation=type does not work with --task ner"),
        ("--task ner --match spans=nearly", "--match: matching.spans: 'nearly' is not one of exact, start"),
        ("--task nel --namespaces nowhere", "--namespaces: namespaces: 'nowhere' is not a known namespace"),
        ("--task nel --match spans=partial", "spans=partial does not work with --task nel"),
        ("--task nel --match identifiers=article,spans=overlap", "leave out spans"),
        ("--task ner --scheme strict --match spans=overlap", "leave out --scheme"),
        ("--task relations --exclude-type-pairs Gene", "--exclude-type-pairs: matching.excluded_type_pairs"),
        ("--task ner --type-spellings Disease", "--type-spellings: type_spellings: 'Disease' has no spellings"),
        ("--task labels --type-spellings A:b", "--type-spellings does not work with --task labels"),
        ("--task relations --cutoff-rank 3", "--cutoff-rank does not work with --task relations"),
    ],
)
def test_it_refuses_options_that_do_not_fit(wrong, line, problem):
    assert problem in wrong("score", *line.split(), "run.txt", "gold.txt")


def test_it_writes_no_ensemble_of_entities_of_articles(wrong):
    line = "ensemble --task nel --match identifiers=article --votes 1 run.txt gold.txt -o both.txt"
    assert "leave out identifiers=article" in wrong(*line.split())


@pytest.mark.shared
@pytest.mark.parametrize(
    ("options", "run", "counts"),
    [
        ("--task ner --types Disease", "test.DNER", [303, 105, 121]),
        ("--task nel --types Disease --match identifiers=article", "test.DNER", [149, 57, 65]),
        ("--task relations --match relation=direction", "test.CID", [90, 533, 33]),
    ],
)
def test_it_prints_the_figures_of_the_organizers_of_cdr(score, options, run, counts, unpack):
    paths = [unpack("scorers", "bc5cdr", f"CDR_sample.{name}.PubTator.gz") for name in (run, "gold")]
    assert list_counts(score(f"{options} {paths[0]} {paths[1]}")["figures"]["micro"]) == counts


@pytest.mark.shared
def test_it_scores_the_novelty_of_biored(score, unpack):
    gold = unpack("corpora", "biored", "Dev.BioC.XML.gz")
    run = gold.with_name("run.xml")
    run.write_text(gold.read_text().replace('<infon key="novel">No</infon>', '<infon key="novel">Novel</infon>'))
    for level, counts in (("type", [1162, 0, 0]), ("novelty", [835, 327, 327])):
        assert (
            list_counts(score(f"--task relations --match relation={level} {run} {gold}")["figures"]["micro"]) == counts
        )


@pytest.mark.shared
def test_it_counts_mentions_of_cdr_in_both_formats_as_the_organizers_do(score, unpack):
    """Some offsets in the BioC files are not those of their texts, so nothing may be moved between these files."""
    paths = {
        (name, form): unpack("scorers", "bc5cdr", f"CDR_sample.{name}.{form}.gz")
        for name in ("gold", "test.DNER")
        for form in ("PubTator", "BioC.xml")
    }
    for run in ("PubTator", "BioC.xml"):
        for gold in ("PubTator", "BioC.xml"):
            report = score(f"--task ner --types Disease {paths['test.DNER', run]} {paths['gold', gold]}")
            assert list_counts(report["figures"]["micro"]) == [303, 105, 121]


@pytest.mark.shared
def test_it_reads_the_same_from_bioc(score, unpack):
    pubtator, bioc = (unpack("scorers", "bc5cdr", f"CDR_sample.gold.{form}.gz") for form in ("PubTator", "BioC.xml"))
    run = unpack("scorers", "bc5cdr", "CDR_sample.test.CID.PubTator.gz")
    for options in ("--task relations", "--task nel --match identifiers=article"):
        figures = [score(f"{options} {run} {gold}")["figures"]["micro"] for gold in (pubtator, bioc)]
        assert figures[0] == figures[1]


@pytest.mark.shared
def test_it_prints_the_figures_of_the_evaluation_of_biored(score, unpack, tmp_path):
    source = require_shared_path("corpora", "biored", "Dev.PubTator.gz")
    changed = write_changed_relations(source, tmp_path / "run.PubTator.gz")
    run, gold = tmp_path / "run.txt", unpack("corpora", "biored", "Dev.PubTator.gz")
    run.write_bytes(gzip.decompress(changed.read_bytes()))
    pairs = "Disease-Disease,Gene-Variant,Gene-Species"
    report = score(f"--task relations --exclude-type-pairs {pairs} {run} {gold}")
    assert list_counts(report["figures"]["micro"]) == [691, 193, 471]


@pytest.fixture
def unpack(tmp_path):
    def write_unpacked(*parts):
        source = require_shared_path(*parts)
        target = tmp_path / source.stem
        target.write_bytes(gzip.decompress(source.read_bytes()))
        return target

    return write_unpacked

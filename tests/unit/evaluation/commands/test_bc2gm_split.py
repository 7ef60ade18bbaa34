"""The development split of BioCreative II gene mentions by command; the corpus is not part of the project."""

import gzip
import json
from collections import defaultdict

import pytest

from evaluation.__main__ import main
from tests.reference import other_measures
from tests.shared_data import require_shared_path

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def lines():
    """{file: {sentence of the split: its lines}}."""
    wanted = set(require_shared_path("corpora", "bc2gm", "devel.ids").read_text().split())
    found = {}
    for name in ("GENE.eval", "ALTGENE.eval"):
        own = found[name] = defaultdict(list)
        for line in (
            gzip.decompress(require_shared_path("corpora", "bc2gm", "train", f"{name}.gz").read_bytes())
            .decode()
            .split("\n")
        ):
            if line.split("|")[0] in wanted:
                own[line.split("|")[0]].append(line)
    return found


@pytest.fixture
def files(lines, tmp_path):
    """The split in files of its own."""
    for name, own in lines.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for of_sentence in own.values() for line in of_sentence))
    return tmp_path


@pytest.fixture
def scored(files, capsys):
    def score(run, *options):
        paths = [str(files / run), str(files / "GENE.eval")]
        assert main(["score", "--task", "gm", *paths, *options, "--format", "json"]) == 0
        [own] = json.loads(capsys.readouterr().out)["runs"]
        return own

    return score


def group_spans_by_sentence(own):
    return {sentence: list(dict.fromkeys(parse_line_span(line) for line in of)) for sentence, of in own.items()}


def parse_line_span(line):
    start, end = line.split("|")[1].split()
    return int(start), int(end)


def test_the_split_against_itself_is_perfect(scored, files, lines):
    own = scored("GENE.eval", "--alternatives", str(files / "ALTGENE.eval"))
    genes = sum(map(len, group_spans_by_sentence(lines["GENE.eval"]).values()))
    assert genes == 3_061
    assert [own["figures"]["micro"][name] for name in ("tp", "fp", "fn", "f1")] == [genes, 0, 0, 1]
    assert own["figures"]["macro"]["f1"] == 1


def test_a_run_of_alternatives_alone(scored, files, lines):
    """Few of them are genes themselves; all are accepted, and find the genes that they overlap."""
    genes, alternatives = group_spans_by_sentence(lines["GENE.eval"]), group_spans_by_sentence(lines["ALTGENE.eval"])
    exact = scored("ALTGENE.eval")["figures"]["micro"]
    same = sum(len(set(own) & set(genes.get(sentence, ()))) for sentence, own in alternatives.items())
    assert (exact["tp"], exact["tp"] + exact["fp"]) == (same, sum(map(len, alternatives.values())))
    own = scored("ALTGENE.eval", "--alternatives", str(files / "ALTGENE.eval"))["figures"]["micro"]
    slowly = [
        other_measures.gene_counts(genes.get(name, []), alternatives.get(name, []), alternatives.get(name, []))
        for name in genes.keys() | alternatives.keys()
    ]
    assert (own["tp"], own["fp"], own["fn"]) == tuple(map(sum, zip(*slowly, strict=True)))
    assert (exact["tp"], own["tp"], own["fn"]) == (58, 1_703, 1_358)

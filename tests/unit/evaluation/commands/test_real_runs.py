"""Four real systems over 318 real abstracts: every figure and analysis against a slow computation on the files.

The runs and the gold standard are not part of the project. No run has a confidence: a list of genes is in the order of
their numbers of mentions, then of their first places.
"""

import gzip
import json
from io import BytesIO
from itertools import combinations

import numpy as np
import pytest
import pytrec_eval

from annotations.formats.trec.reader import read_relevant_trec_qrels, read_trec_run_ranked_by_score
from annotations.schema import Span
from evaluation.__main__ import main
from evaluation.commands.files.table_columns import convert_gold_table, convert_run_table
from evaluation.measures.lists.early_precision import break_even_precision, precision_at_rank, reciprocal_ranks
from evaluation.measures.lists.ranking import compute_f_ap_and_auc_ipr_per_article
from evaluation.measures.lists.scenarios import match_run_and_mark_hits
from evaluation.measures.mentions.spans import count_span_matches
from tests.reference import annotated_text
from tests.reference.ensembles import exactly, find_best_cut_slowly, join_runs_slowly
from tests.reference.ranked_lists import figures, harmonic, hit_lists, share
from tests.reference.slow_resampling import flat
from tests.shared_data import require_shared_path

pytestmark = [pytest.mark.shared, pytest.mark.long]

SYSTEMS = ("pubtator_central", "bern2", "hunflair2", "bent")
PAIRS = list(combinations(range(4), 2))
VOTES = (1, 2, 3, 4)


@pytest.fixture(scope="module")
def packed():
    """{system or gold: its file as it was published}."""
    return {name: require_shared_path("system_runs", "tmvar3", f"{name}.txt.gz") for name in (*SYSTEMS, "gold")}


@pytest.fixture(scope="module")
def genes(packed):
    """{system or gold: {document: genes, most mentions first}}."""
    return {name: annotated_text.gene_lists(path) for name, path in packed.items()}


@pytest.fixture(scope="module")
def spans(packed):
    """{system or gold: {document: distinct (start, end) of its genes}}."""
    return {name: annotated_text.gene_spans(path) for name, path in packed.items()}


@pytest.fixture(scope="module")
def gold(genes):
    return {document: set(own) for document, own in genes["gold"].items()}


@pytest.fixture(scope="module")
def hits(genes, gold):
    """[systems][documents]: which of the genes reported are right, best first, and how many there are to find."""
    return [list(hit_lists(gold, build_gene_rows(genes[name]), "rank").values()) for name in SYSTEMS]


@pytest.fixture(scope="module")
def tsv(genes, tmp_path_factory):
    """The lists of genes as tab-separated values: the four runs, and the gold standard."""
    folder = tmp_path_factory.mktemp("tsv")
    for name, lists in genes.items():
        rows = [(d, gene, *([] if name == "gold" else [str(place)])) for d, gene, place, _ in build_gene_rows(lists)]
        (folder / f"{name}.tsv").write_text("".join("\t".join(row) + "\n" for row in rows))
    return [str(folder / f"{name}.tsv") for name in SYSTEMS], str(folder / "gold.tsv")


@pytest.fixture(scope="module")
def texts(packed, tmp_path_factory):
    """The files as they are but unpacked: the four runs, and the gold standard."""
    folder = tmp_path_factory.mktemp("texts")
    for name, path in packed.items():
        (folder / f"{name}.txt").write_bytes(gzip.decompress(path.read_bytes()))
    return [str(folder / f"{name}.txt") for name in SYSTEMS], str(folder / "gold.txt")


@pytest.fixture
def said(capsys):
    """What a command prints of these files, as JSON."""

    def call(*arguments):
        assert main([*map(str, arguments), "--format", "json"]) == 0
        return json.loads(capsys.readouterr().out)

    return call


def build_gene_rows(lists):
    return [(document, gene, place, 1) for document, own in lists.items() for place, gene in enumerate(own, 1)]


def same(own, reference):
    """All figures of one run, micro and macro."""
    for way, expected in reference.items():
        assert own[way] == pytest.approx({name: float(value) for name, value in expected.items()}, abs=1e-12), way


@pytest.mark.parametrize(
    ("name", "rows"),
    [("pubtator_central", 6_136), ("bern2", 10_684), ("hunflair2", 6_947), ("bent", 7_439), ("gold", 4_317)],
)
def test_the_files_are_the_known_ones(name, rows, packed):
    assert (len(annotated_text.rows(packed[name])), len(annotated_text.documents(packed[name]))) == (rows, 318)


def test_it_scores_lists_of_genes(said, tsv, hits):
    runs, right = tsv
    reports = said("score", "--task", "gn", *runs, right)["runs"]
    assert [own["run"] for own in reports] == list(SYSTEMS)
    for own, reference in zip(reports, hits, strict=True):
        same(own["figures"], figures(reference))


def test_it_scores_lists_of_genes_of_the_files_themselves(said, texts, genes, gold, hits, packed):
    """22 of the 318 documents have no right gene: what is found there is a false alarm, and no mean has them."""
    runs, right = texts
    everywhere = {document: gold.get(document, set()) for document in annotated_text.documents(packed["gold"])}
    for own, name, some in zip(said("score", "--task", "gn", *runs, right)["runs"], SYSTEMS, hits, strict=True):
        every = list(hit_lists(everywhere, build_gene_rows(genes[name]), "rank").values())
        assert (own["run"], own["documents"], own["answered"]) == (name, 318, len(genes[name]))
        assert (own["results"], own["unknown_document_names"]) == (sum(map(len, genes[name].values())), [])
        same(own["figures"], {"micro": figures(every)["micro"], "macro": figures(some)["macro"]})


@pytest.mark.parametrize(
    "line",
    [
        "compare --task gn --samples 99 {runs} {gold}",
        "agree --task gn {runs}",
        "overlap --task gn {runs}",
        "cutoff --task gn {run} {gold}",
        "score --task gn --cutoff-rank 2 --answered-only {runs} {gold}",
    ],
)
def test_commands_say_the_same_of_the_files_themselves(line, said, texts, tsv):
    """But for counts of false alarms in documents that the tab-separated gold standard cannot name."""
    first, second = (
        said(*line.format(runs=" ".join(runs), run=runs[1], gold=right).split()) for runs, right in (texts, tsv)
    )
    assert alike(first) == alike(second)


def alike(found):
    """Without what depends on documents in which nothing is right, or on how many are swapped, or on formats."""
    if isinstance(found, list):
        return [alike(own) for own in found]
    if not isinstance(found, dict):
        return pytest.approx(found, abs=1e-12) if isinstance(found, float) else found
    left_out = {"micro", "micro_f1", "documents", "answered", "results", "signature", "resolution"}
    kept = {name: own for name, own in found.items() if name not in left_out and not name.startswith("unknown_")}
    return {name: alike(own) for name, own in kept.items()}


def test_one_system_finds_as_many_genes_and_hardly_a_right_one(hits):
    """What BENT gives as genes are mostly those of other species; the mentions are found all the same, see below."""
    found = [figures(own)["micro"] for own in hits]
    assert [(own["tp"], own["fp"], own["fn"]) for own in found] == [
        *((491, 42, 78), (501, 487, 68), (465, 282, 104), (6, 915, 563))
    ]
    assert [round(float(own["f1"]), 4) for own in found] == [0.8911, 0.6435, 0.7067, 0.0081]


@pytest.mark.parametrize("place", range(4))
def test_it_finds_the_rank_of_the_best_fap(place, said, tsv, genes, gold):
    runs, right = tsv
    found = said("cutoff", "--task", "gn", runs[place], right)
    lists = genes[SYSTEMS[place]]
    ranks = range(1, max(len(lists[document]) for document in gold if document in lists) + 1)
    best, faps = find_best_cut_slowly(gold, build_gene_rows(lists), "rank", "macro", "rank", ranks)
    assert (found["by"], found["cutoff"]) == ("rank", best)
    assert [tried["fap"] for tried in found["tried"]] == pytest.approx(faps, abs=1e-12)
    [cut] = said("score", "--task", "gn", "--cutoff-rank", best, runs[place], right)["runs"]
    assert cut["figures"]["macro"]["fap"] == pytest.approx(found["fap"], abs=1e-12)


@pytest.mark.parametrize("votes", VOTES)
def test_it_joins_the_four_by_votes(votes, said, tsv, genes, gold, tmp_path, capsys):
    runs, right = tsv
    joint = str(tmp_path / "joint.tsv")
    assert main(["ensemble", "--task", "gn", "--votes", str(votes), *runs, "-o", joint]) == 0
    capsys.readouterr()
    [own] = said("score", "--task", "gn", joint, right)["runs"]
    reference = join_runs_slowly([build_gene_rows(genes[name]) for name in SYSTEMS], votes)
    same(own["figures"], figures(list(hit_lists(gold, build_gene_rows(reference), "rank").values())))


def test_no_vote_is_as_good_as_the_best_system(genes, gold, hits):
    """Which is far ahead: two votes find more than it with three times the false alarms, three hardly err."""
    lists = [join_runs_slowly([build_gene_rows(genes[name]) for name in SYSTEMS], votes) for votes in VOTES]
    micro = [figures(list(hit_lists(gold, build_gene_rows(own), "rank").values()))["micro"] for own in lists]
    assert [(own["tp"], own["fp"]) for own in micro] == [(536, 1592), (497, 124), (427, 9), (3, 1)]
    assert [round(float(own["f1"]), 4) for own in micro] == [0.3975, 0.8353, 0.8498, 0.0105]
    assert max(own["f1"] for own in micro) < figures(hits[0])["micro"]["f1"]


def test_it_counts_what_they_report_in_common(said, tsv, genes, gold):
    runs, right = tsv
    found = said("overlap", "--task", "gn", *runs, "--gold", right)
    sets = [{(d, gene) for d, gene, _, _ in build_gene_rows(genes[name]) if d in gold} for name in SYSTEMS]
    wanted = {(d, gene) for d, own in gold.items() for gene in own}
    named = {tuple(SYSTEMS.index(name) for name in own["producers"]): own for own in found["regions"]}
    assert {places: own["items"] for places, own in named.items()} == exactly(sets)
    for places, own in named.items():
        inside = set.intersection(*(sets[place] for place in places)) & wanted
        assert own["right"] == len(inside.difference(*(one for n, one in enumerate(sets) if n not in places)))
    assert found["missed"] == len(wanted.difference(*sets))
    assert [own["items"] for own in found["totals"]] == [len(own) for own in sets]


def test_it_tells_the_four_apart(said, tsv, hits):
    """Each p is near that of 10,000 other swaps, and each system has its own rank."""
    from scipy import stats

    runs, right = tsv
    found = said("compare", "--task", "gn", "--samples", 10_000, *runs, right)
    assert [(own["run"], own["rank"]) for own in found["runs"]] == [
        *(("pubtator_central", [1, 1]), ("hunflair2", [2, 2]), ("bern2", [3, 3]), ("bent", [4, 4]))
    ]
    scores = {name: flat(own)["macro.f1"] for name, own in zip(SYSTEMS, hits, strict=True)}
    assert {own["run"]: own["macro.f1"] for own in found["runs"]} == pytest.approx(scores, abs=1e-12)
    own_f1 = {name: own_f1s(lists) for name, lists in zip(SYSTEMS, hits, strict=True)}
    for pair in found["pairs"]:
        theirs = stats.permutation_test(
            (own_f1[pair["a"]], own_f1[pair["b"]]),
            lambda a, b: np.mean(a - b),
            permutation_type="samples",
            n_resamples=10_000,
            rng=np.random.default_rng(11),
        )
        assert pair["difference"] == pytest.approx(theirs.statistic, abs=1e-12)
        assert pair["p"] == pytest.approx(theirs.pvalue, abs=4 * (0.25 / 10_000) ** 0.5)


def own_f1s(lists):
    """Each document's own F1."""
    shares = [(share(sum(own), len(own)), share(sum(own), right)) for own, right in lists]
    return np.array([float(harmonic(precision, recall)) for precision, recall in shares])


def test_it_tells_how_far_they_agree(said, tsv, genes):
    """Over the documents of which any of the four reports a gene."""
    from sklearn.metrics import cohen_kappa_score

    runs, _ = tsv
    found = said("agree", "--task", "gn", *runs)
    sets = [{(d, gene) for d, gene, _, _ in build_gene_rows(genes[name])} for name in SYSTEMS]
    every = sorted(set.union(*sets))
    assert (found["articles"], found["instances"]) == (len({d for d, _ in every}), len(every))
    for pair, (a, b) in zip(found["pairs"], PAIRS, strict=True):
        first, second = ([one in sets[place] for one in every] for place in (a, b))
        assert (pair["a"], pair["b"]) == (SYSTEMS[a], SYSTEMS[b])
        assert pair["f1"] == pytest.approx(2 * len(sets[a] & sets[b]) / (len(sets[a]) + len(sets[b])), abs=1e-12)
        assert pair["joint"] == pytest.approx(np.mean(np.equal(first, second)), abs=1e-12)
        assert pair["kappa"] == pytest.approx(cohen_kappa_score(first, second), abs=1e-12)


@pytest.mark.parametrize("how", sorted(annotated_text.MATCHES))
@pytest.mark.parametrize("name", SYSTEMS)
def test_it_matches_mentions_one_to_one(name, how, spans):
    found = spans[name]
    own = count_span_matches(build_span_lists(spans["gold"]), build_span_lists(found), how)
    assert own.tp == count_all_matches(spans["gold"], found, how)
    assert (own.tp + own.fn, own.tp + own.fp) == (2_425, sum(map(len, found.values())))


def build_span_lists(lists):
    return {document: [Span(*own) for own in spans] for document, spans in lists.items()}


def count_all_matches(right, found, how):
    return sum(annotated_text.count_matched_spans(own, found.get(document, []), how) for document, own in right.items())


def test_it_scores_mentions_of_the_files_themselves(said, texts, spans):
    runs, right = texts
    reports = said("score", "--task", "gm", *runs, right)["runs"]
    found = 2_425
    for report, name in zip(reports, SYSTEMS, strict=True):
        reported = sum(map(len, spans[name].values()))
        assert (report["documents"], report["results"], report["unknown_document_names"]) == (318, reported, [])
        ways = {"exact": report["figures"]["micro"], **report["spans"]}
        assert set(ways) == set(annotated_text.MATCHES)
        for how, own in ways.items():
            tp = count_all_matches(spans["gold"], spans[name], how)
            assert (own["tp"], own["fp"], own["fn"]) == (tp, reported - tp, found - tp)
            assert own["f1"] == pytest.approx(2 * tp / (reported + found), abs=1e-12)
        own_f1 = [
            2 * len(set(own) & set(spans[name].get(d, ()))) / (len(own) + len(spans[name].get(d, ())))
            for d, own in spans["gold"].items()
        ]
        assert report["figures"]["macro"]["documents"] == len(own_f1) == 296
        assert report["figures"]["macro"]["f1"] == pytest.approx(np.mean(own_f1), abs=1e-12)


def test_half_of_what_one_system_finds_has_another_border(spans):
    """BERN2 marks `MLYCD gene` where the gold standard has `MLYCD`; BENT, which names the wrong genes, finds them."""
    counted = {
        name: [count_all_matches(spans["gold"], spans[name], how) for how in ("exact", "overlap")] for name in SYSTEMS
    }
    assert counted == {
        "pubtator_central": [2_047, 2_060], "bern2": [1_316, 2_360], "hunflair2": [2_170, 2_303], "bent": [2_068, 2_278]
    }  # fmt: skip


@pytest.mark.parametrize("name", SYSTEMS)
def test_it_scores_each_document_as_trec_eval_does(name, packed, gold):
    """Scores are numbers of mentions, so that most genes of a document have the same as others."""
    mentions, _ = annotated_text.gene_counts(packed[name])
    run = "".join(f"{d} Q0 {gene} 0 {number} x\n" for d, own in mentions.items() for gene, number in own.items())
    qrels = "".join(f"{d} 0 {gene} 1\n" for d, own in gold.items() for gene in sorted(own))
    right = pytrec_eval.parse_qrel(qrels.splitlines())
    evaluator = pytrec_eval.RelevanceEvaluator(right, {"map", "set_P", "set_recall", "P.3", "recip_rank", "Rprec"})
    theirs = evaluator.evaluate(pytrec_eval.parse_run(run.splitlines()))
    lists = convert_run_table(read_trec_run_ranked_by_score(BytesIO(run.encode()), "gn", "run"))
    table = match_run_and_mark_hits(
        convert_gold_table(read_relevant_trec_qrels(BytesIO(qrels.encode()), "gn", "qrels")), lists
    )
    own = compute_f_ap_and_auc_ipr_per_article(table.ranked)
    figures = {
        "map": own.ap,
        "set_P": own.precision,
        "set_recall": own.recall,
        "P_3": precision_at_rank(table.ranked, 3),
    }
    figures |= {"recip_rank": reciprocal_ranks(table.ranked), "Rprec": break_even_precision(table.ranked)}
    answered = [place for place, length in enumerate(table.ranked.lengths) if length]
    for figure, values in figures.items():
        expected = [theirs[table.gold_items.documents[place]][figure] for place in answered]
        assert values[answered] == pytest.approx(expected, abs=1e-12), figure

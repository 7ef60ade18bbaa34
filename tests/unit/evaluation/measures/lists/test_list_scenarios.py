"""All figures of ranked lists in every combination of scenarios, against the slow version of the definitions."""

from dataclasses import asdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.measures.lists.scenarios import ScoringScenario, iter_scenario_matches_and_hits, match_run_and_mark_hits
from evaluation.measures.run_figures import compute_evaluated_figures, compute_list_figures
from tests.reference import ranked_lists
from tests.reference.columns import encode_gold, encode_run

ACCESSIONS = ["A", "B", "C", "D", "a", "b", "c", "x"]
ORGANISMS = dict(zip(ACCESSIONS[:-1], ["h", "h", "m", "y", "m", "m", "y"], strict=True))
HOMONYMS = {"A": ["a", "C"], "B": ["b", "a"], "C": ["c"], "D": [], "c": ["C", "x"]}
PAIRS = [(one, other) for one in ACCESSIONS for other in ACCESSIONS if one <= other]
DOCUMENTS = ["d1", "d2", "d3", "d4"]


def same(ours, theirs):
    for block in ("micro", "macro"):
        for name, value in theirs[block].items():
            assert getattr(getattr(ours, block), name) == pytest.approx(float(value), abs=1e-12), (block, name)


@st.composite
def gold_and_run(draw, items):
    documents = draw(st.lists(st.sampled_from(DOCUMENTS), min_size=1, unique=True))
    mapped = [item for item in items if "x" not in item]
    gold = {name: draw(st.lists(st.sampled_from(mapped), min_size=1, max_size=4, unique=True)) for name in documents}
    rows = []
    for name in [*DOCUMENTS, "unknown"]:
        found = draw(st.lists(st.sampled_from(items), max_size=6, unique=True))
        ranks = draw(st.lists(st.integers(1, 30), min_size=len(found), max_size=len(found), unique=True))
        rows += [
            (name, item, rank, draw(st.sampled_from([0.1, 0.2, 0.5, 1.0])))
            for item, rank in zip(found, ranks, strict=True)
        ]
    return gold, draw(st.permutations(rows))


CHOICES = st.fixed_dictionaries(
    {
        "order": st.sampled_from(["rank", "confidence", "line"]),
        "homonyms": st.sampled_from([None, HOMONYMS]),
        "organisms": st.sampled_from([None, ORGANISMS]),
        "answered_only": st.booleans(),
        "rank": st.sampled_from([None, 1, 2, 4]),
        "confidence": st.sampled_from([None, 0.2, 0.5]),
    }
)


def both(gold, rows, choice):
    lists = ranked_lists.hit_lists(gold, rows, **choice)
    rank, confidence = choice["rank"], choice["confidence"]
    rest = {name: value for name, value in choice.items() if name not in ("rank", "confidence")}
    scenario = ScoringScenario(cutoff_rank=rank, min_confidence=confidence, **rest)
    same(
        compute_list_figures(encode_gold(gold), encode_run(rows), scenario), ranked_lists.figures(list(lists.values()))
    )


@settings(max_examples=150, deadline=None)
@given(gold_and_run(ACCESSIONS), CHOICES)
def test_it_scores_identifiers_as_the_slow_version_does(case, choice):
    both(*case, choice)


@settings(max_examples=150, deadline=None)
@given(gold_and_run(PAIRS), CHOICES)
def test_it_scores_pairs_as_the_slow_version_does(case, choice):
    both(*case, choice)


@settings(deadline=None)
@given(gold_and_run(ACCESSIONS), st.permutations(DOCUMENTS))
def test_it_does_not_depend_on_the_order_of_documents(case, order):
    gold, rows = case
    turned = {name: gold[name] for name in order if name in gold}
    ours, theirs = (compute_list_figures(encode_gold(items), encode_run(rows)) for items in (gold, turned))
    for block in ("micro", "macro"):
        assert asdict(getattr(ours, block)) == pytest.approx(asdict(getattr(theirs, block)), abs=1e-12)


@settings(deadline=None)
@given(gold_and_run(ACCESSIONS))
def test_it_stays_within_bounds_and_cuts_never_raise_recall(case):
    gold, run = encode_gold(case[0]), encode_run(case[1])
    recalls = [
        compute_list_figures(gold, run, ScoringScenario(cutoff_rank=rank)).micro.recall for rank in (1, 2, 3, None)
    ]
    assert recalls == sorted(recalls)
    figures = compute_list_figures(gold, run)
    ratios = {name: value for name, value in asdict(figures.macro).items() if name != "documents"}
    assert all(-1e-12 <= value <= 1 + 1e-12 for value in ratios.values())
    assert figures.macro.ap <= figures.macro.recall + 1e-12
    assert figures.micro.ap <= figures.micro.auc_ipr + 1e-12


def lists_as_rows(**words):
    return [
        (document, f"{'G' if letter == 'T' else 'W'}{place}", place, None)
        for document, word in words.items()
        for place, letter in enumerate(word, 1)
    ]


def gold_of_lists(sizes, **words):
    hits = {
        document: [f"G{n}" for n, letter in enumerate(word, 1) if letter == "T"] for document, word in words.items()
    }
    return {
        document: [*own, *(f"missed{n}" for n in range(size - len(own)))]
        for (document, own), size in zip(hits.items(), sizes, strict=True)
    }


def test_it_gives_the_worked_figures_of_the_official_library():
    words = {"a": "TFT", "b": "FT", "c": "TTFF", "d": ""}
    figures = compute_list_figures(
        encode_gold(gold_of_lists([3, 1, 2, 1], **words)), encode_run(lists_as_rows(**words))
    )
    assert figures.macro.ap == pytest.approx(95 / 288, abs=1e-15)
    assert (round(figures.macro.f1, 12), round(figures.macro.fap, 7)) == (0.5, 0.3974895)
    assert (round(figures.micro.ap, 7), figures.micro.f1) == (0.4702381, pytest.approx(5 / 8, abs=1e-15))
    assert (figures.micro.tp, figures.micro.fp, figures.micro.fn) == (5, 4, 2)
    assert (figures.answered, figures.results, figures.macro.documents) == (3, 9, 4)


def test_it_gives_the_worked_area_under_the_interpolated_curve():
    """Two lists of ten over four right items, hits at ranks 1 and 10, and at 2 and 3."""
    for word, area in (("TFFFFFFFFT", 0.300), ("FTTFFFFFFF", 0.333)):
        figures = compute_list_figures(encode_gold(gold_of_lists([4], d=word)), encode_run(lists_as_rows(d=word)))
        assert round(figures.macro.auc_ipr, 3) == round(figures.micro.auc_ipr, 3) == area
        assert figures.macro.f1 == pytest.approx(2 / 7, abs=1e-15)


def test_it_leaves_unanswered_documents_out_when_asked():
    gold, run = encode_gold({"1": ["A"], "2": ["B"]}), encode_run([("1", "A", 1, None)])
    kept, left = compute_list_figures(gold, run), compute_list_figures(gold, run, ScoringScenario(answered_only=True))
    assert (kept.macro.documents, kept.micro.fn, kept.macro.recall) == (2, 1, 0.5)
    assert (left.macro.documents, left.micro.fn, left.macro.recall) == (1, 0, 1.0)
    assert (kept.empty_lists, left.empty_lists) == (1, 0)


def test_it_leaves_out_what_filters_emptied_but_not_what_cuts_emptied():
    gold = encode_gold({"1": ["A"], "2": ["D"]})
    run = encode_run([("1", "a", 1, 0.1), ("2", "D", 1, 0.9)])
    filtered = compute_list_figures(gold, run, ScoringScenario(organisms=ORGANISMS, answered_only=True))
    cut = compute_list_figures(gold, run, ScoringScenario(min_confidence=0.5, answered_only=True))
    assert (filtered.macro.documents, cut.macro.documents) == (1, 2)


def test_it_ends_a_list_at_the_first_result_below_the_confidence():
    gold, run = (
        encode_gold({"1": ["A", "B", "C"]}),
        encode_run([("1", "A", 1, 0.5), ("1", "B", 2, 0.4), ("1", "C", 3, 0.9)]),
    )
    assert compute_list_figures(gold, run, ScoringScenario(min_confidence=0.5)).micro.tp == 1
    assert compute_list_figures(gold, run, ScoringScenario(order="confidence", min_confidence=0.5)).micro.tp == 2
    without = encode_run([("1", "A", 1, None)])
    assert compute_list_figures(gold, without, ScoringScenario(min_confidence=0.9)).micro.tp == 1


def test_it_breaks_ties_of_confidence_by_the_name_of_the_item():
    run = encode_run([("1", "b", None, 0.5), ("1", "B", None, 0.5), ("1", "a", None, 0.9)])
    table = match_run_and_mark_hits(encode_gold({"1": ["B"]}), run)
    assert [table.lists.items[code] for code in table.lists.item] == ["a", "B", "b"]


def test_it_puts_a_list_in_order_by_rank_before_confidence_before_line():
    rows = [("1", "A", 2, 0.9), ("1", "B", 1, 0.1)]
    gold = encode_gold({"1": ["A"]})

    def ap(rows, order=None):
        return compute_list_figures(gold, encode_run(rows), ScoringScenario(order=order)).micro.ap

    assert ap(rows) == ap(rows, "rank") == 0.5
    assert ap(rows, "confidence") == ap(rows, "line") == 1.0
    assert ap([(document, item, None, c) for document, item, _, c in rows]) == 1.0
    assert ap([(document, item, None, None) for document, item, _, _ in rows]) == 1.0
    with pytest.raises(ValueError, match="no rank column"):
        ap([("1", "A", None, None)], "rank")


def test_it_counts_and_names_documents_that_the_gold_standard_does_not_know():
    figures = compute_list_figures(
        encode_gold({"1": ["A"]}), encode_run([("9", "A", 1, None), ("1", "A", 1, None), ("8", "A", 1, None)])
    )
    assert (figures.unknown_documents, figures.micro.fp, figures.results) == (["9", "8"], 0, 1)


def test_it_says_which_figures_are_undefined():
    silent = compute_list_figures(encode_gold({"1": ["A"]}), encode_run([]))
    assert silent.undefined == ["micro.precision", "micro.f1", "micro.fap", "macro.fap"]
    assert (silent.micro.precision, silent.empty_lists) == (0, 1)
    assert compute_list_figures(encode_gold({"1": ["A"]}), encode_run([("1", "A", 1, None)])).undefined == []
    nothing = compute_list_figures(encode_gold({}), encode_run([("1", "A", 1, None)]))
    assert {"micro.recall", "micro.ap", "macro.precision", "macro.auc_ipr"} <= set(nothing.undefined)


def test_it_weighs_recall_by_beta():
    gold, run = encode_gold({"1": ["A", "B", "C", "D"]}), encode_run([("1", "A", 1, None)])
    figures = compute_list_figures(gold, run, ScoringScenario(beta=2))
    f2 = 5 * 1 * 0.25 / (4 * 1 + 0.25)
    assert figures.micro.f1 == figures.macro.f1 == pytest.approx(f2, abs=1e-15)
    assert figures.macro.fap == pytest.approx(5 * f2 * 0.25 / (4 * f2 + 0.25), abs=1e-15)


def test_it_counts_swiss_prot_only():
    gold = encode_gold({"1": ["A", "B"], "2": ["A", "x"]})
    run = encode_run([("1", "A", 1, None), ("1", "x", 2, None), ("2", "A", 1, None)])
    documents = compute_list_figures(gold, run, ScoringScenario(swissprot_gold={"A", "B"}))
    assert (documents.macro.documents, documents.micro.fp, documents.unknown_documents) == (1, 1, [])
    results = compute_list_figures(gold, run, ScoringScenario(swissprot_results={"A", "B"}))
    assert (results.macro.documents, results.micro.fp, results.micro.fn) == (2, 0, 2)


def test_it_shares_the_work_of_scenarios_without_changing_their_figures():
    gold = encode_gold({"d1": ["a", "b"], "d2": ["c"]})
    run = encode_run([("d1", "x", 1, 0.9), ("d1", "a", 2, 0.5), ("d3", "c", 1, 0.3), ("d2", "y", 1, 0.2)])
    scenarios = [
        ScoringScenario(order=order, answered_only=answered, homonyms=homonyms, organisms=organisms, cutoff_rank=rank)
        for order in ("rank", "line")
        for answered in (False, True)
        for homonyms in (None, {"b": ["x"]})
        for organisms in (None, {"a": "9606", "b": "9606", "c": "10090", "x": "10090"})
        for rank in (None, 1)
    ]
    apart = [compute_list_figures(gold, run, scenario) for scenario in scenarios]
    together = [compute_evaluated_figures(own) for own in iter_scenario_matches_and_hits(gold, run, scenarios)]
    assert together == apart

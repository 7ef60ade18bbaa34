"""The agreement of every two producers as a matrix."""

from evaluation.agreement.matrix import build_agreement_matrix
from evaluation.analyses.significance.confidence_intervals import ConfidenceInterval
from evaluation.measures.agreement import PairwiseAgreement

NAMES = ["Alpha", "Beta", "Gamma"]
PAIRS = {
    (0, 1): PairwiseAgreement(10, 0.5, -0.25, 2 / 3),
    (0, 2): PairwiseAgreement(10, 0.5, 1.0, 0.0),
    (1, 2): PairwiseAgreement(0, None, None, None),
}


def read_figures(rows):
    return [[cell.figure for cell in row.cells] for row in rows]


def test_it_is_symmetric_without_figures_on_its_diagonal():
    rows = build_agreement_matrix(NAMES, PAIRS, {}, by_kappa=False)
    assert [(row.number, row.name) for row in rows] == [(1, "Alpha"), (2, "Beta"), (3, "Gamma")]
    assert read_figures(rows) == [["", "0.667", "0.000"], ["0.667", "", "-"], ["0.000", "-", ""]]
    assert [[cell.level for cell in row.cells] for row in rows] == [[0, 3, 1], [3, 0, 1], [1, 1, 0]]
    assert rows[0].cells[1].words == rows[1].cells[0].words == "Alpha and Beta\nF1: 0.66667"
    assert rows[1].cells[2].words == "Beta and Gamma\nNo F1"


def test_kappa_has_the_same_shades():
    rows = build_agreement_matrix(NAMES, PAIRS, {}, by_kappa=True)
    assert read_figures(rows)[0] == ["", "-0.250", "1.000"]
    assert [cell.level for cell in rows[0].cells] == [0, 1, 4]
    assert rows[0].cells[1].words == "Alpha and Beta\nCohen's kappa: -0.25000"


def test_a_cell_has_its_interval_where_there_is_one():
    intervals = {(0, 1): {"f1": ConfidenceInterval(0.5, 0.75), "kappa": ConfidenceInterval(-1, 1)}, (0, 2): {}}
    (_, cell, other), *_ = (row.cells for row in build_agreement_matrix(NAMES, PAIRS, intervals, by_kappa=False))
    assert (cell.figure, cell.interval, other.interval) == ("0.667", "0.500\N{NO-BREAK SPACE}to 0.750", "")
    assert cell.words == "Alpha and Beta\nF1: 0.66667\n95 % confidence interval: 0.50000 to 0.75000"

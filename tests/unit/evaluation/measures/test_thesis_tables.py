"""The tables of the thesis' appendix A.1, read from the text beside the project; without it they are skipped aloud.

Source: F. Leitner, appendix A.1 and table 4.1.
"""

import re
from pathlib import Path

import pytest

from evaluation.measures.confusion_counts import ConfusionCounts, accuracy, mcc
from evaluation.measures.lists.ranking import fap_score

SEEDS = Path(__file__).parents[4].parent / "shared" / "seeds"
FIGURE = r"(-?\d\.\d{5})"
ROW = r"^(II|II\.5|III) (\w+) (\w+) "
# Runs that left articles out: their accuracy and MCC follow only where unreported articles are ignored.
INCOMPLETE = {"II.5 14 S25", "II.5 32 S07", *(f"III 70 {run}" for run in range(1, 6))}


@pytest.fixture(scope="module")
def thesis():
    found = [path for path in SEEDS.glob("*.txt") if "A.1.1 Article Classification Results" in path.read_text()]
    if not found:
        pytest.skip(f"the text of the thesis beside the project is absent: none in {SEEDS}")
    return found[0].read_text()


def rows(text, columns):
    pattern = re.compile(ROW + " ".join([FIGURE] * columns) + "$", re.MULTILINE)
    return [(" ".join(match[:3]), *map(float, match[3:])) for match in pattern.findall(text)]


def test_it_follows_all_fap_figures(thesis):
    appendix = thesis[thesis.index("A.1.2 Macro-averaged Protein Normalization") :]
    found = rows(appendix, 5)
    assert len(found) == 129
    for run, _, _, f1, ap, published in found:
        assert fap_score(f1, ap) == pytest.approx(published, abs=2e-5), run


def article_rows(thesis):
    return rows(thesis[thesis.index("A.1.1 Article") : thesis.index("A.1.2 Macro")], 5)


def sizes(thesis):
    """Relevant and other articles of each test set."""
    table = re.findall(r"^BioCreative (II|II\.5|III) [\d,]+ [\d,]+ ([\d,]+) ([\d,]+)$", thesis, re.MULTILINE)
    return {
        name: (int(positive.replace(",", "")), int(negative.replace(",", ""))) for name, positive, negative in table
    }


def test_it_follows_the_article_classification_figures(thesis):
    found = article_rows(thesis)
    assert len(found) == 137
    differ = {run for run, *figures in found if not follows(figures, *sizes(thesis)[run.split()[0]])}
    assert differ == INCOMPLETE


def test_it_follows_the_others_only_where_unreported_articles_are_ignored(thesis):
    for run, *figures in article_rows(thesis):
        if run in INCOMPLETE:
            positives, negatives = sizes(thesis)[run.split()[0]]
            reported = [
                (some, others)
                for some in shares(figures[0], positives)
                for others in shares(figures[1], negatives)
                if follows(figures, some, others)
            ]
            assert reported and (positives, negatives) not in reported, run


def shares(published, most):
    """How many articles there can be, so that a whole number of them is the published share."""
    return [size for size in range(1, most + 1) if abs(round(published * size) / size - published) <= 1e-5]


def follows(figures, positives, negatives):
    """Whether accuracy and MCC follow from sensitivity and specificity when every article is reported."""
    sensitivity, specificity, published_accuracy, published_mcc = figures[:4]
    tp, tn = round(sensitivity * positives), round(specificity * negatives)
    counts = ConfusionCounts(tp=tp, fp=negatives - tn, fn=positives - tp, tn=tn)
    return all(
        abs(ours - theirs) <= 2e-5
        for ours, theirs in (
            (tp / positives, sensitivity),
            (tn / negatives, specificity),
            (accuracy(counts), published_accuracy),
            (mcc(counts), published_mcc),
        )
    )

"""Tasks with settings in sight: three abstracts, with gold standards and runs in PubTator and as labels.

Each file is read by the site and by `python -m evaluation`, which have to agree.
"""

import json
import shlex
from functools import partial

from annotations.schema import Kind
from evaluation.__main__ import main
from evaluation.analyses.scores.item_scores import name_label_measure
from evaluation.analyses.tables.count_tables import LABEL_FIGURES
from evaluation.challenges.setup import creation
from evaluation.measures.task_settings import read_task_settings
from tests.integration.evaluation_cast import create_listed_challenge, make_corpus_of_texts, write_pubtator

TEXTS = {
    301: ("Aspirin causes asthma", "Asthma after aspirin is rare. Ibuprofen causes ulcers."),
    302: ("Nothing here", "Nor here."),
    303: ("Cancer of lung and breast", "Tamoxifen treats breast cancer."),
}
pubtator = partial(write_pubtator, TEXTS)
GOLD = pubtator(
    _301=(
        *("0\t7\tAspirin\tChemical\tMESH:D001241", "15\t21\tasthma\tDisease\tMESH:D001249"),
        *("22\t28\tAsthma\tDisease\tMESH:D001249", "35\t42\taspirin\tChemical\tMESH:D001241"),
        *("52\t61\tIbuprofen\tChemical\tMESH:D007052", "69\t75\tulcers\tDisease\tMESH:D014456"),
        *("CID\tD001241\tD001249\tNovel", "CID\tD007052\tD014456\tNo"),
    ),
    _303=(
        *("0\t6\tCancer\tDisease\tMESH:D009369", "26\t35\tTamoxifen\tChemical\tMESH:D013629"),
        *("43\t56\tbreast cancer\tDisease\tMESH:D001943|MESH:D009369", "Treats\tD013629\tD001943\tNo"),
    ),
)
# Some at their place, one with another end, one of another type, one false alarm, one wrong link.
RUN = pubtator(
    _301=(
        *("0\t7\tAspirin\tChemical\tMESH:D001241", "15\t21\tasthma\tDisease\tMESH:D001249"),
        *("22\t34\tAsthma after\tDisease\tMESH:D001249", "52\t61\tIbuprofen\tDisease\tMESH:D007052"),
        *("69\t75\tulcers\tDisease\tMESH:D013276", "CID\tD001249\tD001241\tNovel", "CID\tD007052\tD013276\tNo"),
    ),
    _302=("0\t7\tNothing\tDisease\tMESH:D004194",),
    _303=(
        *("0\t6\tCancer\tDisease\tMESH:D009369", "43\t56\tbreast cancer\tDisease\tMESH:D001943"),
        *("26\t35\tTamoxifen\tChemical\tMESH:D013629", "CID\tD013629\tD001943\tNo"),
    ),
)
OTHER = pubtator(
    _301=("15\t21\tasthma\tDisease\tMESH:D001249", "0\t7\tAspirin\tChemical\tMESH:D001241", "CID\tD001241\tD001249"),
    _303=("43\t56\tbreast cancer\tDisease\tMESH:D001943",),
)
LABEL_GOLD = b"301\tsafety\n301\ttreatment\n303\ttreatment\n"
LABEL_RUN = b"301\tsafety\t1\t0.9\n302\tsafety\t1\t0.5\n303\ttreatment\t1\t0.8\n303\tsafety\t2\t0.4\n"
LABEL_OTHER = b"301\ttreatment\n302\tprevention\n"

DISEASES = {"entity_types": ["Disease"]}
# {name of the task: kind, settings, gold standard, two runs}
OPEN_TASKS = {
    "NER": (Kind.MENTION, DISEASES, GOLD, RUN, OTHER),
    "NER-ALL": (Kind.MENTION, {"matching": {"spans": "overlap", "types": False}}, GOLD, RUN, OTHER),
    "NER-SPELLED": (
        Kind.MENTION,
        {"entity_types": ["Disease"], "type_spellings": {"Disease": ["medical problem", "illness"]}},
        *(GOLD, RUN.replace(b"\tDisease\t", b"\tMedical_Problem\t"), OTHER),
    ),
    "NEL": (Kind.MENTION, {"matching": {"identifiers": "mention"}, "namespaces": ["MESH"]}, GOLD, RUN, OTHER),
    "NEL-ART": (Kind.ENTITY, {"entity_types": ["Disease", "Chemical"]}, GOLD, RUN, OTHER),
    "CID": (Kind.RELATION, {"matching": {"relation_types": ["CID"], "relation": "novelty"}}, GOLD, RUN, OTHER),
    "CID-SPELLED": (
        Kind.RELATION,
        {
            "matching": {"relation_types": ["CID"], "relation": "novelty"},
            "type_spellings": {"Disease": ["medical problem"]},
        },
        *(GOLD, RUN.replace(b"\tDisease\t", b"\tMedical_Problem\t"), OTHER),
    ),
    "REL": (Kind.RELATION, {"matching": {"excluded_type_pairs": [["Disease", "Disease"]]}}, GOLD, RUN, OTHER),
    "TOPIC": (
        Kind.LABEL,
        {"label_set": {"name": "topic", "values": ["safety", "treatment", "prevention"], "several": True}},
        *(LABEL_GOLD, LABEL_RUN, LABEL_OTHER),
    ),
}


def make_open_corpus(*, blind=False):
    return make_corpus_of_texts("open", TEXTS, blind=blind)


def make_open_challenge(organizer, names=tuple(OPEN_TASKS)):
    """A challenge in its training phase with some of OPEN_TASKS; there are no gold standards yet."""
    challenge = create_listed_challenge("Open tasks", "open-tasks", "Which drugs cause which diseases?", organizer)
    for name in names:
        kind, settings, *_ = OPEN_TASKS[name]
        creation.create_task(challenge, name, kind, f"Task {name}", settings=read_task_settings(settings))
    return challenge, creation.create_phase_claiming_blind_corpus(challenge, "training", make_open_corpus())


def run_command(words, capsys):
    """The JSON that a command prints. words: its arguments."""
    assert main([*words, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def words_of(command):
    """The arguments of a command line behind `python -m evaluation`."""
    return shlex.split(command)[3:]


def name_figure(measure):
    """What the command line calls a measure of the registry: micro.f1, or (scheme, figure)."""
    if measure.startswith("ner_"):
        return tuple(measure.split("_")[1:])
    return next((each for each in LABEL_FIGURES if name_label_measure(each) == measure), measure.replace("_", ".", 1))


def get_printed_figure(printed, measure):
    figure = name_figure(measure)
    if isinstance(figure, tuple):
        return printed["schemes"][figure[0]][figure[1]]
    average, _, name = figure.partition("." if "." in figure else "_")
    return printed["figures"][average][name]


def check_score(score, printed):
    assert score.figures == {name: get_printed_figure(printed, name) for name in score.figures}
    intervals = {name_figure(name): interval for name, interval in score.intervals.items()}
    for figure in intervals.keys() & printed["intervals"].keys():
        assert intervals[figure] == printed["intervals"][figure]

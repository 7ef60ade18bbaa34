"""Figures on corpora that are not part of the project, compared with those of other people's scorers.

CDR: the figures that the organizers' program prints for the sample files of their package. BioRED: the counts of `eval`
in src/utils/run_pubtator_eval.py of https://github.com/ncbi/BioREx, and the sets that it compares, made line by line.
"""

import gzip
import random
import re

import pytest

from annotations.identifiers.given_identifiers import parse_identifier_field
from annotations.schema import RelationArgument, Span, make_mention, make_relation
from evaluation.measures.items.task_columns import build_item_columns, build_item_scenario
from evaluation.measures.lists.scenarios import match_run_and_mark_hits
from evaluation.measures.run_figures import compute_evaluated_figures
from evaluation.measures.task_settings import TaskSettings
from tests.reference import open_items
from tests.shared_data import require_shared_path

BIORED_EXCLUDED = (("Disease", "Disease"), ("Gene", "Variant"), ("Gene", "Species"))


def read(path):
    """{document: annotations} of a PubTator file."""
    found = {}
    for document, rows in open_items.lines(path).items():
        mentions = [make_annotation(fields) for fields in rows if fields[1].isdigit()]
        types = {fields[5]: fields[4] for fields in rows if fields[1].isdigit() and len(fields) > 5}
        relations = [make_pair(fields, types) for fields in rows if not fields[1].isdigit()]
        found[document] = [*mentions, *relations]
    return found


def make_annotation(fields):
    links = parse_identifier_field(fields[5], fields[4]) if len(fields) > 5 else ()
    return make_mention([Span(int(fields[1]), int(fields[2]))], fields[3], fields[4], links)


def make_pair(fields, types):
    arguments = [
        RelationArgument(identifiers=parse_identifier_field(name, types.get(name, "Disease"))) for name in fields[2:4]
    ]
    novelty = {"novelty": fields[4]} if len(fields) > 4 and re.match("[A-Za-z]", fields[4]) else {}
    return make_relation(fields[1], arguments, directed=fields[1] == "CID", qualifiers=novelty)


def compute(form, gold, run, settings):
    columns = build_item_columns(form, gold, run, settings)
    evaluated = match_run_and_mark_hits(columns.gold, columns.run, build_item_scenario(form, settings))
    return compute_evaluated_figures(evaluated).micro


def cdr(name):
    return require_shared_path("scorers", "bc5cdr", f"CDR_sample.{name}.PubTator.gz")


@pytest.mark.shared
def test_it_scores_mentions_of_diseases_as_the_organizers_of_cdr():
    micro = compute("mention", read(cdr("gold")), read(cdr("test.DNER")), TaskSettings(("Disease",)))
    assert (micro.tp, micro.fp, micro.fn) == (303, 105, 121)
    assert (micro.precision, micro.recall) == (0.7426470588235294, 0.714622641509434)
    assert micro.f1 == pytest.approx(0.7283653846153848, abs=1e-15)


@pytest.mark.shared
def test_it_scores_concepts_as_the_organizers_of_cdr():
    micro = compute("concept", read(cdr("gold")), read(cdr("test.DNER")), TaskSettings(("Disease",)))
    assert (micro.tp, micro.fp, micro.fn) == (149, 57, 65)
    assert micro.f1 == pytest.approx(0.7095238095238096, abs=1e-15)


@pytest.mark.shared
def test_it_scores_relations_as_the_organizers_of_cdr():
    micro = compute("relation", read(cdr("gold")), read(cdr("test.CID")), TaskSettings(relation="direction"))
    assert (micro.tp, micro.fp, micro.fn) == (90, 533, 33)
    assert micro.f1 == pytest.approx(0.24128686327077747, abs=1e-15)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("level", "counts"), [("pair", (821, 47, 341)), ("type", (691, 193, 471)), ("novelty", (577, 318, 585))]
)
def test_it_compares_the_relations_of_biored_as_its_evaluation_does(level, counts, tmp_path):
    gold_path = require_shared_path("corpora", "biored", "Dev.PubTator.gz")
    run_path = write_changed_relations(gold_path, tmp_path / "run.PubTator.gz")
    gold, run = read(gold_path), read(run_path)
    for excluded, left_out in ((), ()), (BIORED_EXCLUDED, open_items.LEFT_OUT):
        micro = compute("relation", gold, run, TaskSettings(relation=level, excluded_type_pairs=excluded))
        sets = [open_items.relation_set(path, level, leave_out=left_out) for path in (gold_path, run_path)]
        assert (micro.tp, micro.fp, micro.fn) == open_items.contingency(*sets)
    assert (micro.tp, micro.fp, micro.fn) == counts


@pytest.mark.shared
@pytest.mark.parametrize("level", ["pair", "type", "novelty"])
def test_it_compares_a_file_without_mentions_with_the_relations_of_biored(level, tmp_path):
    path = require_shared_path("corpora", "biored", "Dev.PubTator.gz")
    run_path = tmp_path / "run.PubTator.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines, gzip.open(run_path, "wt", encoding="utf-8") as target:
        target.writelines(line for line in lines if line.count("\t") != 5)
    for gold, run in (path, run_path), (run_path, path):
        micro = compute("relation", read(gold), read(run), TaskSettings(relation=level))
        assert (micro.tp, micro.fp, micro.fn) == (1162, 0, 0)


def write_changed_relations(source, path):
    """The file with some of its relations left out, reversed, or with another type, novelty or second entity."""
    chance, last = random.Random(14), ["", ""]
    with gzip.open(source, "rt", encoding="utf-8") as lines, gzip.open(path, "wt", encoding="utf-8") as target:
        for line in lines:
            fields = line.rstrip("\n").split("\t")
            if len(fields) != 5 or fields[1].isdigit():
                target.write(line)
            elif (draw := chance.random()) < 0.8:
                fields[2:4] = fields[3:1:-1] if draw < 0.3 else fields[2:4]
                fields[1] = "Association" if 0.2 < draw < 0.4 else fields[1]
                fields[4] = "No" if 0.35 < draw < 0.55 else fields[4]
                fields[3] = last[1] if 0.5 < draw < 0.6 and last[0] == fields[0] else fields[3]
                target.write("\t".join(fields) + "\n")
                last = [fields[0], fields[2]]
    return path


@pytest.mark.shared
def test_it_scores_sets_of_mentions_and_concepts_as_slow_sets():
    for kind in ("Disease", "Chemical"):
        settings = TaskSettings((kind,))
        for form, collect in (("mention", open_items.mention_set), ("concept", open_items.concept_set)):
            micro = compute(form, read(cdr("gold")), read(cdr("test.DNER")), settings)
            sets = [collect(cdr(name), kind) for name in ("gold", "test.DNER")]
            assert (micro.tp, micro.fp, micro.fn) == open_items.contingency(*sets)

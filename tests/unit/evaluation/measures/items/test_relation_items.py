"""Relations as items: entities, types, direction, novelty, and which relations count."""

import pytest

from annotations.schema import AnnotationData, EntityId, Kind, RelationArgument, Span, make_mention, make_relation
from evaluation.measures.columns import RelationItem
from evaluation.measures.items.task_columns import build_item_columns, build_item_scenario, select_each_type
from evaluation.measures.lists.scenarios import match_run_and_mark_hits
from evaluation.measures.run_figures import compute_evaluated_figures
from evaluation.measures.task_settings import TaskSettings


def entity(name):
    return EntityId("mesh", name)


def relate(relation_type, *names, roles=(), **options):
    """A relation of entities; a name may be several, joined by a bar."""
    arguments = [
        RelationArgument(role, tuple(map(entity, each.split("|"))))
        for role, each in zip(roles or [""] * len(names), names, strict=True)
    ]
    return make_relation(relation_type, arguments, **options)


def count(gold, run, **settings):
    chosen = TaskSettings(**settings)
    columns = build_item_columns("relation", {"1": gold}, {"1": run}, chosen)
    evaluated = match_run_and_mark_hits(columns.gold, columns.run, build_item_scenario("relation", chosen))
    micro = compute_evaluated_figures(evaluated).micro
    return micro.tp, micro.fp, micro.fn


def test_it_compares_entities_and_type():
    gold = [relate("Bind", "A", "B"), relate("Association", "A", "C")]
    run = [relate("bind", "B", "A"), relate("Bind", "A", "C"), relate("Bind", "A", "D")]
    assert count(gold, run) == (1, 2, 1)
    assert count(gold, run, relation="pair") == (2, 1, 0)


def test_it_counts_a_pair_with_two_types_once_if_types_do_not_count():
    relations = [relate("Bind", "A", "B"), relate("Association", "A", "B")]
    assert count(relations, relations) == (2, 0, 0)
    assert count(relations, relations, relation="pair") == (1, 0, 0)


def test_it_compares_the_order_of_directed_relations():
    gold = [relate("CID", "A", "B", directed=True)]
    back = [relate("CID", "B", "A", directed=True)]
    assert count(gold, back) == (1, 0, 0)
    assert count(gold, back, relation="direction") == (0, 1, 1)
    assert count(gold, gold, relation="direction") == (1, 0, 0)
    assert count(gold, [relate("CID", "A", "B")], relation="direction") == (0, 1, 1)


def test_it_takes_roles_for_the_order_of_directed_relations():
    gold = [relate("CID", "A", "B", roles=("cause", "effect"), directed=True)]
    same = [relate("CID", "B", "A", roles=("Effect", "Cause"), directed=True)]
    other = [relate("CID", "A", "B", roles=("effect", "cause"), directed=True)]
    assert count(gold, same, relation="direction") == (1, 0, 0)
    assert count(gold, other, relation="direction") == (0, 1, 1)


def test_it_compares_novelty():
    gold = [relate("Bind", "A", "B", qualifiers={"novelty": "Novel"}), relate("Bind", "A", "C")]
    run = [relate("Bind", "A", "B", qualifiers={"Novelty": "novel"}), relate("Bind", "A", "C", qualifiers={"x": "y"})]
    assert count(gold, run, relation="novelty") == (2, 0, 0)
    assert count(gold, [relate("Bind", "A", "B", qualifiers={"novelty": "No"})], relation="novelty") == (0, 1, 2)


def test_it_never_takes_a_negated_relation_for_one_that_is_not():
    negated = [relate("Bind", "A", "B", qualifiers={"negated": "true"})]
    assert count(negated, negated, relation="pair") == (1, 0, 0)
    assert count(negated, [relate("Bind", "A", "B")], relation="pair") == (0, 1, 1)


def test_it_has_an_item_for_each_combination_of_several_identifiers():
    assert count([relate("Bind", "A|B", "C|D")], [relate("Bind", "C", "A"), relate("Bind", "B", "D")]) == (2, 0, 2)


def test_it_compares_relations_of_three_arguments():
    gold = [relate("Complex", "A", "B", "C")]
    assert count(gold, [relate("Complex", "C", "A", "B")]) == (1, 0, 0)
    assert count(gold, [relate("Complex", "A", "B")]) == (0, 1, 1)


def test_it_compares_mentions_without_links_by_their_positions():
    def between(start):
        return make_relation(
            "Bind", [RelationArgument(spans=(Span(start, start + 2),)), RelationArgument("", (entity("A"),))]
        )

    assert count([between(3)], [between(3), between(4)]) == (1, 1, 0)
    assert count([between(3)], [between(3)], namespaces=("mesh",)) == (0, 0, 0)


def test_it_counts_chosen_types_and_namespaces_alone():
    gold = [relate("Bind", "A", "B"), relate("CID", "A", "C")]
    assert count(gold, gold, relation_types=("cid",)) == (1, 0, 0)
    other = make_relation(
        "Bind", [RelationArgument("", (entity("A"), EntityId("chebi", "5"))), RelationArgument("", (entity("B"),))]
    )
    assert count([other], [other]) == (2, 0, 0)
    assert count([other], [other], namespaces=("mesh",)) == (1, 0, 0)


def test_it_leaves_out_relations_of_excluded_types_of_entities():
    def mention(name, entity_type):
        return make_mention([Span(0, 1)], "x", entity_type, [entity(name)])

    gold = [
        *(mention("A", "Disease"), mention("B", "DiseaseOrPhenotypicFeature"), mention("C", "Gene")),
        *(relate("Bind", "A", "B"), relate("Bind", "A", "C")),
    ]
    run = [relate("Bind", "A", "B"), relate("Bind", "B", "C"), relate("Bind", "C", "A")]
    assert count(gold, run, excluded_type_pairs=(("Disease", "Disease"),)) == (1, 1, 0)
    assert count(gold, run, excluded_type_pairs=(("Disease", "Gene"),)) == (1, 0, 0)
    typed = make_relation("Bind", [RelationArgument("", (entity(name),), (), "Gene") for name in "AB"])
    assert count([], [typed], excluded_type_pairs=(("Gene", "Gene"),)) == (0, 0, 0)


def test_it_reads_the_pairs_of_today():
    pair = AnnotationData(Kind.PAIR, database="mesh", identifier="B", partner="A")
    assert count([pair], [relate("interaction", "A", "B")]) == (1, 0, 0)


def test_it_lists_the_surest_relation_first():
    run = [relate("Bind", "A", "B", confidence=0.2), relate("Bind", "A", "C", confidence=0.9)]
    columns = build_item_columns("relation", {"1": []}, {"1": run}, TaskSettings())
    assert [item.arguments for item in columns.run.item.names] == [("mesh:A", "mesh:C"), ("mesh:A", "mesh:B")]
    assert columns.run.confidence.tolist() == pytest.approx([0.9, 0.2])


def test_it_selects_each_type_of_the_gold_standard():
    gold = {"1": [relate("Bind", "A", "B"), relate("Positive_Correlation", "A", "C"), relate("bind", "C", "B")]}
    selected = select_each_type("relation", gold, TaskSettings())
    assert list(selected) == ["Bind", "Positive_Correlation"]
    items = build_item_columns("relation", gold, {}, selected["Positive_Correlation"]).gold.item.names
    assert items == [RelationItem(("mesh:A", "mesh:C"), "positivecorrelation")]


def test_it_excludes_types_in_any_spelling_of_the_task():
    typed = make_relation(
        "Bind",
        [RelationArgument("", (entity("A"),), type="Strain"), RelationArgument("", (entity("B"),), type="isolate")],
    )
    pairs = (("Strain", "Strain"),)
    assert count([typed], [typed], excluded_type_pairs=pairs) == (1, 0, 0)
    spellings = (("Strain", ("cell strain", "isolate")),)
    assert count([typed], [typed], excluded_type_pairs=pairs, type_spellings=spellings) == (0, 0, 0)
    of_entities = [mention("A", "cell strain"), mention("B", "isolate"), relate("Bind", "A", "B")]
    assert count(of_entities, of_entities, excluded_type_pairs=pairs, type_spellings=spellings) == (0, 0, 0)


def mention(name, entity_type):
    return make_mention([Span(0, 1)], name, entity_type, [entity(name)])


def relate_bare(relation_type, *names):
    return make_relation(relation_type, [RelationArgument("", (EntityId("", name),)) for name in names])


def test_it_takes_identifiers_without_a_database_for_those_of_the_gold_standard():
    gold = [relate("Bind", "A", "B"), relate("Bind", "A", "C")]
    run = [relate_bare("Bind", "A", "B"), relate_bare("Bind", "A", "D")]
    assert count(gold, run) == (1, 1, 1)
    assert count(run, gold) == (1, 1, 1)
    assert count(gold, [*run, relate("Bind", "B", "A")], namespaces=("mesh",)) == (1, 0, 1)


def test_it_never_guesses_which_of_several_databases_an_identifier_has():
    ends = EntityId("omim", "A"), entity("B")
    other = make_relation("Bind", [RelationArgument("", (each,)) for each in ends])
    assert count([relate("Bind", "A", "B"), other], [relate_bare("Bind", "A", "B")]) == (0, 1, 2)
    assert count([relate("Bind", "A", "B")], [other]) == (0, 1, 1)

"""What the annotations of a corpus file suggest: tasks with their settings, and what was found."""

from io import BytesIO

import pytest

from annotations.formats.annotated_text.readers import ANNOTATED_TEXT_FORMATS
from annotations.formats.result_sniffing import ResultFormat
from annotations.schema import EntityId, RelationArgument, Span, make_label, make_mention, make_relation
from bcms.corpus_files.proposals import CorpusProposal, parse_corpus_proposal, propose_tasks
from evaluation.measures.open_tasks import complete_task_settings
from evaluation.measures.task_settings import read_task_settings
from evaluation.runs.files.text_annotations import TextAnnotation, list_text_annotations

PUBTATOR = """1|t|BRCA1 causes cancer and BRCA2 too.
1|a|Of mice.
1\t0\t5\tBRCA1\tGene\t672
1\t13\t19\tcancer\tDisease\tMESH:D009369
1\t24\t29\tBRCA2\tGene\t675
1\tGDA\t672\tMESH:D009369

2|t|Mice.
2|a|
2\t0\t4\tMice\tSpecies\t-

"""


def propose(content):
    annotated = ANNOTATED_TEXT_FORMATS[ResultFormat.PUBTATOR].read(BytesIO(content.encode()), "a.txt")
    return propose_tasks(list_text_annotations(annotated))


def build_labels(*rows):
    return [TextAnnotation(document, 0, make_label(name, value)) for document, name, value in rows]


def test_it_proposes_a_task_for_each_kind_in_the_file():
    mentions, entities, relations = propose(PUBTATOR)

    assert (mentions.name, mentions.kind, mentions.title) == (
        "NER",
        "mention",
        "Mentions of Disease, Gene and Species",
    )
    assert mentions.found == "4 mentions: Gene 2, Disease 1, Species 1"
    assert mentions.settings == {"entity_types": ["Disease", "Gene", "Species"]}
    assert (entities.name, entities.kind, entities.found) == (
        "NEN",
        "entity",
        "3 identifiers: NCBI Gene 2, MeSH 1",
    )
    assert entities.settings["entity_types"] == ["Disease", "Gene"]
    assert entities.settings["namespaces"] == ["mesh", "ncbigene"]
    assert (relations.name, relations.kind, relations.found) == ("RE", "relation", "1 relation: GDA 1")
    assert relations.settings == {"matching": {"relation_types": ["GDA"]}}


def test_a_file_without_annotations_suggests_none():
    assert propose("1|t|Nothing.\n1|a|\n\n") == []


def test_its_settings_are_those_of_a_task():
    for proposal in propose(PUBTATOR):
        settings = read_task_settings(proposal.settings)
        assert complete_task_settings(proposal.kind, settings) == settings


def test_mentions_without_a_type_count_as_every_type():
    found = [TextAnnotation("1", 0, make_mention([Span(0, 3)], "abc", name, ())) for name in ("", "Gene")]
    (proposal,) = propose_tasks(found)
    assert proposal.settings == {"entity_types": ["*"]}
    assert proposal.title == "Mentions"
    assert proposal.found == "2 mentions: no type 1, Gene 1"


def test_more_types_than_a_task_can_name_are_every_type():
    found = [TextAnnotation("1", 0, make_mention([Span(0, 3)], "abc", f"T{number}", ())) for number in range(101)]
    (proposal,) = propose_tasks(found)
    assert proposal.settings == {"entity_types": ["*"]}
    assert proposal.found == "101 mentions: T0 1, T1 1, T2 1, T3 1, 97 more"


def test_each_set_of_labels_is_a_task_with_its_values():
    labels = build_labels(("1", "topic", "x"), ("1", "topic", "y"), ("2", "topic", "x"), ("1", "Study type", "trial"))
    topic, study = propose_tasks(labels)
    assert (topic.name, topic.title, topic.found) == ("topic", "Labels: topic", "3 labels: x 2, y 1")
    assert topic.settings == {"label_set": {"name": "topic", "values": ["x", "y"], "several": True}}
    assert study.name == "Study-type"
    assert study.settings["label_set"]["several"] is False


def test_sets_of_labels_with_like_names_get_names_of_their_own():
    first, second, third = propose_tasks(build_labels(("1", "a é", "x"), ("1", "a ü", "x"), ("1", "é", "x")))
    assert (first.name, second.name, third.name) == ("a", "a-2", "LABELS")


def test_what_is_stored_is_read_again():
    proposal = CorpusProposal("PubTator", 2, [("1", "BRCA1")], ["a warning"], propose(PUBTATOR))
    read = parse_corpus_proposal(proposal.build_json())
    assert read.tasks == proposal.tasks
    assert (read.format, read.articles, read.warnings) == ("PubTator", 2, ["a warning"])


def test_only_the_largest_sets_of_labels_become_tasks():
    rows = [("1", f"set {number}", "x") for number in range(30)] + [("2", "set 29", "x"), ("1", "y" * 101, "x")]
    proposals = propose_tasks(build_labels(*rows))
    assert len(proposals) == 20
    assert proposals[0].title == "Labels: set 29"


def test_entities_of_unknown_databases_leave_the_databases_open():
    found = [TextAnnotation("1", 0, make_mention([Span(0, 3)], "abc", "Gene", [EntityId("nosuch", "1")]))]
    _, entities = propose_tasks(found)
    assert "namespaces" not in entities.settings


@pytest.mark.parametrize("name", ["Gene, human", "-"])
def test_types_that_settings_cannot_name_are_not_named(name):
    mention = make_mention([Span(0, 5)], "BRCA1", name, [EntityId("ncbigene", "672")])
    relation = make_relation(name, [RelationArgument(spans=(Span(0, 5),)), RelationArgument(spans=(Span(9, 12),))])
    tasks = propose_tasks([TextAnnotation("1", 0, each) for each in (mention, relation)])
    assert [(task.name, task.settings.get("entity_types")) for task in tasks] == [
        ("NER", ["*"]),
        ("NEN", ["*"]),
        ("RE", None),
    ]
    assert tasks[2].settings == {"matching": {"relation": "pair"}}


def test_sets_of_labels_that_tasks_do_not_tell_apart_are_one_task():
    (task,) = propose_tasks(build_labels(("1", "Topic", "a"), ("1", "topic", "b"), ("2", "topic", "a")))
    assert (task.found, task.settings["label_set"]) == (
        "3 labels: a 2, b 1",
        {"name": "Topic", "values": ["a", "b"], "several": True},
    )
    assert propose_tasks(build_labels(("1", "?!", "a"))) == []


def test_names_of_tasks_differ_by_more_than_case():
    mention = TextAnnotation("1", 0, make_mention([Span(0, 5)], "BRCA1", "Gene", []))
    assert [task.name for task in propose_tasks([mention, *build_labels(("1", "ner", "a"))])] == ["NER", "ner-2"]

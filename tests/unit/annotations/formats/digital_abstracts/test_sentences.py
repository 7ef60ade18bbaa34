"""One sentence for each interaction, as plain text and as HTML."""

from dataclasses import replace

import pytest

from annotations.digital_abstract import Detection, DigitalAbstract, Interaction, Participant
from annotations.formats.articles.annotated_article import AnnotatedArticle
from annotations.formats.articles.parsed_article import ArticleIds
from annotations.formats.digital_abstracts.exported_abstract import ExportedAbstract
from annotations.formats.digital_abstracts.sentences import (
    build_sentence,
    format_sentence,
    format_sentence_html,
    list_sentences,
)
from annotations.identifiers.psi_mi_terms import load_shipped_psi_mi_terms
from annotations.schema import EntityId
from tests.interaction_records import (
    ABSTRACT,
    ATM,
    BINDING,
    COMPLEX,
    DIMER,
    NEGATIVE,
    P53,
    PHOSPHORYLATED,
    TWO_HYBRID,
    UNSPECIFIED,
)

TERMS = {term.id: term.name for term in load_shipped_psi_mi_terms()}


def export(*interactions):
    return ExportedAbstract(
        AnnotatedArticle("1", ArticleIds(), []),
        DigitalAbstract(interactions),
        "https://bcms.example/articles/1/",
        TERMS,
    )


def state(interaction):
    return format_sentence(build_sentence(export(interaction), interaction))


BRCA2_RAD51 = "BRCA2 (uniprotkb:P51587) {} Rad51 (uniprotkb:Q06609)"
BY_METHODS = " by two hybrid (MI:0018) and coimmunoprecipitation (MI:0019)."


@pytest.mark.parametrize(
    ("interaction_type", "verb"),
    [
        ("", "binds to"),
        ("MI:0915", "physically interacts with"),
        ("MI:0914", "associates with"),
        ("MI:0407", "directly interacts with"),
        ("MI:0403", "colocalizes with"),
        ("MI:2402", "genetically interacts with"),
    ],
)
def test_it_has_a_verb_for_the_type(interaction_type, verb):
    sentence = state(replace(BINDING, interaction_type=interaction_type))
    assert sentence == BRCA2_RAD51.format(verb) + BY_METHODS


def test_it_names_other_types():
    assert state(replace(BINDING, interaction_type="MI:0408")) == (
        BRCA2_RAD51.format("interacts with") + ", type disulfide bond (MI:0408)," + BY_METHODS
    )
    assert state(replace(BINDING, interaction_type="MI:0408", detections=())).endswith(
        ", type disulfide bond (MI:0408)."
    )


def test_it_states_who_acts_on_whom():
    kinase = " by protein kinase assay (MI:0424)."
    assert state(PHOSPHORYLATED) == "ATM (uniprotkb:Q13315) phosphorylates p53 (uniprotkb:P04637)" + kinase
    turned = replace(PHOSPHORYLATED, participants=PHOSPHORYLATED.participants[::-1], directed=False)
    assert state(turned) == state(PHOSPHORYLATED)
    no_roles = tuple(replace(each, biological_role=UNSPECIFIED) for each in PHOSPHORYLATED.participants)
    assert state(replace(PHOSPHORYLATED, participants=no_roles)) == state(PHOSPHORYLATED)
    assert state(replace(PHOSPHORYLATED, participants=no_roles, directed=False)) == (
        "ATM (uniprotkb:Q13315) and p53 (uniprotkb:P04637) interact, type phosphorylation reaction (MI:0217)," + kinase
    )
    assert state(replace(PHOSPHORYLATED, negative=True)).startswith("ATM (uniprotkb:Q13315) does not phosphorylate p53")


def test_it_states_what_does_not_happen():
    assert state(NEGATIVE) == (
        "uniprotkb:P51587 does not physically interact with uniprotkb:P04637 by two hybrid (MI:0018)."
    )


def test_it_states_self_interactions():
    assert state(DIMER) == "Rad51 (uniprotkb:Q06609) directly interacts with itself by pull down (MI:0096)."
    twice = replace(DIMER, participants=DIMER.participants * 2)
    assert state(twice) == state(DIMER)
    kinase = Interaction((Participant(ATM, "ATM", biological_role="MI:0501"),), "MI:0217")
    assert state(kinase) == "ATM (uniprotkb:Q13315) phosphorylates itself."


def test_it_states_complexes():
    members = "p53 (uniprotkb:P04637), BRCA2 (uniprotkb:P51587), ATP (CHEBI:15422) and X (an unknown (protein))"
    methods = " by coimmunoprecipitation (MI:0019) and pull down (MI:0096)."
    assert state(COMPLEX) == f"{members} form a complex{methods}"
    assert state(replace(COMPLEX, negative=True)) == f"{members} do not form a complex{methods}"
    assert state(
        replace(COMPLEX, interaction_type="MI:0195", negative=True)
    ) == f"{members} do not bind covalently to each other" + (methods)
    assert state(replace(COMPLEX, interaction_type="MI:0403")) == f"{members} colocalize{methods}"
    assert state(replace(COMPLEX, directed=True)).startswith(
        "p53 (uniprotkb:P04637) binds to BRCA2 (uniprotkb:P51587), "
    )


def test_it_lists_a_sentence_for_each_interaction():
    sentences = list_sentences(export(*ABSTRACT.interactions))
    assert len(sentences) == len(ABSTRACT.interactions)
    assert all(sentence.endswith(".") and "\n" not in sentence for sentence in sentences)


def test_its_html_has_links_and_nothing_unescaped():
    evil = Participant(EntityId("uniprot", "P04637"), "<script>alert('x')</script>\n&")
    nameless = Participant(EntityId("", "<b>unknown</b>"))
    interaction = Interaction((evil, nameless), "MI:0915", (Detection(TWO_HYBRID), Detection("<i>")))
    pieces = build_sentence(export(interaction), interaction)
    assert format_sentence_html(pieces) == (
        "&lt;script&gt;alert('x')&lt;/script&gt; &amp; "
        '(<a href="https://www.uniprot.org/uniprotkb/P04637/entry">uniprotkb:P04637</a>)'
        ' <a href="https://www.ebi.ac.uk/ols4/ontologies/mi/classes?obo_id=MI%3A0915">physically interacts with</a> '
        "&lt;b&gt;unknown&lt;/b&gt; by two hybrid "
        '(<a href="https://www.ebi.ac.uk/ols4/ontologies/mi/classes?obo_id=MI%3A0018">MI:0018</a>) and &lt;i&gt;.'
    )
    assert P53.identifier in format_sentence(pieces)

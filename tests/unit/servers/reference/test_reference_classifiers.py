"""Naive Bayes and the keyword baseline tell articles on interactions from others."""

import json

import pytest

from servers.kit.articles import parse_xmlrpc_article_parameter
from servers.reference.keyword_classifier import KeywordClassifier
from servers.reference.naive_bayes import NaiveBayesClassifier, parse_training_examples_refusing_small_classes

RELEVANT = [
    "binding of receptor",
    "receptor binds ligand",
    "complex binding",
    "ligand binding complex",
    "binds receptor",
]
OTHER = ["fever in children", "surgery of children", "fever and surgery", "surgery for fever", "children after surgery"]


def lines(relevant=RELEVANT, other=OTHER):
    for title, label in [(title, True) for title in relevant] + [(title, False) for title in other]:
        yield json.dumps({"id": title, "title": title, "abstract": title, "relevant": label})


def test_it_learns_from_the_training_articles():
    classifier = NaiveBayesClassifier(parse_training_examples_refusing_small_classes(lines()))
    (binding,) = classifier.annotate(parse_xmlrpc_article_parameter("Receptor binding\nThe ligand binds."))
    (fever,) = classifier.annotate(parse_xmlrpc_article_parameter("Surgery\nFever in children after surgery."))
    assert (binding.relevant, fever.relevant) == (True, False)
    assert 0.5 < binding.confidence <= 1.0
    assert 0.5 < fever.confidence <= 1.0


def test_it_answers_a_text_of_unknown_words_with_the_commoner_class():
    classifier = NaiveBayesClassifier(parse_training_examples_refusing_small_classes(lines(other=OTHER * 3)))
    (finding,) = classifier.annotate(parse_xmlrpc_article_parameter("Lorem\nipsum"))
    assert (finding.relevant, 0.5 <= finding.confidence <= 1.0) == (False, True)


def test_it_names_the_line_that_is_no_article():
    with pytest.raises(ValueError, match="Line 2 of the training set"):
        parse_training_examples_refusing_small_classes(
            ['{"title": "a", "abstract": "b", "relevant": true}', "not json"]
        )


def test_it_needs_articles_of_both_classes():
    with pytest.raises(ValueError, match="at least 5 relevant and 5 other articles"):
        parse_training_examples_refusing_small_classes(lines(other=[]))


@pytest.mark.parametrize(
    ("text", "relevant", "confidence"),
    [
        ("Binding\nof A", True, 2 / 3),
        ("Bind\nbinds and unbinding, binding", True, 4 / 5),
        ("Unbinding\nof A", False, 0.8),
    ],
)
def test_it_counts_words_that_begin_with_the_keyword(text, relevant, confidence):
    (finding,) = KeywordClassifier("bind").annotate(parse_xmlrpc_article_parameter(text))
    assert (finding.relevant, finding.confidence) == (relevant, pytest.approx(confidence))


def test_it_refuses_a_keyword_that_is_no_word():
    with pytest.raises(ValueError, match="letters only"):
        KeywordClassifier("a.*")

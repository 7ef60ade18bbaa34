"""The consensus of producers, read from its description: each annotation is compared with every other."""

from collections import Counter
from dataclasses import replace
from math import fsum

from annotations.entity_types import get_type_key
from annotations.identifiers.gene_keys import get_gene_key, get_group_key
from annotations.results.consensus.methods import MentionMatching, VoteTally
from annotations.schema import Kind


def build_slow_consensus(kind, said, rule, entries):
    """(annotation, producers, support) of each agreed annotation, best first; strict spans, no cut-offs, no classes."""
    votes = [(producer, each) for producer in sorted(said) for each in said[producer]]
    groups = []
    for vote in votes:
        alike = [group for group in groups if are_the_same(group[0][1], vote[1], rule, entries)]
        (alike[0] if alike else groups.append([]) or groups[-1]).append(vote)
    agreed = []
    for group in groups:
        producers = sorted({producer for producer, _ in group})
        support = rule.sum_weights(producers) / rule.sum_weights(said) if rule.sum_weights(said) else 0.0
        if rule.method.has_enough_votes(VoteTally(len(producers), len(said), support), rule.threshold):
            agreed.append((merge_votes(group, rule), producers, support))
    agreed.sort(key=lambda each: get_place(each[0], each[1], rule))
    if kind in (Kind.MENTION, Kind.LABEL):
        return agreed
    return [(replace(annotation, rank=rank), *rest) for rank, (annotation, *rest) in enumerate(agreed, 1)]


def are_the_same(one, other, rule, entries):
    if get_group_key(one, entries) != get_group_key(other, entries):
        return False
    if one.kind is not Kind.MENTION or rule.match is MentionMatching.POSITION:
        return True
    if get_type_key(one.type) != get_type_key(other.type):
        return False
    links = [{get_gene_key(*link, entries) for link in each.identifiers} for each in (one, other)]
    return rule.match is MentionMatching.TYPE or links[0] == links[1]


def merge_votes(group, rule):
    """One annotation of [(producer, annotation)], with the identifier of most and the fields of most voters."""
    reporting = {key: {producer for producer, each in group if each.key == key} for key in (v.key for _, v in group)}
    keys = sorted(reporting, key=lambda key: (-len(reporting[key]), key))
    best = {}
    for producer, each in sorted(group, key=lambda vote: keys.index(vote[1].key)):
        if producer not in best or (best[producer].confidence or 0) < (each.confidence or 0):
            best[producer] = each
    named = best_of_key(group, keys[0])
    voters = [best[producer] for producer in (best if len(keys) > 1 else sorted(best))]
    surest = max(voters, key=lambda each: each.confidence or 0)
    identifier, partner = sorted((named.identifier, named.partner)) if named.partner else (named.identifier, "")
    return replace(
        surest,
        confidence=average_confidence(best, rule),
        rank=None,
        database=named.database,
        identifier=identifier,
        partner=partner,
        relation=named.relation if len(keys) > 1 else surest.relation,
        type=choose_type([each.type for each in voters]),
        taxon=choose_value([each.taxon for each in voters]),
        identifiers=choose_value([each.identifiers for each in voters]) or (),
    )


def best_of_key(group, key):
    """The surest annotation with this key of the first producer that makes it."""
    first = min(producer for producer, each in group if each.key == key)
    own = [each for producer, each in group if producer == first and each.key == key]
    return max(own, key=lambda each: each.confidence or 0)


def average_confidence(best, rule):
    given = {producer: each.confidence for producer, each in best.items() if each.confidence is not None}
    weight = rule.sum_weights(given)
    return round(fsum(rule.weights.get(p, 1.0) * c for p, c in given.items()) / weight, 12) if weight else None


def choose_type(spellings):
    given = [each for each in spellings if each]
    if len(set(given)) == 1:
        return given[0]
    chosen = choose_value([get_type_key(each) for each in given])
    return choose_value([each for each in given if get_type_key(each) == chosen]) or ""


def choose_value(values):
    """The most frequent of the values that are not empty, of equally frequent ones the first in their order."""
    counts = Counter(each for each in values if each)
    return min(counts, key=lambda value: (-counts[value], value), default=None)


def get_place(annotation, producers, rule):
    each = annotation
    names = (each.database, each.identifier, each.partner, each.text, each.type)
    arguments = each.relation.build_argument_keys() if each.relation else ()
    weight = round(rule.sum_weights(producers), 12)
    position = (each.start or 0, each.end or 0)
    return (
        -weight,
        -(each.confidence or 0),
        *position,
        *names,
        each.spans,
        arguments,
        each.is_directed,
        each.identifiers,
    )

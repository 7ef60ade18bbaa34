"""How mentions of different types look in the text."""

import re
from pathlib import Path

from annotations.entity_types import list_known_entity_types
from annotations.schema import Span, make_mention
from bcms.article_page.open_annotations.entity_types import (
    MOST_LISTED_OTHERS,
    choose_type_of_each_mention,
    list_mention_types,
    list_types_of_legend,
    merge_other_types,
)
from tests.contrast import compute_contrast
from tests.unit.test_colours import COLOURS

STYLE = (Path(__file__).resolve().parents[4] / "static/article.css").read_text(encoding="utf-8")


def mention(start, entity_type):
    return make_mention([Span(start, start + 1)], "x", entity_type)


def test_it_gives_no_types_where_all_mentions_are_of_genes():
    assert list_mention_types([mention(0, "gene"), mention(1, "PROTEIN"), mention(2, "GeneOrGeneProduct")]) == []
    assert list_mention_types([]) == []


def test_it_counts_a_mention_once_for_each_of_its_types():
    types = list_mention_types([mention(0, "snp"), mention(0, "Variant"), mention(0, "gene"), mention(5, "Pathway")])
    assert [(each.label, each.letter, each.count) for each in types] == [
        ("Genes", "G", 1),
        ("Variants", "V", 1),
        ("Pathway", "O", 1),
    ]


def test_it_chooses_the_type_that_most_servers_give():
    mentions = [mention(0, "Disease"), mention(0, "gene"), mention(0, "disorder"), mention(1, "Disease")]
    mentions += [mention(1, "gene"), mention(2, "")]
    chosen = choose_type_of_each_mention(mentions, list_mention_types(mentions))
    assert {parts[0].start: each.name for parts, each in chosen.items()} == {0: "Disease", 1: "Gene"}


def test_a_legend_lists_few_of_the_types_that_a_server_makes_up():
    names = [f"Made up {number:04}" for number in range(3000)]
    mentions = [mention(number, name) for number, name in enumerate(names)]
    types = list_mention_types([*mentions, mention(1, "Disease"), mention(2, "gene"), mention(3, names[2000])])
    listed = [each.name for each in list_types_of_legend(types, None)]
    assert listed == ["Gene", "Disease", *names[: MOST_LISTED_OTHERS - 1], names[2000]]
    listed = [each.name for each in list_types_of_legend(types, types[-1])]
    assert listed == ["Gene", "Disease", *names[: MOST_LISTED_OTHERS - 2], names[2000], names[-1]]
    assert [(each.label, each.letter) for each in merge_other_types(types)] == [
        *(("Genes", "G"), ("Diseases", "D"), ("Other types", "O")),
    ]


def test_the_style_sheet_has_the_colour_of_every_known_type():
    colours = dict(re.findall(r'\[data-t="(\w+)"\] \{ --type: (#[0-9a-f]{6}) \}', STYLE))
    assert colours == {each.name: each.colour for each in list_known_entity_types()}


def mix(colour, other, share):
    pairs = ((int(one[at : at + 2], 16) for one in (colour, other)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(share * one + (1 - share) * two):02x}" for one, two in pairs)


def test_text_has_enough_contrast_on_every_type():
    shares = [
        int(share) / 100 for share in re.findall(r"color-mix\(in srgb, var\(--type\) (\d+)%, var\(--paper\)\)", STYLE)
    ]
    assert len(shares) == 4
    for theme in COLOURS.values():
        for known in list_known_entity_types():
            for share in shares:
                assert compute_contrast(theme["heat-ink"], mix(known.colour, theme["paper"], share)) >= 4.5

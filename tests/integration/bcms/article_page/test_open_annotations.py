"""What the page shows of mentions in parts, of their types and links, and of entities, relations and labels."""

import re
from html import unescape

import pytest
from django.utils.html import strip_tags

from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import Kind
from tests.integration.article_cast import gene, live_queue, read_page_words
from tests.integration.open_article_cast import (
    BREAST_IN_PARTS,
    TEXT,
    URL,
    annotate_openly,
    create_known_entries,
    find_span,
    make_open_article,
    mark,
)

# One more than for the seven kinds: which identifiers of links, entities and relations are checked.
# With two to learn whether the page can be kept for other visitors.
QUERIES = 12
IN_PARTS = ".".join(f"{start}-{end}" for start, end in BREAST_IN_PARTS.parts)


@pytest.fixture
def article(team):
    article = make_open_article()
    create_known_entries()
    annotate_openly(team, article)
    return article


def format_span(text, nth=0):
    return "{}-{}".format(*find_span(text, nth))


def list_marks(response):
    """The attributes of each mark in the text, and what is marked."""
    text = response.content.decode().split('id="article-browser"')[0].split("<h1")[1]
    text = re.sub(r'<div class="legend".*?</div>', "", text, flags=re.DOTALL)
    marks = re.findall(r'<a class="(mark[ on]*)" ([^>]*)>([^<]*)</a>', text)
    return [({"class": css, **dict(re.findall(r'([\w-]+)="([^"]*)"', rest))}, words) for css, rest, words in marks]


def list_lit(response):
    return [words for attributes, words in list_marks(response) if attributes["class"].endswith("on")]


def test_it_has_a_tab_for_each_kind_that_is_annotated(client, article, team):
    words = read_page_words(client.get(URL))
    assert "Entities 2" in words and "Relations 2" in words and "Labels 1" in words
    assert "Interaction pairs" not in words


def test_it_has_no_tabs_and_no_types_where_servers_report_genes_alone(client, team):
    article = make_open_article()
    found = {Kind.MENTION: [mark("BRCA1", "gene")], Kind.NORMALIZATION: [gene("P38398")]}
    store_results_superseding_earlier(article, live_queue(team, "Alpha").producer, found)
    page = client.get(URL)
    words = page.content.decode()
    assert not {"Entities", "Relations", "Labels"} & set(read_page_words(page).split())
    assert 'class="types"' not in words
    assert not any(name in words for name in (" data-t=", " data-l=", " data-j=", 'class="end'))


def test_it_draws_the_parts_of_a_mention_as_marks_with_one_id(client, article):
    parts = [
        (attributes, words)
        for attributes, words in list_marks(client.get(URL))
        if IN_PARTS in (attributes.get("data-m"), attributes.get("id", "")[1:])
    ]
    assert [words for _, words in parts] == ["breast", "cancer"]
    (first, _), (second, _) = parts
    assert first["id"] == f"m{IN_PARTS}" and second["data-m"] == IN_PARTS and "id" not in second
    assert first["data-j"] == "after" and second["data-j"] == "before"
    assert first["href"] == second["href"] and f"mention={IN_PARTS}#" in first["href"]
    assert first["data-c"] == "2"


def test_it_shows_the_mention_that_is_chosen_by_all_its_parts(client, article):
    response = client.get(URL, {"mention": IN_PARTS, "kind": "mention"})
    chosen = response.context["page"].chosen
    assert chosen.text == "breast cancer"
    assert [near.text for near in chosen.neighbours] == ["ovarian cancer"]
    # All mentions of the same entry stand out.
    assert list_lit(response) == ["breast", "cancer", "breast cancer"]
    assert f"{IN_PARTS.replace('.', ', ')}" in read_page_words(response)


@pytest.mark.parametrize("mention", ["9-", "9-15.", "9-15.x", ".", "9-15." * 200, "9-15.16-19"])
def test_it_ignores_parts_that_no_server_marks(client, article, mention):
    response = client.get(URL, {"mention": mention})
    assert response.status_code == 200
    assert response.context["page"].chosen is None


def test_it_colours_mentions_by_type_and_says_it_in_a_letter(client, article):
    looks = {(words, each.get("data-t"), each.get("data-l")) for each, words in list_marks(client.get(URL))}
    assert ("Tamoxifen", "Chemical", "C") in looks
    assert ("breast", "Disease", "D") in looks
    assert ("BRCA1", "Gene", "G") in looks
    assert ("Wnt signalling", "other", "O") in looks


def test_it_lists_the_types_with_their_number_of_mentions(client, article):
    assert "Types all Genes 1 Diseases 4 Chemicals 2 Pathway 1" in read_page_words(client.get(URL))


def test_it_shows_the_mentions_of_one_type_however_it_is_spelled(client, article):
    response = client.get(URL, {"type": "DISEASE", "kind": "mention"})
    assert {each["data-t"] for each, _ in list_marks(response)} == {"Disease"}
    assert "".join(words for _, words in list_marks(response)).count("cancer") == 3
    assert "Mentions 4" in read_page_words(response)
    assert "DiseaseOrPhenotypicFeature" not in read_page_words(response)
    assert 'aria-current="true">Diseases</a>' in response.content.decode()


def test_its_key_has_the_colour_of_the_marks(client, article):
    """Of the chosen type, and none of the types if they all are in the text; a text of one type has its own colours."""
    keys = {
        query: re.findall(r'<span class="mark" data-n="."( data-t="[^"]*")?>', client.get(URL + query).content.decode())
        for query in ("", "?type=disease")
    }
    assert set(keys[""]) == {' data-t=""'}
    assert set(keys["?type=disease"]) == {' data-t="Disease"'}


def test_its_key_explains_ends_of_relations_that_no_server_marks(client, article):
    assert '<span class="end">end of a relation</span>' in client.get(URL).content.decode()


def test_it_shows_all_mentions_if_none_has_the_type(client, article):
    assert list_marks(client.get(URL, {"type": "Complex"})) == list_marks(client.get(URL))


def test_it_sends_the_text_again_when_the_type_changes(client, article):
    every, one = (client.get(URL, {"type": name}).context["page"].reading.text_signature for name in ("", "Disease"))
    assert every != one


def test_it_names_the_entries_that_a_mention_is_linked_to(client, article):
    words = read_page_words(client.get(URL, {"kind": "mention"}))
    assert "Breast Neoplasms, MeSH D001943 " in words
    assert "MeSH D013629 not checked" in words
    assert "tumour-7 not checked" in words


def test_it_shows_the_links_of_the_chosen_mention_and_how_often_they_are_made(client, article):
    words = read_page_words(client.get(URL, {"mention": IN_PARTS}))
    assert "Breast Neoplasms MeSH D001943 Linked by 2 of 2 servers, in 2 mentions of this article" in words
    assert "Location" not in words and "Function" not in words


def test_rest_has_the_links_of_a_mention_among_its_meanings(client, article):
    start, end = find_span("breast cancer")
    (meaning,) = client.get(f"/api/v1/articles/20000002/mentions/{start}-{end}/").json()["meanings"]
    assert (meaning["because"], meaning["servers"], meaning["entry"]["name"]) == ("link", 1, "Breast Neoplasms")


def test_it_lists_entities_with_their_types(client, article):
    words = read_page_words(client.get(URL, {"kind": "entity"}))
    assert re.search(r"Breast Neoplasms Disease .{0,20}MeSH D001943", words)
    assert "tumour-7 not checked" in words
    assert "unverified" not in words


def test_it_lists_relations_with_their_ends_qualifiers_and_evidence(client, article):
    words = read_page_words(client.get(URL, {"kind": "relation"}))
    assert "Tamoxifen → breast cancer treats" in words
    assert "drug: MeSH D013629 not checked" in words
    assert "disease: Breast Neoplasms, MeSH D001943" in words
    assert "novelty: Novel" in words
    assert "Tamoxifen treats breast cancer." in words
    assert "studied with Ovarian Neoplasms protects negated" in words


def test_it_lights_both_ends_of_a_relation_by_a_link(client, article):
    page = client.get(URL, {"kind": "relation"})
    link = re.search(r'class="choose" href="(\?[^"]*relation=\w+)#m([\d.-]+)"', page.content.decode())
    response = client.get(URL + link[1].replace("&amp;", "&"))
    assert list_lit(response) == ["Tamoxifen", "breast", "cancer", "Tamoxifen", "breast cancer"]
    assert link[2] == format_span("Tamoxifen", 1)
    (row,) = [row for row in response.context["page"].listing.rows if row.chosen]
    assert row.relation.type == "treats"
    assert "relation=" in response.context["page"].live_url


def test_it_names_the_marks_of_both_ends_to_the_script(client, article):
    row = client.get(URL, {"kind": "relation"}).context["page"].listing.rows[0]
    marks = list_marks(client.get(URL))
    lit = [words for each, words in marks if set(each["data-w"].split()) & set(row.name_keys.split())]
    assert lit == ["Tamoxifen", "breast", "cancer", "Tamoxifen", "breast cancer"]


def test_it_lights_the_end_of_a_relation_that_no_server_marks(client, article):
    page = client.get(URL, {"kind": "relation"})
    assert re.search(r'<span class="end" data-w="\w+">studied</span>', page.content.decode())
    row = next(row for row in page.context["page"].listing.rows if row.relation.type == "protects")
    response = client.get(URL, {"kind": "relation", "relation": row.id})
    assert '<span class="end on"' in response.content.decode()
    assert list_lit(response) == ["ovarian ", "cancer", "ovarian cancer"]


def test_it_lists_labels(client, article):
    words = read_page_words(client.get(URL, {"kind": "label"}))
    assert "review study type" in words
    assert len(re.findall(r"\breview\b", words)) == 1


@pytest.mark.parametrize("kind", ["mention", "entity", "relation", "label"])
def test_it_shows_the_consensus_of_each_kind(client, article, kind):
    response = client.get(URL, {"kind": kind, "rule": "union"})
    assert response.status_code == 200


@pytest.mark.parametrize("query", [{}, {"kind": "mention"}, {"kind": "relation"}, {"kind": "label", "type": "Gene"}])
def test_it_takes_a_fixed_number_of_queries(client, article, team, query, django_assert_num_queries):
    with django_assert_num_queries(QUERIES):
        client.get(URL, query)
    more = [
        mark("Tamoxifen", "Chemical"),
        mark("treats", "Verb"),
        *[mark(word, "Disease") for word in TEXT.split()[:5]],
    ]
    store_results_superseding_earlier(article, live_queue(team, "Gamma").producer, {Kind.MENTION: more})
    with django_assert_num_queries(QUERIES):
        client.get(URL, query)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({"kind": "relation"}, ["Tamoxifen → breast cancer treats", "studied", "Ovarian Neoplasms protects negated"]),
        ({"kind": "label"}, ["review study type"]),
        ({"kind": "mention", "match": "type"}, ["BRCA1", "NCBI Gene 672", "Gene", "Wnt signalling", "Pathway"]),
        ({"kind": "entity"}, ["Breast Neoplasms MeSH D001943 Disease", "tumour-7"]),
    ],
)
def test_the_consensus_names_what_is_agreed(client, article, query, names):
    response = client.get(URL, {"rule": "union", **query})
    listed = response.content.decode().split('aria-labelledby="agreed"')[1].split("</details>")[0]
    words = re.sub(r"\s+", " ", strip_tags(unescape(listed)))
    assert [name for name in names if name not in words] == [], words


def test_the_consensus_links_to_mentions_in_parts(client, article):
    response = client.get(URL, {"kind": "mention", "rule": "votes", "match": "identifier"})
    assert f'mention={IN_PARTS}#mention" data-visit data-key="agreed-{IN_PARTS}"' in response.content.decode()
    assert '<option value="identifier" selected>' in response.content.decode()


def test_the_colour_of_one_type_counts_the_servers_that_report_it(client, article):
    """Beta marks a chemical and a disease, and no gene."""

    def count_servers(entity_type):
        page = client.get(URL, {"type": entity_type, "kind": "mention"}).context["page"]
        return page.reading.looked, page.legend[-1]

    assert count_servers("") == count_servers("chemical") == (2, (4, "both servers"))
    assert count_servers("gene")[0] == 1

"""Producers compared over a corpus: the figures of `python -m evaluation agree`, nothing of whom one may not see."""

import json
import re
from html import unescape

import pytest
from django.core.cache import cache

from annotations.articles.models import Article, Corpus
from annotations.results.models import Producer
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from evaluation.__main__ import main
from evaluation.agreement import answer_blocks, answer_counts, comparison, comparison_choice
from evaluation.agreement.answer_counts import PYTHON_WHITESPACE
from evaluation.agreement.candidates import list_comparison_candidates
from evaluation.agreement.comparison import compare_producers_and_their_earlier_answers
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.setup import creation
from evaluation.labelling import curators
from evaluation.measures.agreement import PairwiseAgreement
from servers.calls.queues.contents import get_or_create_queue_and_producer
from servers.calls.states import QueueMode
from servers.registry.models import Server
from servers.teams.models import Team
from tests.integration.evaluation.labelling.test_labelling import label_articles
from tests.integration.evaluation_cast import get_article, make_challenge, make_corpus, relevant, species

pytestmark = pytest.mark.django_db
PAGE = "/corpora/four/compare/"
PMIDS = (101, 102, 103, 104)
QUEUES = ((QueueMode.LIVE, ""), (QueueMode.TEST, "example"))
TAXA = ("9606", "10090", "10116", "7227")


@pytest.fixture
def corpus(db):
    return make_corpus()


def producer(name, sort="server", public=True):
    return Producer.objects.create(name=name, sort=sort, public=public)


def classify(own, letters, pmids=PMIDS):
    for pmid, letter in zip(pmids, letters, strict=True):
        said = [] if letter == "-" else relevant(letter == "y")
        store_results_superseding_earlier(get_article(pmid), own, {Kind.CLASSIFICATION: said})
    return own


def organisms(own, numbers):
    """The digits of each article are places in TAXA."""
    for pmid, places in zip(PMIDS, numbers, strict=True):
        store_results_superseding_earlier(
            Article.objects.get(pmid=pmid), own, {Kind.TAXON: species(*(TAXA[int(one)] for one in places))}
        )
    return own


def read_page_text(response):
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode())))


def address(kind, *producers, gold=None):
    chosen = "".join(f"&producer={own.pk}" for own in producers)
    return f"{PAGE}?kind={kind}{chosen}" + (f"&gold={gold.pk}" if gold else "")


def compare_listed_producers(corpus, kind, *producers, gold=None):
    known = {own.id: own for own in list_comparison_candidates(corpus, Producer.objects.all()) if own.kind == kind}
    return compare_producers_and_their_earlier_answers(
        corpus, kind, [known[own.pk] for own in producers], known[gold.pk] if gold else None
    )


def run_agree_command(task, files, tmp_path, capsys):
    paths = []
    for name, lines in files.items():
        paths.append(tmp_path / f"{name}.tsv")
        paths[-1].write_text(lines)
    assert main(["agree", "--task", task, "--format", "json", *map(str, paths)]) == 0
    return json.loads(capsys.readouterr().out)


def extract_agreement_values(own):
    return {"instances": own.instances, "joint": own.joint, "kappa": own.kappa, "f1": own.f1}


def test_it_has_the_figures_of_the_command_for_classifications(corpus, tmp_path, capsys):
    said = {"One": "yyny", "Two": "ynny", "Three": "ynnn"}
    own = compare_listed_producers(
        corpus, Kind.CLASSIFICATION, *(classify(producer(name), letters) for name, letters in said.items())
    )
    files = {
        name: "".join(f"{pmid}\t{letter}\t1\t0.5\n" for pmid, letter in zip(PMIDS, letters, strict=True))
        for name, letters in said.items()
    }
    # A rank may stand once in each class.
    files = {name: re.sub(r"\t1\t0.5", "\t0.5", lines) for name, lines in files.items()}
    told = run_agree_command("act", files, tmp_path, capsys)
    assert own.agreements.fleiss == told["fleiss_kappa"]
    assert [extract_agreement_values(pair) for pair in own.agreements.pairs.values()] == [
        {name: pair[name] for name in ("instances", "joint", "kappa", "f1")} for pair in told["pairs"]
    ]


def test_it_has_the_figures_of_the_command_for_identifiers(corpus, tmp_path, capsys):
    said = {"One": ("01", "2", "3", ""), "Two": ("0", "2", "", "1"), "Three": ("1", "23", "3", "")}
    own = compare_listed_producers(
        corpus, Kind.TAXON, *(organisms(producer(name), numbers) for name, numbers in said.items())
    )
    files = {
        name: "".join(
            f"{pmid}\t{TAXA[int(one)]}\t0.5\n" for pmid, places in zip(PMIDS, numbers, strict=True) for one in places
        )
        for name, numbers in said.items()
    }
    told = run_agree_command("tx", files, tmp_path, capsys)
    assert (own.agreements.fleiss, own.agreements.articles) == (told["fleiss_kappa"], 4)
    assert [extract_agreement_values(pair) for pair in own.agreements.pairs.values()] == [
        {name: pair[name] for name in ("instances", "joint", "kappa", "f1")} for pair in told["pairs"]
    ]


def test_it_leaves_out_articles_that_one_has_not_answered(corpus):
    one = organisms(producer("One"), ("0", "0", "0", "0"))
    two = producer("Two")
    for pmid, said in ((101, species("9606")), (102, [])):
        store_results_superseding_earlier(Article.objects.get(pmid=pmid), two, {Kind.TAXON: said})
    own = compare_listed_producers(corpus, Kind.TAXON, one, two)
    assert own.articles == 2
    assert own.agreements.pairs[0, 1] == PairwiseAgreement(2, 0.5, None, 2 / 3)
    assert [(region.producers, region.items) for region in own.overlap.regions] == [((0,), 1), ((0, 1), 1)]


def test_it_counts_what_is_right_after_the_gold_standard(corpus):
    gold = classify(producer("Gold", "gold"), "yyn-")
    one, two = classify(producer("One"), "ynyn"), classify(producer("Two"), "ynnn")
    own = compare_listed_producers(corpus, Kind.CLASSIFICATION, one, two, gold=gold)
    assert [(region.producers, region.items, region.right) for region in own.overlap.regions] == [
        ((0,), 1, 0),
        ((0, 1), 1, 1),
    ]
    assert own.overlap.missed == 1


def test_it_compares_pairs_in_either_order_and_mentions_by_their_places(corpus):
    one, two = producer("One"), producer("Two")
    article = Article.objects.get(pmid=101)
    for own, names in ((one, ("P12830", "P35222")), (two, ("P35222", "P12830"))):
        pair = AnnotationData(Kind.PAIR, database="uniprot", identifier=names[0], partner=names[1])
        mention = AnnotationData(Kind.MENTION, start=0, end=7, text="Article")
        store_results_superseding_earlier(article, own, {Kind.PAIR: [pair], Kind.MENTION: [mention]})
    for kind in (Kind.PAIR, Kind.MENTION):
        assert compare_listed_producers(corpus, kind, one, two).agreements.pairs[0, 1] == PairwiseAgreement(
            1, 1.0, None, 1.0
        )
    Article.objects.update(text_version=2)
    assert compare_listed_producers(corpus, Kind.MENTION, one, two).articles == 0


def test_it_compares_passages_whatever_white_space_is_between_their_words(corpus):
    assert set(PYTHON_WHITESPACE) == {letter for letter in map(chr, range(0x110000)) if letter.isspace()}
    one, two = producer("One"), producer("Two")
    article = Article.objects.get(pmid=101)
    for own, text in ((one, "A binds B."), (two, f"{PYTHON_WHITESPACE}A{PYTHON_WHITESPACE}binds B. ")):
        names = {"database": "uniprot", "identifier": "P12830", "partner": "P35222"}
        store_results_superseding_earlier(
            article, own, {Kind.PASSAGE: [AnnotationData(Kind.PASSAGE, text=text, **names)]}
        )
    assert compare_listed_producers(corpus, Kind.PASSAGE, one, two).agreements.pairs[0, 1] == PairwiseAgreement(
        1, 1.0, None, 1.0
    )


def test_it_takes_the_gold_standard_as_one_of_the_compared_too(corpus):
    gold = organisms(producer("Gold", "gold"), ("0", "1", "", "2"))
    one = organisms(producer("One"), ("01", "1", "3", ""))
    own = compare_listed_producers(corpus, Kind.TAXON, one, gold, gold=gold)
    regions = [(region.producers, region.items, region.right) for region in own.overlap.regions]
    assert regions == [((0,), 2, 0), ((0, 1), 2, 2), ((1,), 1, 1)]
    assert (own.overlap.missed, own.agreements.pairs[0, 1].instances) == (0, 5)


def test_it_compares_a_producer_with_itself(corpus):
    one = classify(classify(producer("One"), "yynn"), "ynny")
    (itself,) = compare_listed_producers(corpus, Kind.CLASSIFICATION, one).itself
    assert (itself.name, itself.agreement) == ("One", PairwiseAgreement(4, 0.5, 0.0, 0.5))
    organisms(organisms(one, ("0", "1", "2", "3")), ("0", "1", "", "3"))
    assert compare_listed_producers(corpus, Kind.TAXON, one).itself[0].agreement == PairwiseAgreement(
        4, 0.75, None, 6 / 7
    )
    two = classify(producer("Two"), "yynn")
    assert compare_listed_producers(corpus, Kind.CLASSIFICATION, two).itself == []


def test_it_takes_a_curators_second_readings_and_no_slips(olga, carol):
    challenge = make_challenge(olga, make_corpus())
    twenty = make_corpus("twenty", pmids=range(301, 321))
    labelling = curators.begin_labelling_claiming_blind_corpus(challenge, twenty, order="given", again_every=10)
    own = curators.add_and_mail_or_readmit_curator(labelling, carol)
    label_articles(own, "s" + "y" * 19 + "y" + "ny")
    (itself,) = compare_listed_producers(twenty, Kind.CLASSIFICATION, own.producer).itself
    assert (itself.agreement.instances, itself.agreement.joint) == (2, 0.5)


def test_it_shows_the_page(client, corpus):
    said = {"One": "yyny", "Two": "ynny", "<b>Three": "ynnn"}
    own = [classify(producer(name), letters) for name, letters in said.items()]
    gold = classify(producer("Gold", "gold"), "yynn")
    page = client.get(address("classification", *own, gold=gold))
    shown = read_page_text(page)
    intervals = page.context["found"].agreements.intervals[1, 2]
    texts = {name: f"{own.low:.3f} to {own.high:.3f}" for name, own in intervals.items()}
    assert f"One and Two 4 0.750 {texts['joint']} 0.500 {texts['kappa']} 0.800 {texts['f1']}" in shown
    low, high = intervals["kappa"]
    assert f'title="0.50000, 95 % confidence interval {low:.5f} to {high:.5f}">0.500 <' in page.content.decode()
    assert 0 <= intervals["joint"].low < 0.75 < intervals["joint"].high == 1
    assert "Fleiss' kappa of all 3 producers: 0.333" in shown
    assert "Cohen's kappa of every two producers: the darker, the higher. Point at a figure" in shown
    assert 'data-heat="3" title="One and Two\nCohen&#x27;s kappa: 0.50000\n95 % conf' in page.content.decode()
    assert f"0.500 {low:.3f} to {high:.3f}" in shown
    assert "None of the producers answered any of these articles twice." in shown
    assert "only One & Two" in shown
    assert b"<b>Three" not in page.content
    alone = read_page_text(client.get(address("classification", own[0])))
    assert "Agreement between producers" not in alone
    assert "Intra-annotator agreement" in alone


def test_a_matrix_of_many_producers_has_intervals_only_where_the_pointer_rests(client, corpus):
    own = [classify(producer(f"Server {number}"), letters) for number, letters in enumerate(("yynn", "ynyn") * 3)]
    matrices = [
        client.get(address("classification", *own[:number])).content.decode().partition('class="agreement"')[2]
        for number in (5, 6)
    ]
    tables = [matrix.partition("</table>")[0] for matrix in matrices]
    assert [table.count("interval-text") for table in tables] == [20, 0]
    assert [table.count("95 % confidence interval: ") for table in tables] == [20, 30]


def test_one_article_has_no_interval(client, corpus):
    one, two = classify(producer("One"), "y", PMIDS[:1]), classify(producer("Two"), "y", PMIDS[:1])
    page = client.get(address("classification", one, two))
    assert page.context["found"].agreements.intervals == {(0, 1): {}}
    assert (
        "confidence interval"
        not in page.content.decode().partition('id="agreement-matrix"')[2].partition("</table>")[0]
    )
    assert "One and Two 1 1.000 - 1.000" in read_page_text(page)
    (pair,) = client.get(f"/api/v1{address('classification', one, two)}").json()["pairs"]
    assert pair["intervals"] == {}


def test_rest_has_the_intervals_of_pairs_and_of_producers_with_themselves(client, corpus):
    one, two = organisms(producer("One"), ("01", "2", "3", "")), organisms(producer("Two"), ("0", "2", "", "1"))
    organisms(one, ("0", "2", "3", "1"))
    found = client.get(address("taxon", one, two)).context["found"]
    read = client.get(f"/api/v1{address('taxon', one, two)}").json()
    for figures, intervals in (
        (read["pairs"][0], found.agreements.intervals[0, 1]),
        (read["itself"][0], found.itself[0].intervals),
    ):
        assert figures["intervals"] == {name: list(own) for name, own in intervals.items()}
        assert sorted(intervals) == ["f1", "joint"]
        assert all(own.low <= figures[name] <= own.high for name, own in intervals.items())


@pytest.mark.parametrize("blocks", [2, 3])
def test_articles_of_a_large_corpus_are_resampled_in_blocks(corpus, monkeypatch, blocks):
    """With as many blocks as articles, the order of articles decides; with fewer, no article is lost."""
    one, two = organisms(producer("One"), ("01", "2", "3", "")), organisms(producer("Two"), ("0", "2", "", "1"))
    monkeypatch.setattr(answer_blocks, "MAX_BLOCKS", blocks)
    monkeypatch.setattr(answer_counts, "MAX_BLOCKS", blocks)
    counts = answer_counts.count_current_and_earlier_answers(corpus, Kind.TAXON, [one.pk, two.pk])
    patterns = counts.group_patterns_by_block((0, 1), counts.list_supersets((0, 1)), only_reported=True)
    assert patterns.numbers.shape == (blocks, 3)
    assert dict(zip(map(tuple, patterns.labels.tolist()), patterns.numbers.sum(axis=0), strict=True)) == {
        (True, False): 2,
        (False, True): 1,
        (True, True): 2,
    }
    assert patterns.numbers.sum(axis=1).tolist() == {2: [3, 2], 3: [3, 1, 1]}[blocks]


def test_it_says_what_cannot_be_compared(client, corpus):
    assert "These articles have no annotations that you can see yet" in read_page_text(client.get(PAGE))
    own = [classify(producer(f"Server {number}"), "yynn") for number in range(11)]
    assert "You can compare at most 10 producers" in read_page_text(client.get(address("classification", *own)))
    nothing = [classify(producer(name), "nnnn") for name in ("None", "Never")]
    assert "The producers report no annotations" in read_page_text(client.get(address("classification", *nothing)))
    for odd in ("?kind=x&producer=x&gold=x", "?kind=taxon", "?producer=%00&producer=99999999999999999999999"):
        assert client.get(PAGE + odd).status_code == 200
    assert client.get("/corpora/none/compare/").status_code == 404


def test_it_compares_servers_that_annotated_most_articles_unless_the_address_names_producers(
    client, corpus, monkeypatch
):
    by_server = [classify(producer(f"Server {number}"), "yynn") for number in range(11)]
    classify(producer("Newcomer"), "y", PMIDS[:1])
    classify(producer("A run", sort="run"), "yynn")
    page = client.get(PAGE)
    assert page.context["chosen"] == {own.pk for own in sorted(by_server, key=lambda own: own.name)[:10]}
    assert len(page.context["matrix"]) == 10
    assert client.get(address("classification", by_server[3])).context["chosen"] == {by_server[3].pk}
    monkeypatch.setattr(comparison_choice, "MAX_ANSWERS_UNASKED", 39)
    page = client.get(PAGE)
    assert page.context["chosen"] == set()
    assert "Select two or more producers" in read_page_text(page)


def test_it_shows_nothing_of_producers_that_are_not_seen(client, olga, carol, alice, admin_user):
    challenge = make_challenge(olga, make_corpus())
    labelling = curators.begin_labelling_claiming_blind_corpus(
        challenge, Corpus.objects.get(), order="given", again_every=0
    )
    own = curators.add_and_mail_or_readmit_curator(labelling, carol)
    label_articles(own, "yyyn")
    hidden = classify(producer("Hidden", public=False), "yyyy")
    public = classify(producer("Public"), "ynyn")
    gold = challenge.phases.get().golds.get(task__name="ACT").producer
    asked = address("classification", public, hidden, own.producer, gold=gold)
    everything = ["Hidden", "carol, Four", "Gold standard"]
    rows = {None: [], carol: [], alice: [], olga: everything[1:], admin_user: everything}
    for user, names in rows.items():
        client.logout()
        if user:
            client.force_login(user)
        shown = read_page_text(client.get(asked)).replace("Log out carol", "")
        assert "Public" in shown
        assert [name for name in everything if name in shown] == names, user
        assert ("you do not have permission to view" in shown) == (user != admin_user)


def test_it_is_there_for_everybody_when_all_is_public(client, olga):
    challenge = make_challenge(olga, make_corpus())
    publish_phase_or_request_if_sealed(challenge.phases.get())
    gold = challenge.phases.get().golds.get(task__name="ACT").producer
    shown = read_page_text(client.get(address("classification", classify(producer("One"), "yynn"), gold)))
    assert re.search(r"One and Gold standard, ACT training 4 1\.000 1\.000 to 1\.000 1\.000 .* 1\.000 1\.000 to", shown)


def test_it_keeps_a_blind_corpus_from_all_but_its_organizers(client, olga, carol):
    challenge = make_challenge(olga, make_corpus())
    blind = make_corpus("blind", pmids=(201, 202), blind=True)
    creation.create_phase_claiming_blind_corpus(challenge, "test", blind)
    classify(producer("Public"), "yn", pmids=(201, 202))
    for user, status in ((None, 404), (carol, 404), (olga, 200)):
        if user:
            client.force_login(user)
        assert client.get("/corpora/blind/compare/").status_code == status


def test_it_is_where_its_articles_are(client, olga):
    challenge = make_challenge(olga, make_corpus())
    creation.create_phase_claiming_blind_corpus(challenge, "test", make_corpus("blind", pmids=(201, 202), blind=True))
    for address in ("/challenges/example/data/", "/articles/?corpus=four"):
        page = client.get(address).content.decode()
        assert re.findall('href="(/corpora/[^"]*)"', page) == [PAGE], address


@pytest.mark.parametrize("number", [2, 4])
def test_it_takes_as_many_queries_however_many_producers(client, corpus, number, django_assert_num_queries):
    own = [classify(classify(producer(f"Server {one}"), "yynn"), "ynyn") for one in range(number)]
    with django_assert_num_queries(6):
        client.get(address("classification", *own))
    with django_assert_num_queries(5):
        client.get(address("classification", *own))


def test_it_is_made_anew_when_somebody_says_something_else(client, corpus):
    one, two = classify(producer("One"), "yynn"), classify(producer("Two"), "yynn")
    page = address("classification", one, two)
    first = client.get(page).context["found"]
    assert client.get(page).context["found"] == first
    classify(two, "yyyy")
    second = client.get(page).context["found"]
    assert (first.agreements.pairs[0, 1].joint, second.agreements.pairs[0, 1].joint) == (1.0, 0.5)
    Article.objects.get(pmid=104).corpusarticle_set.all().delete()
    assert client.get(page).context["found"].articles == 3


def test_the_same_producers_in_another_order_are_not_compared_anew(client, corpus, monkeypatch):
    one, two = classify(producer("One"), "yynn"), classify(producer("Two"), "ynyn")
    found = client.get(address("classification", one, two)).context["found"]
    monkeypatch.setattr(comparison, "compare_producers_and_their_earlier_answers", lambda *_: pytest.fail("computed"))
    assert client.get(address("classification", two, one, two)).context["found"] == found


def test_it_computes_few_comparisons_at_once(client, corpus):
    """There are thousands of choices of producers."""
    one, two = classify(producer("One"), "yynn"), classify(producer("Two"), "ynyn")
    client.get(address("classification", one))
    for number in range(comparison.MOST_COMPARISONS_AT_ONCE):
        cache.add(f"api:comparison:{number}", 1)
    assert client.get(address("classification", one)).status_code == 200
    for page in (address("classification", one, two), f"/api/v1{address('classification', one, two)}"):
        answer = client.get(page)
        assert (answer.status_code, answer["Retry-After"]) == (429, "15")
        assert "The site is computing other comparisons." in answer.content.decode()
    cache.delete("api:comparison:1")
    unasked = client.get(PAGE)
    assert (unasked.status_code, unasked.context["found"]) == (200, None)
    for _ in range(2):
        assert client.get(address("classification", one, two)).status_code == 200
    assert cache.get("api:comparison:1") is None


def test_queues_of_one_server_and_others_with_one_name_can_be_told_apart(corpus, server):
    live, test = (get_or_create_queue_and_producer(server, mode, name).producer for mode, name in QUEUES)
    runs = [producer("mine, Team", "run") for _ in range(2)]
    for own in (live, test, *runs, producer("Other")):
        classify(own, "yyny")
    names = {own.id: own.name for own in list_comparison_candidates(corpus, Producer.objects.all())}
    assert names[live.pk] == f"{server.name} (live)"
    assert names[test.pk] == f"{server.name} (test example)"
    assert [names[run.pk] for run in runs] == [f"mine, Team (no. {run.pk})" for run in runs]
    assert "Other" in names.values()


def test_servers_with_one_name_can_be_told_apart(corpus, server):
    team = Team.objects.create(name="Another", slug="another")
    namesake = Server.objects.create(name=server.name, slug="namesake", team=team, url=server.url, kinds=server.kinds)
    own = [get_or_create_queue_and_producer(each, QueueMode.LIVE).producer for each in (server, namesake)]
    for each in own:
        classify(each, "yyny")
    names = [each.name for each in list_comparison_candidates(corpus, Producer.objects.all())]
    assert names == [f"{server.name} (live, no. {each.pk})" for each in own]

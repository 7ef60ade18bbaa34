"""The pages of pooled passages: who may open which, what judges see and what not, and what every button does."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.pooling import closure
from evaluation.pooling.judgements import store_judgement_and_demote_other_best
from evaluation.pooling.judges import add_or_change_noncompeting_judge_and_mail
from evaluation.pooling.models import Judgement, Pool, PoolJudge
from evaluation.scoring.models import Score
from evaluation.scoring.run_scores import compute_and_store_run_scores
from tests.integration import pooling_cast as cast
from tests.integration.pooling_cast import BEST, NOT

pytestmark = pytest.mark.django_db

READ = ("pool", "pool-decisions", "pool-judge", "pool-adjudicate", "pool-judgements")
BUTTONS = ("pool-collect", "pool-judges", "pool-close", "pool-reopen")


@pytest.fixture
def phase(olga):
    return cast.make_phase(olga)


def reverse_pool_address(name, phase="training"):
    return reverse(name, args=["pooled", phase, "ISS"])


def read_page_text(response):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def test_each_page_is_for_its_readers_alone(client, pool, alice, carol, olga, judges, admin_user):
    (lee,) = cast.make_judges("lee")
    add_or_change_noncompeting_judge_and_mail(pool, lee, adjudicates=True)
    statuses = {
        None: (302, 302, 302, 302, 404),
        alice: (403, 403, 403, 403, 404),
        carol: (403, 403, 403, 403, 404),
        judges[0]: (403, 403, 200, 403, 404),
        lee: (403, 403, 403, 200, 404),
        olga: (200, 200, 403, 200, 200),
        admin_user: (200, 200, 403, 200, 200),
    }
    for user, expected in statuses.items():
        client.logout()
        if user:
            client.force_login(user)
        assert tuple(client.get(reverse_pool_address(name)).status_code for name in READ) == expected, user


def test_its_buttons_are_for_the_organizers_alone(client, pool, alice, judges):
    before = list(Pool.objects.values()), list(PoolJudge.objects.values())
    for user in (None, alice, judges[0]):
        client.logout()
        if user:
            client.force_login(user)
        for name in BUTTONS:
            assert client.post(reverse_pool_address(name), {"judge": "alice", "remove": "jo"}).status_code == (
                403 if user else 302
            )
    assert (list(Pool.objects.values()), list(PoolJudge.objects.values())) == before


def test_an_organizer_goes_all_the_way(client, both, olga, judges, phase):
    client.force_login(olga)
    assert "No passages collected yet" in read_page_text(client.get(reverse_pool_address("pool")))
    assert "5 new passages were collected" in read_page_text(
        client.post(reverse_pool_address("pool-collect"), follow=True)
    )
    for who in ("jo", "kim@example.org"):
        client.post(reverse_pool_address("pool-judges"), {"judge": who})
    assert "alice is on Team Alpha" in read_page_text(
        client.post(reverse_pool_address("pool-judges"), {"judge": "alice"}, follow=True)
    )
    assert "No account has the user name" in read_page_text(
        client.post(reverse_pool_address("pool-judges"), {"judge": "nobody"}, follow=True)
    )
    assert "5 passages are not judged" in read_page_text(client.post(reverse_pool_address("pool-close"), follow=True))
    pool = Pool.objects.get()
    cast.judge_all(pool, *judges)
    store_judgement_and_demote_other_best(
        pool.passages.get(passage=cast.MEET), NOT, judges[1], timezone.now(), shown=None, adjudicates=False
    )
    page = read_page_text(client.get(reverse_pool_address("pool")))
    assert "1 with disagreements" in page
    # Of five passages four alike; by chance (3 * 2 + 2 * 3) / 25. Two of three in one article, all in the other.
    assert "jo and kim 5 0.800 0.667 to 1.000 0.615 0.400 to 1.000" in page
    shown = client.get("/api/v1/challenges/pooled/training/ISS/pool/").json()["agreements"][0]["agreement"]
    assert shown["intervals"]["joint"] == [pytest.approx(2 / 3), 1.0]
    assert set(shown["intervals"]) == {"joint", "kappa", "f1", "same_best"}
    assert (
        client.post(
            reverse_pool_address("pool-adjudicate"), {"passage": pool.passages.get(passage=cast.MEET).pk, **Y}
        ).status_code
        == 302
    )
    assert "The judging is closed" in read_page_text(client.post(reverse_pool_address("pool-close"), follow=True))
    compute_and_store_run_scores(both[0])
    assert Score.objects.get().figures["relevant_share"] == 1 / 3
    board = client.get(reverse("leaderboard", args=["pooled", "training", "ISS"]))
    assert "0.2500" in read_page_text(board)
    assert client.get(reverse("run-articles", args=[both[0].pk])).status_code == 200
    assert client.get(reverse("run", args=[both[0].pk])).status_code == 200
    assert "The judging is open again" in read_page_text(client.post(reverse_pool_address("pool-reopen"), follow=True))


Y = {"verdict": "y", "at": "1"}


def test_a_judge_sees_text_and_passages_and_nothing_of_systems(client, pool, judges):
    client.force_login(judges[0])
    seen = ""
    for number in (1, 2):
        response = client.get(reverse_pool_address("pool-judge"), {"at": number})
        seen += response.content.decode()
        assert f"pair {number} of 2" in read_page_text(response)
    for passage in cast.VERDICTS:
        assert passage in seen
    assert "<mark" in seen
    for secret in ("First", "Second", "Team Alpha", "301", "302", "rank", "confidence", "kim"):
        assert secret not in re.sub(r'name="csrf\w+" value="\w+"|value="[\w:-]+"', "", seen), secret


def decision(client, pool, text, verdict, at_pair="1"):
    page = client.get(reverse_pool_address("pool-judge"), {"at": at_pair}).context
    passage = pool.passages.get(passage=text)
    data = {"passage": passage.pk, "verdict": verdict, "at": at_pair, "shown": page["shown"]}
    return client.post(reverse_pool_address("pool-judge"), data)


def test_a_judge_decides_and_comes_back_to_the_pair(client, pool, judges):
    client.force_login(judges[0])
    response = decision(client, pool, cast.BINDS, "b", "2")
    own = Judgement.objects.get()
    assert response.url == f"{reverse_pool_address('pool-judge')}?at=2#p{own.passage_id}"
    assert (own.judge, own.relevant, own.best) == (judges[0], True, True)
    assert 0 <= own.seconds < 60
    decision(client, pool, cast.BINDS, "n", "2")
    assert client.get(reverse_pool_address("pool-judge")).context["page"].judged == 1
    assert Judgement.objects.filter(superseded__isnull=True).get().relevant is False
    for nonsense in ({}, {"passage": own.passage_id, "verdict": "x", "at": 1}):
        assert "No decision was sent" in read_page_text(
            client.post(reverse_pool_address("pool-judge"), nonsense, follow=True)
        )
    assert client.post(reverse_pool_address("pool-judge"), {"passage": 0, **Y}).status_code == 404
    forged = client.post(reverse_pool_address("pool-judge"), {"passage": own.passage_id, "shown": "forged", **Y})
    assert forged.status_code == 302
    assert Judgement.objects.get(superseded__isnull=True).seconds is None


def test_each_judge_has_an_order_of_their_own(pool, judges):
    from evaluation.pooling.judging_page import group_shuffled_passages_by_pair

    orders = [
        [
            [own.pk for own, _ in group]
            for group in group_shuffled_passages_by_pair(pool, judge, adjudicates_conflicts_only=False)
        ]
        for judge in (*judges, *cast.make_judges(*(f"judge{number}" for number in range(6))))
    ]
    assert len({str(order) for order in orders}) > 1
    assert all(sorted(map(sorted, order)) == sorted(map(sorted, orders[0])) for order in orders)


def test_who_adjudicates_sees_what_judges_say_and_not_who(client, pool, judges, olga):
    cast.judge_all(pool, *judges)
    client.force_login(olga)
    assert "No disagreements to adjudicate" in read_page_text(client.get(reverse_pool_address("pool-adjudicate")))
    store_judgement_and_demote_other_best(
        pool.passages.get(passage=cast.MEET), BEST, judges[1], timezone.now(), shown=None, adjudicates=False
    )
    page = read_page_text(client.get(reverse_pool_address("pool-adjudicate")))
    assert "Decisions of the judges: best; relevant disagreement" in page
    assert "pair 1 of 1" in page
    assert "kim" not in page
    client.post(reverse_pool_address("pool-adjudicate"), {"passage": pool.passages.get(passage=cast.MEET).pk, **Y})
    client.post(
        reverse_pool_address("pool-adjudicate"),
        {"passage": pool.passages.get(passage=cast.BINDS).pk, "verdict": "b", "at": 1},
    )
    assert "All passages are adjudicated" in read_page_text(client.get(reverse_pool_address("pool-adjudicate")))


def test_the_files_say_what_was_decided(client, pool, judges, olga):
    cast.judge_all(pool, *judges)
    closure.close_decided_pool_and_store_gold(pool, olga)
    client.force_login(olga)
    rows = client.get(reverse_pool_address("pool-judgements")).content.decode().splitlines()
    assert f"301\t{cast.A}\t{cast.B}\t{cast.BINDS}\t1\t1" in rows
    assert len(rows) == 5
    decisions = client.get(reverse_pool_address("pool-decisions")).content.decode().splitlines()
    assert len(decisions) == 11
    assert decisions[0].startswith("article\tfirst\tsecond\tpassage\tjudge")


def test_everybody_has_the_judgements_once_they_are_published(client, pool, judges, olga, phase):
    cast.judge_all(pool, *judges)
    closure.close_decided_pool_and_store_gold(pool, olga)
    assert client.get(reverse_pool_address("pool-judgements")).status_code == 404
    publish_phase_or_request_if_sealed(phase)
    assert client.get(reverse_pool_address("pool-judgements")).status_code == 200


def test_a_judge_finds_the_way(client, pool, judges, carol):
    for user, found in ((carol, False), (judges[0], True)):
        client.force_login(user)
        for address in (reverse("challenge", args=["pooled"]), "/account/"):
            assert (reverse_pool_address("pool-judge") in client.get(address).content.decode()) is found
    client.force_login(pool.phase.challenge.organizers.get())
    assert reverse_pool_address("pool") in client.get(reverse("challenge-organize", args=["pooled"])).content.decode()


def test_nobody_is_asked_for_a_file_of_right_passages(client, phase, olga):
    client.force_login(olga)
    assert "Find at least two judges in time" in read_page_text(
        client.get(reverse("challenge-dry-run", args=["pooled"]))
    )
    assert ">ISS</option>" not in client.get(reverse("challenge-gold", args=["pooled"])).content.decode()


def test_pages_take_a_fixed_number_of_queries(client, pool, judges, olga, django_assert_num_queries, team, phase):
    client.force_login(judges[0])
    for more in (False, True):
        if more:
            cast.make_run(team, phase, "third", {302: [cast.passage(word) for word in ("More", "of", "cadherin")]})
            closure.reopen_pool(pool)
            cast.add_run_passages_to_open_pool(pool.task, phase)
        client.force_login(judges[0])
        with django_assert_num_queries(12):
            client.get(reverse_pool_address("pool-judge"), {"at": 1})
        client.force_login(olga)
        with django_assert_num_queries(14):
            client.get(reverse_pool_address("pool"))

"""The public figures of servers on their pages, as a badge and by API, and the maintenance that teams plan."""

import re
from datetime import UTC, date, datetime, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from servers.availability.models import DayTally, DayUptime, Downtime, Figures, HourTally, Maintenance
from servers.registry.models import Server
from servers.registry.states import ServerState
from servers.teams.models import Team

pytestmark = pytest.mark.django_db

WINDOWS = ("24h", "7d", "30d", "90d")
NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def measure(server, days=30 * 86400.0, down=0.0, **fields):
    """The same figures over each window: ten attempts unless said otherwise."""
    counts = {"answered": 8, "invalid": 1, "no_answer": 1, "documents": 8, "annotations": 40, "document_bytes": 16000}
    counts |= {"seconds": 16.0, "slowest": 4.0, "p50": 1.5, "p90": 3.0, "p95": 3.5, "p99": 4.0}
    for window in WINDOWS:
        row = {"observed": days, "down": down, "down_or_paused": down, "failures": 2 if down else 0, **counts, **fields}
        Figures.objects.create(server=server, window=window, until=NOON, **row)


def other(team, name, kinds=("taxon",)):
    return Server.objects.create(
        review="accepted", team=team, name=name, slug=name.lower(), url="http://10.0.0.9/x", kinds=list(kinds)
    )


@pytest.fixture
def measured(server):
    measure(server, down=25920.0)
    return server


def fetch_page_source(client, name, *place, **query):
    answer = client.get(reverse(name, args=place), query)
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def list_server_names(client, **query):
    page = fetch_page_source(client, "server-list", **query)
    table = page[page.index('id="uptimes"') : page.index('id="measures"')]
    return [part.split("<")[0] for part in table.split('/">')[1:]][::2]


def test_it_lists_the_figures_of_every_server(client, measured):
    page = fetch_page_source(client, "server-list")
    assert page.count('<td class="num">99.00 %</td>') == 5
    assert '<td class="num">1.5 s</td><td class="num">3.5 s</td> <td class="num">80.00 %</td>' in page
    assert '<td class="num">15 d</td>' not in page
    assert "127.0.0.1" not in page


def test_it_shows_each_server_as_pictures_and_in_words(client, team, measured):
    today = timezone.now().date()
    measure(other(team, "Steady"), p50=2.0)
    other(team, "Unknown")
    for ago, down in ((0, 0.0), (1, 7200.0), (29, 43200.0), (30, 86400.0)):
        day = today - timedelta(days=ago)
        DayUptime.objects.create(server=measured, day=day, observed=86400.0, down=down, down_or_paused=down)
    for ago, answered, seconds in ((0, 4, 2.0), (2, 1, 3.0), (3, 0, 0.0)):
        begins = datetime.combine(today - timedelta(days=ago), datetime.min.time(), UTC)
        DayTally.objects.create(server=measured, begins=begins, answered=answered, seconds=seconds)
    page = fetch_page_source(client, "server-list")
    table = page[page.index('id="servers"') : page.index('id="uptimes"')]
    own, steady, unknown = table.split("<tr>")[2:]
    assert "each of the last 30 days: 99.00 % up, 2 downtimes<" in own
    assert [own.count(f'class="day-{name}"') for name in ("whole", "fair", "poor", "none")] == [1, 0, 1, 1]
    assert own.count("v14h") == 2, "the day before the last 30 is not shown"
    assert "by day over the last 30 days: 0.5 s to 3 s, last 0.5 s<" in own
    assert 'data-points="0.5,50 28.5,91.67 29.5,100"' in own
    assert 'data-points="27,3 29,0.5"' in own
    assert f'data-labels="{today - timedelta(days=2):%-d %B}|{today:%-d %B}"' in own
    assert '<span class="meta">median 1.5 s</span>' in own
    assert '<span class="meta">never down</span>' in steady
    assert '<span class="meta">median 2 s</span>' in steady
    assert ("not observed yet" in unknown, "no answers" in unknown) == (True, True)


def test_a_server_that_is_observed_since_today_says_so(client, measured):
    today = timezone.now().date()
    DayUptime.objects.create(server=measured, day=today, observed=7200.0, down=0.0, down_or_paused=0.0)
    DayTally.objects.create(
        server=measured, begins=datetime.combine(today, datetime.min.time(), UTC), answered=1, seconds=2
    )
    page = fetch_page_source(client, "server-list")
    assert f'<span class="meta">99.00 % up, 2 downtimes since {today:%-d %B}</span>' in page
    assert '<td data-head="Response time"><span class="meta">median 1.5 s</span></td>' in page, "one day is no line"


@pytest.mark.parametrize(("query", "is_open"), [({}, False), ({"kind": "mention"}, False), ({"window": "7d"}, True)])
def test_it_folds_the_tables_of_all_measures(client, measured, query, is_open):
    page = fetch_page_source(client, "server-list", **query)
    assert ('<details class="all-measures" open>' in page) == is_open
    assert ('type="hidden" name="window"' in page) == is_open


def test_it_shows_the_measures_over_the_window_that_is_chosen(client, measured):
    Figures.objects.filter(window="7d").update(p99=2.5, annotations=80)
    page = fetch_page_source(client, "server-list", window="7d")
    assert "Metrics over the last 7 days." in page
    assert '<td class="num">2.5 s</td>' in page
    assert '<td class="num">10</td>' in page


def test_it_orders_the_list_by_any_figure_the_best_first(client, team, measured):
    measure(other(team, "Steady"), annotations=8, p50=2.0)
    measure(other(team, "Quick"), down=259200.0, annotations=80, p50=0.5)
    other(team, "Unknown")
    assert list_server_names(client) == ["GeneDict", "Quick", "Steady", "Unknown"]
    assert list_server_names(client, sort="availability") == ["Steady", "GeneDict", "Quick", "Unknown"]
    assert list_server_names(client, sort="p50") == ["Quick", "GeneDict", "Steady", "Unknown"]
    assert list_server_names(client, sort="mad") == ["Quick", "GeneDict", "Steady", "Unknown"]


def test_it_takes_a_server_that_never_failed_for_the_one_with_the_longest_time_between_failures(client, team, measured):
    measure(other(team, "Steady"))
    assert list_server_names(client, sort="mtbf") == ["Steady", "GeneDict"]
    assert '<td class="num">over 30 d</td>' in fetch_page_source(client, "server-list")


def test_it_lists_the_servers_of_one_kind(client, team, measured):
    other(team, "Species")
    assert list_server_names(client, kind="taxon") == ["Species"]
    assert list_server_names(client, kind="mention") == ["GeneDict"]
    other(team, "Relater", ("relation",))
    assert list_server_names(client, kind="relation") == ["Relater"]
    assert "No servers are registered for this kind." in fetch_page_source(client, "server-list", kind="pair")


@pytest.mark.parametrize("query", [{"kind": "x' OR 1=1"}, {"window": "1s"}, {"sort": "__class__"}, {"sort": "\0"}])
def test_it_takes_words_that_mean_nothing_for_no_choice(client, measured, query):
    assert list_server_names(client, **query) == ["GeneDict"]


def test_it_lists_any_number_of_servers_with_four_queries(client, team, measured, django_assert_num_queries):
    with django_assert_num_queries(4):
        client.get(reverse("server-list"), {"sort": "p95"})
    for number in range(5):
        measure(other(team, f"S{number}"))
    with django_assert_num_queries(4):
        client.get(reverse("server-list"), {"sort": "p95"})


@pytest.fixture
def eventful(measured):
    """Down yesterday and now, with maintenance behind it and ahead of it."""
    now = timezone.now()
    Server.objects.update(state=ServerState.ONLINE)
    Figures.objects.update(down_now=True)
    Downtime.objects.create(server=measured, sort="down", started=now - timedelta(days=1), ended=now)
    Downtime.objects.create(server=measured, sort="down", started=now - timedelta(minutes=5))
    for ahead in (timedelta(days=-3), timedelta(days=3)):
        Maintenance.objects.create(
            server=measured, starts=now + ahead, ends=now + ahead + timedelta(hours=2), reason="New <b>disks</b>"
        )
    for ago in range(3):
        day = (now - timedelta(days=ago)).date()
        down = 3600.0 * ago
        DayUptime.objects.create(server=measured, day=day, observed=86400.0, down=down, down_or_paused=down)
    return measured


def test_the_page_of_a_server_has_the_same_chips_as_the_list(client, eventful):
    chips = '<span class="chip good">online</span> <span class="chip bad">down</span>'
    Figures.objects.update(down_now=True)
    assert chips in fetch_page_source(client, "server-list")
    assert f"<dt>State</dt><dd>{chips} since" in fetch_page_source(client, "server", "genedict")
    Server.objects.update(state=ServerState.OFFLINE)
    assert '<span class="chip bad">down</span>' not in fetch_page_source(client, "server-list")
    offline = '<dt>State</dt><dd><span class="chip">offline</span> since'
    assert offline in fetch_page_source(client, "server", "genedict")


@pytest.mark.parametrize("name", ["server", "server-availability"])
def test_it_shows_everybody_how_dependable_a_server_is(client, eventful, name):
    page = fetch_page_source(client, name, "genedict")
    assert '<span class="chip bad">down</span> since' in page
    first = timezone.now().date() - timedelta(days=2)
    assert f"<b>99.00 %</b> over 24 hours</li><li><b>99.00 %</b> since {first:%-d %B %Y}</li></ul>" in page
    assert page.count("New &lt;b&gt;disks&lt;/b&gt;") == 2
    assert page.count('class="day-fair"') == 1
    assert page.count('class="day-none"') == 87 and page.count('<path class="day-') == 90
    assert "91.66 %, down for 2 h" in page
    for word in ("127.0.0.1", "Cancel", "Plan maintenance", "csrfmiddlewaretoken"):
        assert word not in page


@pytest.mark.parametrize(("name", "queries"), [("server", 14), ("server-availability", 7)])
def test_it_costs_the_same_queries_however_long_the_past_is(client, eventful, django_assert_num_queries, name, queries):
    place = reverse(name, args=["genedict"])
    with django_assert_num_queries(queries):
        client.get(place)
    for number in range(50):
        started = NOON + timedelta(hours=number)
        Downtime.objects.create(server=eventful, sort="down", started=started, ended=started + timedelta(minutes=1))
        Maintenance.objects.create(server=eventful, starts=started, ends=started + timedelta(minutes=1))
        DayUptime.objects.create(
            server=eventful, day=date(2026, 1, 1) + timedelta(days=number), observed=1, down=1, down_or_paused=1
        )
    with django_assert_num_queries(queries):
        client.get(place)


def test_it_shows_a_server_of_which_nothing_is_known(client, server):
    page = fetch_page_source(client, "server", "genedict")
    assert "The server has not been observed in the last 90 days." in page and "</b> over 24 hours" not in page
    assert "day-none" not in page


@pytest.mark.parametrize(
    ("days", "spans"),
    [
        (0, ["since"]),
        (1, ["over 24 hours", "since"]),
        (29, ["over 24 hours", "over 7 days", "since"]),
        (30, ["over 24 hours", "over 7 days", "over 30 days", "since"]),
    ],
)
def test_no_window_is_longer_than_the_server_was_observed(client, measured, days, spans):
    day = timezone.now().date() - timedelta(days=days)
    DayUptime.objects.create(server=measured, day=day, observed=60.0, down=0.0, down_or_paused=0.0)
    expected = [f"since {day:%-d %B %Y}" if each == "since" else each for each in spans]
    assert re.findall("<li><b>99.00 %</b> ([^<]+)</li>", fetch_page_source(client, "server", "genedict")) == expected


@pytest.mark.parametrize("name", ["server", "server-availability"])
def test_everybody_sees_the_response_times_by_hour(client, server, name):
    title = '<title id="times-title">Response times by hour</title>'
    assert title not in fetch_page_source(client, name, "genedict")
    began = timezone.now().replace(minute=0, second=0, microsecond=0) - timedelta(hours=1)
    HourTally.objects.create(server=server, begins=began, answered=4, slowest=60.0, buckets={"150": 4})
    page = fetch_page_source(client, name, "genedict")
    assert title not in page and "<b>1.55 s</b> median" in page, "one hour is no line"
    earlier = began - timedelta(hours=1)
    HourTally.objects.create(server=server, begins=earlier, answered=4, slowest=60.0, buckets={"150": 4})
    page = fetch_page_source(client, name, "genedict")
    assert title in page and '<td class="num">1.55 s</td><td class="num">1.55 s</td>' in page
    ends = began + timedelta(hours=1)
    assert page.count(f'|{began:%-d %B, %H:%M} to {ends:%H:%M} UTC"') == 2


def test_it_draws_the_response_times_for_the_team(client, alice, server):
    client.force_login(alice)
    assert "No data yet. Response times appear" in fetch_page_source(client, "server", "genedict")
    hour = timezone.now().replace(minute=0, second=0, microsecond=0)
    for ago, bucket in ((1, "150"), (3, "200")):
        began = hour - timedelta(hours=ago)
        HourTally.objects.create(server=server, begins=began, answered=4, slowest=60.0, buckets={bucket: 4})
    HourTally.objects.create(
        server=server, begins=hour - timedelta(hours=49), answered=4, slowest=1.0, buckets={"1": 4}
    )
    page = fetch_page_source(client, "server", "genedict")
    assert '<title id="times-title">Response times by hour</title>' in page
    assert page.count('<td class="num">60 s</td>') == 2
    assert '<td class="num">1.55 s</td><td class="num">1.55 s</td>' in page
    assert '<td class="num">0.258 %</td>' in page


def test_it_gives_a_badge_that_needs_no_cookies(client, measured, django_assert_num_queries):
    with django_assert_num_queries(1):
        answer = client.get("/servers/genedict/badge.svg")
    assert answer["Content-Type"] == "image/svg+xml"
    assert answer["Cache-Control"] == "public, max-age=300"
    assert not answer.has_header("Vary") or "Cookie" not in answer["Vary"]
    assert answer.cookies == {}
    assert "<title>BCMS: 99.00 % up in 30 d, p50 1.5 s</title>" in answer.content.decode()


def test_the_badge_says_for_how_long_the_server_was_observed(client, measured):
    Figures.objects.update(observed=7500.0, down=0.0)
    assert ">BCMS: 100 % up in 2 h 5 min, p50 1.5 s<" in client.get("/servers/genedict/badge.svg").content.decode()


def test_it_gives_a_badge_of_a_server_of_which_nothing_is_known(client, server):
    assert "not observed yet" in client.get("/servers/genedict/badge.svg").content.decode()
    assert client.get("/servers/none/badge.svg").status_code == 404


def test_it_gives_the_figures_by_api(client, eventful):
    body = client.get("/api/v1/servers/genedict/availability/").json()
    month = body["windows"][2]
    assert (month["window"], month["availability"], month["failures"]) == ("30d", 0.99, 2)
    assert (month["mtbf"], month["mttr"]) == (1283040.0, 12960.0)
    assert (month["mad"], month["mtsa"], month["art"], month["success_rate"]) == (5.0, 0.4, 2.0, 0.8)
    assert (month["seconds_per_byte"], month["bytes_per_second"]) == (0.001, 1000.0)
    assert (month["p50"], month["p90"], month["p95"], month["p99"], month["slowest"]) == (1.5, 3.0, 3.5, 4.0, 4.0)
    assert [len(body[name]) for name in ("days", "downtimes", "maintenance")] == [3, 2, 2]
    assert body["downtimes"][0]["ended"] is None
    assert set(body["maintenance"][0]) == {"starts", "ends", "reason"}
    assert client.get("/api/v1/servers/none/availability/").status_code == 404


def test_it_gives_the_short_figures_in_the_list_by_api(client, measured):
    [listed] = client.get("/api/v1/servers/").json()["results"]
    assert [window["window"] for window in listed["windows"]] == list(WINDOWS)
    assert (listed["windows"][0]["availability"], listed["windows"][0]["p95"]) == (0.99, 3.5)


def test_it_reads_the_figures_by_api_with_five_queries(client, eventful, django_assert_num_queries):
    with django_assert_num_queries(5):
        client.get("/api/v1/servers/genedict/availability/")


def shape(moment):
    return moment.strftime("%Y-%m-%dT%H:%M")


def plan(client, starts, ends, reason="New disks"):
    fields = {"starts": shape(starts), "ends": shape(ends), "reason": reason}
    return client.post(reverse("server-maintenance", args=["genedict"]), fields)


@pytest.fixture
def as_alice(client, alice, server):
    client.force_login(alice)
    return client


@pytest.fixture
def now():
    return timezone.now().replace(second=0, microsecond=0)


def test_it_lets_the_team_plan_maintenance(as_alice, alice, now):
    assert plan(as_alice, now + timedelta(hours=1), now + timedelta(hours=3)).status_code == 302
    planned = Maintenance.objects.get()
    assert (planned.starts, planned.ends) == (now + timedelta(hours=1), now + timedelta(hours=3))
    assert (planned.reason, planned.by) == ("New disks", alice)
    assert "Cancel" in fetch_page_source(as_alice, "server-availability", "genedict")


@pytest.mark.parametrize(
    ("starts", "ends", "said"),
    [
        (-60, 60, "This time has passed. Maintenance must be planned before it starts."),
        (60, 60, "The end must be after the start."),
        (60, 30, "The end must be after the start."),
        (60, 60 + 15 * 24 * 60, "Maintenance can last at most 14 days. Stop the server for longer periods."),
        (366 * 24 * 60, 366 * 24 * 60 + 5, "Maintenance can be planned at most 365 days in advance."),
    ],
)
def test_it_says_why_maintenance_cannot_be_planned(as_alice, now, starts, ends, said):
    answer = plan(as_alice, now + timedelta(minutes=starts), now + timedelta(minutes=ends))
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert not Maintenance.objects.exists()


def test_it_says_what_is_no_time(as_alice):
    answer = as_alice.post(reverse("server-maintenance", args=["genedict"]), {"starts": "soon", "ends": ""})
    assert answer.content.decode().count("Enter a date and time such as 2026-03-02T14:30.") == 2


def end(client, planned, slug="genedict"):
    return client.post(reverse("server-maintenance-end", args=[slug, planned.pk])).status_code


def test_it_takes_back_what_has_not_begun(as_alice, server, now):
    planned = Maintenance.objects.create(server=server, starts=now + timedelta(hours=1), ends=now + timedelta(hours=2))
    assert end(as_alice, planned) == 302
    assert not Maintenance.objects.exists()


def test_it_keeps_what_has_begun_and_ends_it_now(as_alice, server, now):
    began, over = now - timedelta(hours=1), now + timedelta(hours=2)
    planned = Maintenance.objects.create(server=server, starts=began, ends=over)
    assert end(as_alice, planned) == 302
    planned.refresh_from_db()
    assert now <= planned.ends < over


def test_it_does_not_shorten_what_is_over(as_alice, server, now):
    planned = Maintenance.objects.create(server=server, starts=now - timedelta(hours=3), ends=now - timedelta(hours=1))
    end(as_alice, planned)
    planned.refresh_from_db()
    assert planned.ends == now - timedelta(hours=1)


def test_it_lets_nobody_end_the_maintenance_of_another_server(as_alice, server, now, team):
    other(Team.objects.create(name="Beta", slug="beta"), "Foreign")
    planned = Maintenance.objects.create(
        server=Server.objects.get(slug="foreign"), starts=now + timedelta(hours=1), ends=now + timedelta(hours=2)
    )
    assert (end(as_alice, planned), end(as_alice, planned, "foreign")) == (404, 403)
    assert Maintenance.objects.exists()

"""The table of a load test: what counts as refused, as an error and as held."""

from tests.load.figures import HEADINGS, Stage, format_kinds, format_table


def make_stage(factor=1.0, p95=300.0, faults=None, **kinds):
    counted = {"requests": 100, "failures": 4, "p50": 20.0, "p95": p95, "p99": 1500.0, "max": 2500.0}
    each = {name.replace("_", " "): {**counted, "requests": number} for name, number in kinds.items()}
    summary = {**counted, "kinds": each, "faults": faults or {}, "seconds": 12.0}
    return Stage(factor, 50, summary, {"web": 300_000_000}, calls=7.4, recovery=1.5, database=90_000_000)


def test_the_table_has_a_line_for_each_load():
    heading, _, line, *_, last = format_table([make_stage(board=100)]).splitlines()
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells[: len(HEADINGS)] == [
        *["1x, 50 visitors", "8", "20 ms", "300 ms", "1.5 s", "2.5 s", "0", "0", "7"],
    ]
    assert cells[len(HEADINGS) :] == ["1.5 s", "90 MB", "300 MB", "0 MB", "0 MB", "0 MB", "0 MB"]
    assert len(cells) == heading.count("|") - 1
    assert last == "It holds at 1x."


def test_polite_refusals_are_counted_by_their_code_and_are_no_errors():
    stage = make_stage(board=10, refused_503=3, refused_429=2)
    assert stage.refused == {"503": 3, "429": 2}
    assert stage.faults == {}
    assert not stage.holds
    assert "| 2 x 429, 3 x 503 | 0 |" in format_table([stage])


def test_errors_are_listed_below_the_table():
    table = format_table([make_stage(), make_stage(3.0, faults={"board: 500 ": 2})])
    assert "* 3x: 2 x board: 500 " in table
    assert table.splitlines()[-1].startswith("It no longer holds at 3x")


def test_slow_answers_do_not_hold():
    assert make_stage(p95=2000.0).holds
    assert not make_stage(p95=2001.0).holds


def test_a_site_that_does_not_recover_is_said_to():
    stage = make_stage()
    assert "| not |" in format_table([Stage(1.0, 50, stage.summary)])


def test_kinds_of_requests_have_a_table_of_their_own():
    assert "| board | 7 | 20 ms | 300 ms | 1.5 s |" in format_kinds(make_stage(board=7))

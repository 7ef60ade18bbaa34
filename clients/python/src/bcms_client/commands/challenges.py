"""bcms challenges."""

from argparse import Namespace
from collections.abc import Callable
from typing import Any

from bcms_client.client import Client
from bcms_client.commands.arguments import TASK, Verbs, add_noun, add_verb
from bcms_client.commands.output import Columns, print_json, print_record, print_rows, print_written_file
from bcms_client.operations.challenges import PHASE_FORMATS
from bcms_client.records.challenges import Leaderboard

CHALLENGES = {
    "CHALLENGE": lambda challenge: challenge.slug,
    "NAME": lambda challenge: challenge.name,
    "STATE": lambda challenge: challenge.state,
    "TASKS": lambda challenge: [task.name for task in challenge.tasks],
    "PHASES": lambda challenge: [phase.sort for phase in challenge.phases],
}
PHASES = {
    "PHASE": lambda phase: phase.sort,
    "CORPUS": lambda phase: phase.corpus,
    "OPENS": lambda phase: phase.opens,
    "CLOSES": lambda phase: phase.closes,
    "PUBLISHED": lambda phase: phase.published,
}


def add_challenge_commands(nouns: Verbs) -> None:
    verbs = add_noun(nouns, "challenges", "challenges and leaderboards")
    add_verb(verbs, "list", _list_challenges, "list the challenges")
    add_verb(verbs, "show", _show_challenge, "show a challenge with its phases", "challenge")
    board = add_verb(verbs, "leaderboard", _show_leaderboard, "show the leaderboard of a task in a phase", *TASK)
    board.add_argument("--scenario", help="another scenario than the default")
    board.add_argument("--average", choices=("macro", "micro"))
    articles = add_verb(verbs, "articles", _download_articles, "write the articles of a phase", *TASK[:2], "target")
    articles.add_argument("--as", dest="format", choices=PHASE_FORMATS, default="tsv", help="format (default: tsv)")


def _list_challenges(client: Client, options: Namespace) -> None:
    print_rows(options, client.list_challenges(), CHALLENGES)


def _show_challenge(client: Client, options: Namespace) -> None:
    challenge = client.get_challenge(options.challenge)
    print_record(options, challenge, CHALLENGES)
    if not options.json:
        print()
        print_rows(options, challenge.phases, PHASES)


def _show_leaderboard(client: Client, options: Namespace) -> None:
    arguments = (options.challenge, options.phase, options.task)
    board = client.get_leaderboard(*arguments, scenario=options.scenario, average=options.average)
    if options.json:
        print_json(board)
        return
    print_rows(options, board.rows, _build_board_columns(board))


def _build_board_columns(board: Leaderboard) -> Columns:
    """Rank, names, and a column for each measure."""
    columns: dict[str, Callable[[Any], object]] = {
        "RANK": lambda row: row.first_rank,
        "RUN": lambda row: row.run,
        "NAME": lambda row: row.name,
        "TEAM": lambda row: row.team,
    }
    for measure in board.measures:
        columns[measure.label] = _build_figure_reader(measure.name)
    return columns


def _build_figure_reader(measure: str) -> Callable[[Any], object]:
    return lambda row: row.figures.get(measure)


def _download_articles(client: Client, options: Namespace) -> None:
    target = client.download_phase_articles(options.challenge, options.phase, options.target, format=options.format)
    print_written_file(options, target)

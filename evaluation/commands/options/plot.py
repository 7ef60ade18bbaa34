"""The option --plot, in a module of its own because the plots take longer to load than scoring most runs."""

from argparse import ArgumentParser, Namespace

from evaluation.commands.errors import UsageError
from evaluation.commands.options.task import LIST_TASKS, MENTION_TASKS
from evaluation.commands.options.values import parse_svg_path

PLOT_TASKS = LIST_TASKS | MENTION_TASKS | {"act"}


def add_plot_option(parser: ArgumentParser) -> None:
    """Add the option --plot."""
    parser.add_argument(
        "--plot",
        type=parse_svg_path,
        metavar="FILE.svg",
        help="write plots with tables of their figures to one SVG file",
    )


def check_plot_and_times_options(options: Namespace) -> None:
    """UsageError when --plot or --times of score do not work with the other options."""
    if options.plot is not None and options.task not in PLOT_TASKS:
        raise UsageError(f"--plot does not work with --task {options.task}; it is for {', '.join(sorted(PLOT_TASKS))}.")
    if options.times is not None and options.plot is None:
        raise UsageError("--times is used only by --plot FILE.svg; give both options or neither.")

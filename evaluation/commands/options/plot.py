"""The option --plot, apart from the drawing, which takes longer to load than most runs to be scored."""

from argparse import ArgumentParser, Namespace

from evaluation.commands.errors import UsageError
from evaluation.commands.options.arguments import LISTS, MENTIONS
from evaluation.commands.options.values import svg_name

DRAWN = LISTS | MENTIONS | {"act"}


def add_plot(parser: ArgumentParser) -> None:
    """--plot."""
    parser.add_argument("--plot", type=svg_name, metavar="FILE.svg", help="plots with their figures, in one SVG file")


def check_plot(options: Namespace) -> None:
    """UsageError when --plot or --times of score do not go with the other options."""
    if options.plot is not None and options.task not in DRAWN:
        raise UsageError(f"--plot does not go with --task {options.task}; it is for {', '.join(sorted(DRAWN))}.")
    if options.times is not None and options.plot is None:
        raise UsageError("--times is drawn against the score by --plot FILE.svg; give both, or none of them.")

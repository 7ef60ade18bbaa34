"""The option --plot, apart from the drawing, which takes longer to load than most runs to be scored."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace

from evaluation.commands.arguments import LISTS, MENTIONS
from evaluation.commands.refusals import UsageError

DRAWN = LISTS | MENTIONS | {"act"}


def add_plot(parser: ArgumentParser) -> None:
    """--plot."""
    parser.add_argument("--plot", type=svg_name, metavar="FILE.svg", help="plots with their figures, in one SVG file")


def svg_name(text: str) -> str:
    """The name of a file for SVG, so that no run is written over by mistake."""
    if not text.lower().endswith(".svg"):
        raise ArgumentTypeError(f"{text!r} does not end in .svg")
    return text


def check_plot(options: Namespace) -> None:
    """UsageError when --plot or --times of score do not go with the other options."""
    if options.plot is not None and options.task not in DRAWN:
        raise UsageError(f"--plot does not go with --task {options.task}; it is for {', '.join(sorted(DRAWN))}.")
    if options.times is not None and options.plot is None:
        raise UsageError("--times is drawn against the score by --plot FILE.svg; give both, or none of them.")

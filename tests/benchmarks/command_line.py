"""The command line of a benchmark, made from the parameters of its main(), and the lines that show its ratios."""

import argparse
import inspect
import sys
from collections.abc import Callable

# The least divisor: what a very small run takes may be less than the clock can show.
SHORTEST = 1e-6


def run_main(main: Callable[..., None]) -> None:
    """Call main with the command line: a parameter with a default is an option, any other an argument."""
    module = sys.modules["__main__"]
    parser = argparse.ArgumentParser(
        prog=f"python -m {module.__spec__.name.removesuffix('.__main__')}",
        description=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parameters = inspect.signature(main).parameters.values()
    for each in parameters:
        if each.kind == each.VAR_POSITIONAL:
            parser.add_argument(each.name, nargs="*", type=each.annotation)
        elif each.default is each.empty:
            parser.add_argument(each.name, type=each.annotation)
        else:
            option = f"--{each.name.replace('_', '-')}"
            parser.add_argument(option, type=type(each.default), default=each.default, help=f"{each.default}")
    given = vars(parser.parse_args())
    many = next((given.pop(each.name) for each in parameters if each.kind == each.VAR_POSITIONAL), [])
    main(*many, **given)


def print_ratio(name: str, dividend: float, divisor: float) -> None:
    """Print the ratio of two figures that were measured in this run."""
    print(f"ratio  {name}: {dividend / max(divisor, SHORTEST):.4g}", flush=True)

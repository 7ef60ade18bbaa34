"""Send mutated content to the targets for some time: `python -m tests.fuzzing [--seconds N] [--seed N] [TARGET ...]`.

With the package atheris (installed by hand: it has no files for some Pythons), code that was not reached before guides
the mutations of all targets together, and the first failure ends it. Without it, hypothesis mutates for each target in
turn. The status is not 0 if a target failed; what was sent is printed.
"""

import argparse
import importlib.util
import secrets
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import django
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from tests.unit.damaged_files import damage_content

if TYPE_CHECKING:
    from tests.fuzzing.targets import Target

EXAMPLES_AT_ONCE = 200
LONGEST = 20_000


def load_targets(names: Sequence[str]) -> "Mapping[str, Target]":
    """Those with these names, or all."""
    django.setup()
    from tests.fuzzing.targets import TARGETS

    return {name: TARGETS[name] for name in names} if names else TARGETS


def mutate_with_hypothesis(names: Sequence[str], seconds: float, first_seed: int) -> int:
    """1 if a target failed, else 0; the others go on."""
    failed = []
    targets = load_targets(names)
    for name, target in targets.items():
        try:
            _mutate_for_target(target, seconds / len(targets), first_seed)
        except Exception as error:  # noqa: BLE001 - whatever the code under test raises is what is looked for
            failed.append(name)
            print(f"{name}: {error!r} {' '.join(getattr(error, '__notes__', []))}", flush=True)
    print(f"failed: {', '.join(failed) or 'none'}")
    return int(bool(failed))


def _mutate_for_target(target: "Target", seconds: float, first_seed: int) -> None:
    """Raise what the target raises, with the smallest content that hypothesis finds."""
    end, number = time.monotonic() + seconds, first_seed
    examples = settings(
        max_examples=EXAMPLES_AT_ONCE,
        derandomize=False,
        database=None,
        deadline=None,
        suppress_health_check=HealthCheck,
    )
    while time.monotonic() < end:

        @seed(number)
        @examples
        @given(st.sampled_from(target.seeds).flatmap(damage_content))
        def run(content):
            target.check(content)

        run()
        number += 1


def mutate_with_atheris(names: Sequence[str], seconds: float, first_seed: int) -> None:
    """End the process; the first byte of a content says which target it is for."""
    import atheris

    with atheris.instrument_imports(include=["annotations", "evaluation", "servers", "bcms"]):
        targets = list(load_targets(names).values())

    def check(content: bytes) -> None:
        if content:
            targets[content[0] % len(targets)].check(content[1:])

    folder = Path(tempfile.mkdtemp(prefix="fuzzing-"))
    for number, target in enumerate(targets):
        for position, content in enumerate(target.seeds):
            (folder / f"{number}-{position}").write_bytes(bytes([number]) + content)
    limits = [f"-max_total_time={round(seconds)}", f"-seed={first_seed}", f"-max_len={LONGEST}"]
    atheris.Setup([sys.argv[0], *limits, f"-artifact_prefix={folder}/failed-", str(folder)], check)
    atheris.Fuzz()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzzing", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600, help="for all targets together")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**31), help="repeats a run; printed")
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    options = parser.parse_args()
    guided = importlib.util.find_spec("atheris") is not None
    print(f"{'atheris' if guided else 'hypothesis'}, --seed {options.seed}", flush=True)
    if guided:
        mutate_with_atheris(options.targets, options.seconds, options.seed)
    return mutate_with_hypothesis(options.targets, options.seconds, options.seed)


if __name__ == "__main__":
    sys.exit(main())

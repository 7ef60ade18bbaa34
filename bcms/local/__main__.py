"""`python -m bcms.local demo`, `run COMMAND ...` (with services for as long as it takes) and `clean`."""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence

from bcms.local import plan, postgres, services
from bcms.local.demo import Demo
from bcms.local.errors import StartError, sentence_for
from bcms.local.processes import Children
from bcms.local.stopping import StopAsked, StopRequest


def demo(port: int) -> int:
    request = StopRequest()
    request.listen()
    with services.only_launcher(plan.RUN):
        children = Children(plan.RUN)
        try:
            Demo(port, plan.RUN, children, request).run()
        except StopAsked:
            print("Stopping; a second Ctrl-C does not wait for what is under way.", file=sys.stderr)
        finally:
            children.stop(request.again)
    return 0


def run(command: Sequence[str]) -> int:
    """Run a command with temporary services and the settings of tests; its exit status."""
    with services.temporary() as found:
        settings = {"SECRET_KEY": "temporary", "ALLOWED_NETWORKS": "127.0.0.0/8", **found}
        return subprocess.run(command, env={**os.environ, **settings}, check=False).returncode


def clean() -> int:
    """Forget the demo's database, passwords and logs, here and in /var/tmp."""
    with services.only_launcher(plan.RUN):
        services.remove(plan.RUN)
        postgres.forget_copy()
    return 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bcms.local", description=__doc__)
    actions = parser.add_subparsers(dest="action", required=True)
    actions.add_parser("demo").add_argument("--port", type=int, default=8000)
    actions.add_parser("run").add_argument("command", nargs=argparse.REMAINDER)
    actions.add_parser("clean")
    return parser.parse_args()


def main() -> int:
    given = arguments()
    try:
        match given.action:
            case "demo":
                return demo(given.port)
            case "run":
                return run(given.command)
            case _:
                return clean()
    except StartError as error:
        print(error, file=sys.stderr)
    except OSError as error:
        print(sentence_for(error), file=sys.stderr)
    except KeyboardInterrupt:
        return 130
    return 1


if __name__ == "__main__":
    sys.exit(main())

"""`python -m bcms.local demo`, `run COMMAND ...` (with temporary services) and `clean` (delete the demo's data)."""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence

from bcms.local import postgres, process_commands, services
from bcms.local.child_processes import ChildProcesses
from bcms.local.demo_launcher import DemoLauncher
from bcms.local.errors import StartError, format_os_error
from bcms.local.stop_requests import StopRequested, StopSignals


def _run_demo(port: int, reload: bool) -> int:
    """Run the demo until it is stopped; returns the exit status."""
    signals = StopSignals()
    signals.install_handlers()
    with services.lock_launcher_folder_stopping_orphans(process_commands.RUN_FOLDER):
        children = ChildProcesses(process_commands.RUN_FOLDER)
        try:
            DemoLauncher(port, process_commands.RUN_FOLDER, children, signals, reload).run()
        except StopRequested:
            print("Stopping; press Ctrl-C again to stop at once.", file=sys.stderr)
        finally:
            children.stop_children(signals.is_repeated)
    return 0


def _run_command_with_services(command: Sequence[str]) -> int:
    """Run a command with temporary services and test settings; returns its exit status."""
    with services.run_temporary_services() as urls:
        settings = {"SECRET_KEY": "temporary", "ALLOWED_NETWORKS": "127.0.0.0/8", **urls}
        return subprocess.run(command, env={**os.environ, **settings}, check=False).returncode


def _delete_demo_state() -> int:
    """Delete the demo's database, passwords and logs, here and in /var/tmp; returns the exit status."""
    with services.lock_launcher_folder_stopping_orphans(process_commands.RUN_FOLDER):
        services.delete_folder_and_shared_counterpart(process_commands.RUN_FOLDER)
        postgres.delete_postgres_program_copy()
    return 0


def parse_demo_run_or_clean_command() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bcms.local", description=__doc__)
    actions = parser.add_subparsers(dest="action", required=True)
    demo = actions.add_parser("demo", help="run the demo until it is stopped")
    demo.add_argument("--port", type=int, default=8000, help="port of the site (default: 8000)")
    demo.add_argument("--reload", action="store_true", help="restart web server and workers when code changes")
    run = actions.add_parser("run", help="run a command with temporary services")
    run.add_argument("command", nargs=argparse.REMAINDER, help="the command and its arguments")
    actions.add_parser("clean", help="delete the demo's database, passwords and logs")
    return parser.parse_args()


def main() -> int:
    options = parse_demo_run_or_clean_command()
    try:
        match options.action:
            case "demo":
                return _run_demo(options.port, options.reload)
            case "run":
                return _run_command_with_services(options.command)
            case _:
                return _delete_demo_state()
    except StartError as error:
        print(error, file=sys.stderr)
    except OSError as error:
        print(format_os_error(error), file=sys.stderr)
    except KeyboardInterrupt:
        return 130
    return 1


if __name__ == "__main__":
    sys.exit(main())

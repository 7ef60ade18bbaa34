"""Child processes of the launcher: stopped in order, killed when they will not, told of when they die."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from bcms.local.child_processes import STOP_SECONDS, ChildProcesses
from bcms.local.errors import StartError
from bcms.local.stop_requests import StopRequested, StopSignals

ROOT = Path(__file__).resolve().parents[4]
WAITS = "import time; print('up', flush=True); time.sleep(600)"
PRINTS_ITS_END = """
import signal, sys, time
def end(*_):
    with open(sys.argv[1], "a") as ends:
        ends.write(sys.argv[2] + "\\n")
    sys.exit()
signal.signal(signal.SIGTERM, end)
print("up", flush=True)
time.sleep(600)
"""
IGNORES = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(600)"
HAS_A_CHILD = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", sys.argv[1]])
print(child.pid, flush=True)
child.wait()
"""
WAITS_FOR_SIGNALS = """
import sys
from bcms.local.stop_requests import StopRequested, StopSignals, print_or_stop_on_broken_pipe
signals = StopSignals()
signals.install_handlers()
print_or_stop_on_broken_pipe("up")
try:
    while True:
        signals.wait_or_raise_if_asked(0.1)
except StopRequested:
    print("stopped", file=sys.stderr)
"""


@pytest.fixture
def children(tmp_path):
    children = ChildProcesses(tmp_path)
    yield children
    children.stop_children(lambda: True)


def start(children, name, script, *arguments):
    """Start a child and wait until it is up."""
    child = children.start_child(name, [sys.executable, "-c", script, *arguments])
    until = time.monotonic() + 60
    while "up" not in child.log.read_text() and child.process.poll() is None:
        assert time.monotonic() < until
        time.sleep(0.01)
    return child


def test_it_stops_the_last_stage_first(children, tmp_path):
    ends = tmp_path / "ends"
    start(children, "database", PRINTS_ITS_END, ends, "database")
    children.begin_stage()
    start(children, "worker", PRINTS_ITS_END, ends, "worker")

    children.stop_children()

    assert ends.read_text().split() == ["worker", "database"]


def test_it_kills_a_child_that_will_not_stop_when_hurried(children):
    child = start(children, "stubborn", IGNORES)
    began = time.monotonic()

    children.stop_children(lambda: True)

    assert child.process.returncode == -signal.SIGKILL
    assert time.monotonic() - began < STOP_SECONDS


def test_it_ends_grandchildren_too(children):
    child = start(children, "parent", HAS_A_CHILD, WAITS)
    grandchild = int(next(word for word in child.log.read_text().split() if word.isdigit()))

    children.stop_children()

    # It was killed; whose child it is by then, and when that one notices, is not ours.
    until = time.monotonic() + 60
    while is_running(grandchild):
        assert time.monotonic() < until
        time.sleep(0.01)


def is_running(pid):
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def test_it_tells_which_child_died_with_the_end_of_its_log(children):
    child = start(children, "web", "import sys; print('address in use'); sys.exit(3)")
    child.process.wait()

    with pytest.raises(StartError, match=r"web exited unexpectedly \(exit status 3\)(?s:.*)\n    address in use"):
        children.check_children()


def test_it_says_that_the_disk_is_full_when_that_ended_a_child(children):
    script = "import sys; print('PANIC: could not write to file: No space left on device'); sys.exit(1)"
    children.start_child("postgres", [sys.executable, "-c", script]).process.wait()

    for check in (children.check_children, children.check_disk_space):
        with pytest.raises(StartError, match=r"^The disk is full: postgres could not write\. Free some space"):
            check()


def test_it_lets_a_child_end_whose_work_is_done(children):
    children.start_child("passing", [sys.executable, "-c", ""], may_end=True).process.wait()

    children.check_children()


def test_it_marks_a_signal_and_stops_where_it_waits():
    request = StopSignals()
    request.record_signal()

    with pytest.raises(StopRequested):
        request.wait_or_raise_if_asked(600)
    assert not request.is_repeated()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_stops_at_a_signal(number):
    with start_waiting_process() as process:
        process.stdout.readline()
        process.send_signal(number)

        assert process.communicate(timeout=60)[1] == "stopped\n"


def test_it_stops_when_nobody_reads_any_more():
    with start_waiting_process() as process:
        process.stdout.readline()
        process.stdout.close()

        assert process.stderr.read() == "stopped\n"
        assert process.wait(60) == 0


def start_waiting_process():
    return subprocess.Popen(
        [sys.executable, "-c", WAITS_FOR_SIGNALS],
        cwd=ROOT,
        env=dict(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )

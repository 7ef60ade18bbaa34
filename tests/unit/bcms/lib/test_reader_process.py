"""The process that reads hostile files: whatever its code does, the process that has started it is not harmed."""

import pytest

from bcms.lib import reader_process
from bcms.lib.reader_process import ReaderFailedError, ReaderReply, run_reader

SECONDS = 10
MOST_BYTES = 1 << 20


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs this code as the reader."""
    monkeypatch.setattr(reader_process, "ROOT", tmp_path)

    def run_code(code, content=b"", seconds=SECONDS):
        (tmp_path / "hostile.py").write_text(f"import os, sys, time\n{code}\n")
        return run_reader("hostile", "argument", content, seconds, MOST_BYTES)

    return run_code


def test_it_returns_what_the_reader_writes(run):
    content = b"x" * MOST_BYTES
    assert run("sys.stdout.buffer.write(sys.stdin.buffer.read())", content) == ReaderReply(content, refused=False)
    assert run("print(sys.argv[1]); sys.exit(3)") == ReaderReply(b"argument\n", refused=True)


def test_it_reads_while_it_sends(run):
    """A reader may write before it has read everything."""
    code = "while piece := sys.stdin.buffer.read(1 << 16): sys.stdout.buffer.write(piece)"
    assert len(run(code, b"x" * MOST_BYTES).output) == MOST_BYTES


def test_a_reader_need_not_read_everything(run):
    assert run("print('enough')", b"x" * (4 << 20)).output == b"enough\n"


def test_it_kills_a_reader_that_writes_too_much(run):
    with pytest.raises(ReaderFailedError):
        run(f"sys.stdout.buffer.write(bytes({MOST_BYTES + 1}))")
    with pytest.raises(ReaderFailedError):
        run("while True: os.write(1, bytes(1 << 16))")


def test_it_drops_what_a_reader_says_of_errors(run):
    assert run(f"os.write(2, bytes({4 * MOST_BYTES}))").output == b""


@pytest.mark.parametrize("code", ["time.sleep(60)", "os.close(1); time.sleep(60)", "os.close(0); time.sleep(60)"])
def test_it_kills_a_reader_that_does_not_end(run, code):
    with pytest.raises(ReaderFailedError):
        run(code, b"x" * (1 << 20), seconds=1)


def test_it_does_not_wait_for_what_a_reader_leaves_running(run):
    """Another process keeps the output open."""
    with pytest.raises(ReaderFailedError):
        run("import subprocess; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])", seconds=1)

"""Pictures are read in a process of their own, whose time and memory are limited."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from PIL import ExifTags, Image, ImageCms

from bcms.lib.pictures import sandbox
from bcms.lib.pictures.page_picture import PictureError
from bcms.lib.pictures.reader import read_picture
from bcms.lib.reader_process import ReaderReply
from tests.drawn_pictures import draw, save


def test_it_reads_as_the_reader_does():
    content = save(draw())
    picture = sandbox.read_picture_in_sandbox(content)
    assert picture == read_picture(content)
    assert sandbox.check_page_picture_in_sandbox(picture.content) == picture


@pytest.mark.parametrize(
    ("form", "mode"),
    [
        *(("PNG", mode) for mode in ("1", "L", "LA", "P", "RGB", "RGBA")),
        *(("JPEG", "RGB"), ("JPEG", "CMYK"), ("MPO", "RGB"), ("WEBP", "RGBA"), ("GIF", "P")),
    ],
)
def test_it_reads_each_format_without_opening_files(form, mode):
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation], exif[ExifTags.Base.Make] = 6, "Maker"
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    drawn = draw().convert(mode)
    films = {} if form == "JPEG" else {"save_all": True, "append_images": [drawn.rotate(180)]}
    content = save(drawn, form, exif=exif, icc_profile=profile, **films)
    assert sandbox.read_picture_in_sandbox(content) == read_picture(content)


def run_code(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_the_reader_lets_others_go_first():
    code = "import os; from bcms.lib.reader_process import restrict_process; restrict_process(5, 1 << 30)"
    assert int(run_code(f"{code}; print(os.nice(0))").stdout) == os.nice(0) + 10


@pytest.mark.parametrize("attempt", ["open('/proc/self/environ')", "socket.socket()", "__import__('wave')"])
def test_the_reader_opens_nothing(attempt):
    code = "import socket; from bcms.lib.reader_process import forbid_files_and_processes"
    assert run_code(f"{code}; {attempt}").returncode == 0
    ended = run_code(f"{code}; forbid_files_and_processes(); {attempt}")
    assert (ended.returncode, "Too many open files" in ended.stderr) == (1, True)


def test_the_reader_starts_no_process():
    """The administrator of a machine has no such limit, so a test that runs as one cannot try."""
    code = (
        "import resource; from bcms.lib.reader_process import forbid_files_and_processes; forbid_files_and_processes()"
    )
    assert run_code(f"{code}; print(resource.getrlimit(resource.RLIMIT_NPROC))").stdout == "(0, 0)\n"


def test_it_says_why_a_picture_is_refused():
    with pytest.raises(PictureError, match="The file is not a PNG, JPEG, WebP or GIF picture"):
        sandbox.read_picture_in_sandbox(b"<svg/>")
    with pytest.raises(PictureError, match="not as this site writes pictures"):
        sandbox.check_page_picture_in_sandbox(save(draw()))


def test_it_refuses_what_takes_too_long(monkeypatch):
    monkeypatch.setattr(sandbox, "SECONDS", 0)
    with pytest.raises(PictureError, match="takes more than 0 seconds or 768 MiB, or crashes the reader"):
        sandbox.read_picture_in_sandbox(save(draw()))


def test_it_survives_a_reader_that_crashes(monkeypatch):
    monkeypatch.setattr(sandbox.sys, "executable", "/bin/false")
    with pytest.raises(PictureError, match="crashes the reader"):
        sandbox.read_picture_in_sandbox(save(draw()))


def test_it_does_not_wait_long_for_others(monkeypatch):
    monkeypatch.setattr(sandbox, "SECONDS", 0)
    with sandbox._one_at_a_time, pytest.raises(PictureError, match="The site is reading other pictures"):
        sandbox.read_picture_in_sandbox(save(draw()))
    monkeypatch.setattr(sandbox, "SECONDS", 10)
    assert sandbox.read_picture_in_sandbox(save(draw())).width == 60


def test_the_process_that_asks_does_not_load_the_decoders():
    code = "import sys, bcms.lib.pictures.sandbox; sys.exit('PIL' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_it_refuses_a_third_request_at_once(monkeypatch):
    """Threads that wait answer nobody else."""
    reading, goes_on = Event(), Event()

    def read_slowly(*args):
        reading.set()
        goes_on.wait()
        return ReaderReply(b'{"message": "slow"}', refused=True)

    monkeypatch.setattr(sandbox, "run_reader", read_slowly)
    with ThreadPoolExecutor(2) as threads:
        first, second = (threads.submit(sandbox.read_picture_in_sandbox, b"") for _ in range(2))
        reading.wait()
        while sandbox._reading_or_waiting.acquire(blocking=False):
            sandbox._reading_or_waiting.release()
        with pytest.raises(PictureError, match="The site is reading other pictures"):
            sandbox.read_picture_in_sandbox(b"")
        goes_on.set()
        for read in (first, second):
            with pytest.raises(PictureError, match="slow"):
                read.result()

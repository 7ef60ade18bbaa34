"""Read uploaded pictures in a separate process, so that a malicious file cannot harm the site.

The process may use 10 seconds of CPU time and 768 MiB of memory, opens no file and no connection and starts no process
once it reads the picture, and has no access to the site's settings or passwords. A web or worker process reads one
picture at a time. One more request waits for it, not long, and all others are refused at once: threads that wait answer
nobody else.
"""

import json
import sys
from threading import BoundedSemaphore, Lock

from bcms.lib.pictures.page_picture import PagePicture, PictureError
from bcms.lib.reader_process import (
    EXIT_REFUSED,
    ReaderFailedError,
    forbid_files_and_processes,
    restrict_process,
    run_reader,
)

SECONDS = 10
MEMORY = 768 * 1024 * 1024
# More than any picture has that a page shows.
MOST_OUTPUT_BYTES = 32 << 20
MODULE = "bcms.lib.pictures.sandbox"
_one_at_a_time = Lock()
_reading_or_waiting = BoundedSemaphore(2)
BUSY = "The site is reading other pictures. Try again in a minute."


class PictureReaderError(PictureError):
    """The reader was busy, exceeded a limit or crashed. Others of the same request should not be tried."""


def read_picture_in_sandbox(content: bytes) -> PagePicture:
    """What read_picture makes of a file. PictureError if it refuses the file, or else a PictureReaderError."""
    return _run_reader_or_give_up("read", content)


def check_page_picture_in_sandbox(content: bytes) -> PagePicture:
    """What check_page_picture says of a picture. PictureError if it refuses it, or else a PictureReaderError."""
    return _run_reader_or_give_up("check", content)


def _run_reader_or_give_up(name: str, content: bytes) -> PagePicture:
    if not _reading_or_waiting.acquire(blocking=False):
        raise PictureReaderError(BUSY)
    try:
        if not _one_at_a_time.acquire(timeout=SECONDS):
            raise PictureReaderError(BUSY)
        try:
            return _run_reader(name, content)
        finally:
            _one_at_a_time.release()
    finally:
        _reading_or_waiting.release()


def _run_reader(name: str, content: bytes) -> PagePicture:
    try:
        answer = run_reader(MODULE, name, content, SECONDS, MOST_OUTPUT_BYTES)
    except ReaderFailedError:
        raise _make_exceeded_limits_error() from None
    head, _, body = answer.output.partition(b"\n")
    reply = json.loads(head)
    if answer.refused:
        raise PictureError(reply["message"])
    return PagePicture(body, reply["width"], reply["height"], reply["is_animated"])


def _make_exceeded_limits_error() -> PictureReaderError:
    return PictureReaderError(
        f"Reading the picture takes more than {SECONDS} seconds or {MEMORY >> 20} MiB, or crashes the reader. "
        "Scale it down, or save it as PNG or JPEG."
    )


def write_picture_or_refusal() -> int:
    """The separate process: reads a picture from standard input; writes a line of JSON and the picture as WebP."""
    restrict_process(SECONDS, MEMORY)
    # Only here: the site itself does not load the library that decodes hostile files.
    from bcms.lib.pictures.reader import check_page_picture, read_picture

    forbid_files_and_processes()
    read = {"read": read_picture, "check": check_page_picture}[sys.argv[1]]
    try:
        picture = read(sys.stdin.buffer.read())
    except PictureError as error:
        sys.stdout.write(json.dumps({"message": str(error)}))
        return EXIT_REFUSED
    head = {"width": picture.width, "height": picture.height, "is_animated": picture.is_animated}
    sys.stdout.buffer.write(json.dumps(head).encode() + b"\n" + picture.content)
    return 0


if __name__ == "__main__":
    sys.exit(write_picture_or_refusal())

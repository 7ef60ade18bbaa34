"""Write mails one after the other, whatever becomes of a single one."""

import logging
from collections.abc import Callable, Iterable

log = logging.getLogger(__name__)


def count_written_mails(writers: Iterable[Callable[[], int]]) -> int:
    """Call each, which writes mails in a transaction of its own, and return how many mails they wrote.

    What cannot be written is logged and tried again in the next round, so that it does not stop the others.
    """
    return sum(map(_try_write, writers))


def _try_write(write: Callable[[], int]) -> int:
    try:
        return write()
    except Exception:
        log.exception("Unexpected error: a mail could not be written")
        return 0

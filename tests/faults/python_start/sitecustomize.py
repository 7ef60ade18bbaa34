"""Read by Python when it starts, if this folder is in PYTHONPATH.

libfaketime 0.9.10 refuses the system call of time.sleep while it leaves the monotonic clock alone; while it does not,
timeouts of locks never end.
"""

import select
import time


def sleep(seconds: float) -> None:
    select.select([], [], [], seconds)


time.sleep = sleep

"""`python -m bcms.local.guardian FOLDER`: end the temporary services of a process that has gone.

It waits for the end of its standard input. The process that started the services holds the other end and never
writes, so the end comes when that process ends, however it ends.
"""

import sys
import time
from pathlib import Path

from bcms.local.services import stop_services_and_delete_folder_if_abandoned

# A process that is killed lets go of the lock of its folder a moment after its end of the pipe.
PATIENCE_SECONDS = 10.0

if __name__ == "__main__":
    sys.stdin.read()
    folder, until = Path(sys.argv[1]), time.monotonic() + PATIENCE_SECONDS
    while folder.exists() and time.monotonic() < until:
        stop_services_and_delete_folder_if_abandoned(folder)
        time.sleep(0.05)

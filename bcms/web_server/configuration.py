"""The configuration of gunicorn for this site: `gunicorn --config python:bcms.web_server.configuration bcms.wsgi`.

Options on its command line are added to it, such as --bind.
"""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

worker_class = "bcms.web_server.worker.BufferingWorker"
workers = 2
threads = 8
keepalive = 5
preload_app = True
# For how long a process that stops finishes requests.
graceful_timeout = 30
control_socket_disable = True
# The processes add up their metrics in this folder (bcms/metrics/requests.py). prometheus_client reads the setting when
# it is imported, so nothing here imports it earlier.
METRICS_FOLDER = Path(tempfile.mkdtemp(prefix="bcms-metrics-"))
os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(METRICS_FOLDER)


def child_exit(server: Any, worker: Any) -> None:
    """Forget the present values of a process that has ended; what it counted stays."""
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]


def on_exit(server: Any) -> None:
    shutil.rmtree(METRICS_FOLDER, ignore_errors=True)

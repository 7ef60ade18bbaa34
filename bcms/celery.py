"""The Celery app of the site, which every worker and every sender of tasks uses."""

import os
from typing import Any

from celery import Celery, Task, bootsteps
from django.db import close_old_connections

from bcms.database.reply_limits import WORKER_SECONDS, set_limit_of_process
from bcms.health.heartbeats import HeartbeatStep
from bcms.lib.request_ids import REQUEST_ID_FIELD, bind_request_id, get_request_id, make_request_id

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bcms.settings")
# Idle threads of numpy's products wait so busily that the one that computes takes twice as long. Set before its import.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


class SiteTask(Task[Any, Any]):
    """A task that first closes a broken or expired database connection, as Django does for each request.

    Its logs name the id of the request that enqueued it, or an id of its own.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.request.called_directly:
            return super().__call__(*args, **kwargs)
        close_old_connections()
        sent = self.request.get("headers") or {}
        with bind_request_id(sent.get(REQUEST_ID_FIELD) or make_request_id()):
            return super().__call__(*args, **kwargs)


class SiteCelery(Celery):
    def send_task(self, name: str, *args: Any, headers: dict[str, Any] | None = None, **options: Any) -> Any:
        """Enqueue a task with the id of the request that enqueues it."""
        request_id = get_request_id()
        if request_id:
            headers = {**(headers or {}), REQUEST_ID_FIELD: request_id}
        return super().send_task(name, *args, headers=headers, **options)


class ReplyLimitStep(bootsteps.Step):
    """The part of a Celery worker that limits how long its threads and processes wait for a reply of the database."""

    def create(self, parent: Any) -> None:
        set_limit_of_process(WORKER_SECONDS)


app = SiteCelery("bcms", task_cls=SiteTask)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.steps["worker"].add(ReplyLimitStep)
app.steps["worker"].add(HeartbeatStep)
app.autodiscover_tasks()

"""The Celery app of the site, which every worker and every sender of tasks uses."""

import os
from typing import Any

from celery import Celery, Task
from django.db import close_old_connections

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bcms.settings")


class ReconnectingTask(Task[Any, Any]):
    """A task that first closes a broken or expired database connection, as Django does for each request."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.request.called_directly:
            close_old_connections()
        return super().__call__(*args, **kwargs)


app = Celery("bcms", task_cls=ReconnectingTask)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

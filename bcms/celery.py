import os
from typing import Any

from celery import Celery, Task
from django.db import close_old_connections

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bcms.settings")


class FreshTask(Task):
    """A task that a worker begins as a request begins: a database connection that broke or grew old is replaced."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.request.called_directly:
            close_old_connections()
        return super().__call__(*args, **kwargs)


app = Celery("bcms", task_cls=FreshTask)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

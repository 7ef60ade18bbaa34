"""The Django app of the site itself."""

from django.apps import AppConfig


class BcmsConfig(AppConfig):
    name = "bcms"

    def ready(self) -> None:
        # shared_task binds to the Celery app that exists when a task is first used, so ours must exist by then.
        from bcms import celery  # noqa: F401
        from bcms.checks import contents, database, deployment, replica  # noqa: F401

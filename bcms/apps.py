from django.apps import AppConfig


class BcmsConfig(AppConfig):
    name = "bcms"

    def ready(self) -> None:
        # Tasks bind to the app that exists when they are first used; every process must have ours by then.
        from bcms import celery  # noqa: F401

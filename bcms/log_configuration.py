"""How the processes of the site write their logs: lines for people or JSON for programs, with the id of the request."""

from typing import Any

import structlog

from bcms.lib.secret_paths import SecretPathFilter

LOG_FORMS = ("text", "json")
# Without the values of variables, which can be keys, passwords and unpublished texts.
EXCEPTIONS_AS_DATA = structlog.processors.ExceptionRenderer(
    structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
)
# What `extra` of a log call may add to a line, besides event, level, logger, timestamp, request_id and exception.
EXTRA_FIELDS = ("method", "route", "status", "seconds", "server", "call", "attempt", "outcome")
LEVELS = {
    # At INFO, Celery writes two lines for each task, and some are due every few seconds: 60 MB a day on an idle site.
    **dict.fromkeys(("celery.worker.strategy", "celery.app.trace", "celery.beat"), "WARNING"),
    # Refused requests have their line already (bcms/middleware/request_ids.py), which names no path.
    **dict.fromkeys(("django.request", "django.security.csrf"), "ERROR"),
}


def build_logging_settings(level: str, form: str) -> dict[str, Any]:
    """Django's LOGGING: everything to the standard error. level: the lowest that is written; form: one of LOG_FORMS."""
    if form not in LOG_FORMS:
        raise ValueError(f"LOG_FORM is {form!r}, but must be {' or '.join(LOG_FORMS)}.")
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"without_secrets": {"()": SecretPathFilter}},
        "formatters": {name: _build_formatter(name) for name in LOG_FORMS},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": form, "filters": ["without_secrets"]}},
        "root": {"handlers": ["console"], "level": level},
        "loggers": {name: {"level": least} for name, least in LEVELS.items()},
    }


def _build_formatter(form: str) -> dict[str, Any]:
    renderers: dict[str, list[Any]] = {
        "text": [structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)],
        "json": [EXCEPTIONS_AS_DATA, structlog.processors.JSONRenderer(sort_keys=True, default=str)],
    }
    return {
        "()": structlog.stdlib.ProcessorFormatter,
        # For the records of the standard library's loggers, which all modules use.
        "foreign_pre_chain": [
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.add_log_level,
            structlog.stdlib.add_logger_name,
            structlog.stdlib.ExtraAdder(EXTRA_FIELDS),
            structlog.processors.TimeStamper(fmt="iso", utc=True),
        ],
        "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, *renderers[form]],
    }

"""The forms of the log: lines for people and JSON for programs."""

import json
import logging
import logging.config
import sys

import pytest

from bcms.lib.request_ids import bind_request_id
from bcms.log_configuration import build_logging_settings

REQUEST = "0123456789abcdef" * 2


def format_record(form, *, error=False, **extra):
    formatter = logging.config.DictConfigurator({"version": 1}).configure_formatter(
        build_logging_settings("INFO", form)["formatters"][form]
    )
    record = logging.getLogger("servers.calls").makeRecord(
        *("servers.calls", logging.WARNING, "loop.py", 1, "Call %d failed", (7,)),
        exc_info=sys.exc_info() if error else None,
        extra=extra,
    )
    return formatter.format(record)


def test_a_line_of_json_has_the_facts_and_the_request():
    with bind_request_id(REQUEST):
        line = json.loads(format_record("json", call=7, server="genedict", password="no"))
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        **{"event": "Call 7 failed", "level": "warning", "logger": "servers.calls", "request_id": REQUEST},
        **{"call": 7, "server": "genedict"},
    }


def test_an_exception_is_one_line_of_json():
    try:
        raise ValueError("out of\nrange")
    except ValueError:
        written = format_record("json", error=True)
    assert "\n" not in written
    (told,) = json.loads(written)["exception"]
    assert (told["exc_type"], told["exc_value"]) == ("ValueError", "out of\nrange")


def test_a_line_of_text_names_the_request():
    with bind_request_id(REQUEST):
        inside = format_record("text", call=7)
    assert "Call 7 failed" in inside and "[servers.calls]" in inside and f"request_id={REQUEST}" in inside
    assert "request_id" not in format_record("text")


def test_an_exception_is_in_the_text_with_its_traceback():
    try:
        raise ValueError("out of range")
    except ValueError:
        assert "Traceback (most recent call last):" in format_record("text", error=True)


def test_each_run_of_a_task_is_not_a_line_of_the_log():
    loggers = build_logging_settings("INFO", "json")["loggers"]
    assert [loggers[name]["level"] for name in ("celery.app.trace", "celery.beat")] == ["WARNING"] * 2


def test_another_form_is_refused():
    with pytest.raises(ValueError, match="LOG_FORM is 'xml', but must be text or json"):
        build_logging_settings("INFO", "xml")

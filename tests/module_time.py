"""Another clock for one module: threads that other tests have left behind keep the real one."""

import time
from types import ModuleType, SimpleNamespace

import pytest


def replace_time(monkeypatch: pytest.MonkeyPatch, module: ModuleType, **functions: object) -> None:
    """Give the module these functions in place of those of `time`, such as sleep or monotonic."""
    monkeypatch.setattr(module, "time", SimpleNamespace(**(vars(time) | functions)))

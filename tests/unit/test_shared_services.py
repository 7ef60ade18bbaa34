"""Tests that share a deployment are handed out to one process, so that its steps come in their order."""

from xdist.scheduler import LoadScopeScheduling

from tests.compose_file import ROOT
from tests.conftest import SHARED_SERVICES, SharedServicesScheduling, pytest_xdist_make_scheduler


class Configuration:
    def __init__(self, dist):
        self.dist = dist

    def getvalue(self, name):
        return getattr(self, name)


def test_they_exist():
    assert [name for name in SHARED_SERVICES if not (ROOT / name).exists()] == []


def test_they_are_one_scope_and_every_other_test_is_one_of_its_own():
    scheduling = object.__new__(SharedServicesScheduling)
    scopes = {scheduling._split_scope(f"{name}::test[{number}]") for name in SHARED_SERVICES for number in (1, 2)}
    assert len(scopes) == 1
    assert scheduling._split_scope("tests/unit/test_names.py::test[1]") == "tests/unit/test_names.py::test[1]"
    assert issubclass(SharedServicesScheduling, LoadScopeScheduling)


def test_other_ways_to_hand_out_tests_stay():
    assert pytest_xdist_make_scheduler(Configuration("worksteal"), None) is None

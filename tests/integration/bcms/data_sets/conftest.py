"""Fixtures that the tests of this folder share."""

from tests.integration.data_set_cast import corpus, staff

__all__ = ["corpus", "staff"]

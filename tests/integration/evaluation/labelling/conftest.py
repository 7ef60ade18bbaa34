"""Fixtures that the tests of this folder share."""

import pytest

from evaluation.labelling import curators


@pytest.fixture
def curator(labelling, carol):
    return curators.add_and_mail_or_readmit_curator(labelling, carol)

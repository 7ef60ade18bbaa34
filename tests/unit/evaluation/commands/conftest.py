"""Fixtures that the tests of this folder share."""

import pytest

from evaluation.__main__ import main


@pytest.fixture
def wrong(capsys):
    """What is said of wrong usage."""

    def usage(*arguments):
        with pytest.raises(SystemExit) as left:
            main(arguments)
        assert left.value.code == 2
        return capsys.readouterr().err.splitlines()[-1].split("error: ")[1]

    return usage

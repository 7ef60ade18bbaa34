"""The licence of published digital abstracts, which the site sets."""

import pytest
from django.core.checks import run_checks

from bcms.checks.contents import check_licence_of_digital_abstracts
from bcms.digital_abstracts.published_abstracts import get_licence_url


@pytest.mark.parametrize(
    ("licence", "url"),
    [
        ("CC-BY-4.0", "https://creativecommons.org/licenses/by/4.0/"),
        ("CC0-1.0", "https://creativecommons.org/publicdomain/zero/1.0/"),
    ],
)
def test_it_is_one_of_two(settings, licence, url):
    settings.CURATIONS_LICENCE = licence
    assert check_licence_of_digital_abstracts(None) == []
    assert get_licence_url() == url


def test_the_site_does_not_start_with_another(settings):
    settings.CURATIONS_LICENCE = "CC-BY-NC-4.0"
    (error,) = [each for each in run_checks() if each.id == "bcms.E003"]
    assert error.hint == "Set it to CC-BY-4.0 or CC0-1.0, or leave it out for CC-BY-4.0."

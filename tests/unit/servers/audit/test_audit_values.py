"""The values of audit events, as pages show them."""

import pytest

from servers.templatetags.audit_values import show_audit_value


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (["read", "manuscripts"], "read, manuscripts"),
        ([True, None], "yes, none"),
        ([], "none"),
        ({"types": ["Gene", "Disease"], "exact": True}, "types: Gene, Disease; exact: yes"),
        ({}, "none"),
        ("", "none"),
        (None, "none"),
        (False, "no"),
        (0, 0),
        ("2026-11-30 18:16:03.521913+00:00", "30 Nov 2026, 18:16 UTC"),
        ("2026-11-30T18:16:03+02:00", "30 Nov 2026, 16:16 UTC"),
        ("2026-11-30", "2026-11-30"),
        # Names that are times for which UTC has no year.
        ("0001-01-01T00:00+14:00", "0001-01-01T00:00+14:00"),
        ("9999-12-31T23:59-14:00", "9999-12-31T23:59-14:00"),
        ("TX", "TX"),
    ],
)
def test_a_value_is_shown_in_words(value, shown):
    assert show_audit_value(value) == shown

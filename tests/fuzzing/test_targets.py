"""Every target reads or refuses a hundred mutated contents, the same in every run; `make fuzz` tries others."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzzing.targets import TARGETS
from tests.unit.damaged_files import damage_content


@pytest.mark.long
@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=150)
@given(st.data())
def test_it_reads_or_refuses_mutated_content(name, data):
    target = TARGETS[name]
    target.check(data.draw(st.sampled_from(target.seeds).flatmap(damage_content)))

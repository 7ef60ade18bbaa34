"""A frozen dataclass with the fast constructor is as any other: compared with one that has Python's constructor."""

import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, replace

import pytest

from annotations.fast_dataclasses import speed_up_constructor


@dataclass(frozen=True, slots=True)
class Plain:
    name: str
    rank: int | None = None
    parts: tuple[int, ...] = field(default=(), repr=False)


@speed_up_constructor
@dataclass(frozen=True, slots=True)
class Fast:
    name: str
    rank: int | None = None
    parts: tuple[int, ...] = field(default=(), repr=False)

    @property
    def label(self):
        return f"{self.rank}. {self.name}"


@dataclass(frozen=True, slots=True)
class Extended(Fast):
    note: str = ""


@pytest.mark.parametrize(
    ("args", "values"),
    [(("a",), {}), (("a", 1), {"parts": (2,)}), ((), {"name": "a", "rank": 3}), (("a", 1, (2,)), {})],
)
def test_it_has_the_same_fields(args, values):
    fast, plain = Fast(*args, **values), Plain(*args, **values)
    assert type(fast) is Fast
    assert (fast.name, fast.rank, fast.parts) == (plain.name, plain.rank, plain.parts)
    assert repr(fast) == repr(plain).replace("Plain", "Fast")
    assert (fast == Fast(*args, **values), hash(fast)) == (True, hash(plain))


def test_it_refuses_assignments():
    fast = Fast("a", 1)
    with pytest.raises(FrozenInstanceError):
        fast.rank = 2
    with pytest.raises(FrozenInstanceError):
        del fast.rank
    assert fast.rank == 1


def test_it_can_be_replaced_copied_and_pickled():
    fast = Fast("a", 1, (2,))
    assert replace(fast, rank=2) == Fast("a", 2, (2,))
    assert replace(fast, rank=2).label == "2. a"
    assert copy.copy(fast) == copy.deepcopy(fast) == pickle.loads(pickle.dumps(fast)) == fast


def test_a_dataclass_that_inherits_from_it_has_its_own_constructor():
    extended = Extended("a", 1, note="b")
    assert type(extended) is Extended
    assert (extended.name, extended.note, extended.label) == ("a", "b", "1. a")
    with pytest.raises(FrozenInstanceError):
        extended.note = "c"


@pytest.mark.parametrize(
    ("args", "values"), [((), {}), (("a", 1, (), 4), {}), (("a",), {"name": "b"}), (("a",), {"x": 1})]
)
def test_it_refuses_the_same_arguments(args, values):
    with pytest.raises(TypeError):
        Plain(*args, **values)
    with pytest.raises(TypeError):
        Fast(*args, **values)


def test_it_is_not_for_dataclasses_that_do_more_when_they_are_made():
    @dataclass(frozen=True, slots=True)
    class Checked:
        name: str

        def __post_init__(self):
            raise ValueError

    with pytest.raises(TypeError, match="Checked has __post_init__"):
        speed_up_constructor(Checked)

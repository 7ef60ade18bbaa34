"""Items are counted by group, the largest groups of the gold standard first."""

from evaluation.analyses.item_groups import MOST_GROUPS, GroupCounter, ItemGroup


def test_it_adds_the_items_of_all_articles_and_sorts_groups_by_the_gold_standard():
    counter = GroupCounter()
    counter.add(["mouse", "mouse"], ["human"], ["fly"])
    counter.add(["human"], ["human", "yeast"], ["human", "fly"])
    assert counter.list_largest_groups() == [
        ItemGroup("human", found=1, missed=2, false=1),
        ItemGroup("mouse", found=2, missed=0, false=0),
        ItemGroup("yeast", found=0, missed=1, false=0),
        ItemGroup("fly", found=0, missed=0, false=2),
    ]


def test_a_wrong_class_is_missed_in_one_group_and_false_in_another():
    counter = GroupCounter()
    for said, right in (("yes", "yes"), ("yes", "no"), ("no", "yes"), ("no", "no"), ("no", "no")):
        counter.add_class(said, right)
    assert counter.list_largest_groups() == [ItemGroup("no", 2, 1, 1), ItemGroup("yes", 1, 1, 1)]


def test_the_smallest_of_many_groups_are_counted_together():
    counter = GroupCounter()
    for number in range(MOST_GROUPS + 5):
        counter.add([f"{number:02}"] * (100 - number), [], ["x"])
    groups = counter.list_largest_groups()
    assert len(groups) == MOST_GROUPS
    assert groups[-1].name == f"{MOST_GROUPS + 5 + 1 - (MOST_GROUPS - 1)} others"
    assert sum(group.found for group in groups) == sum(100 - number for number in range(MOST_GROUPS + 5))
    assert sum(group.false for group in groups) == MOST_GROUPS + 5


def test_without_items_there_are_no_groups():
    assert GroupCounter().list_largest_groups() == []

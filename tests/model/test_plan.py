"""What a plan says of itself."""

from __future__ import annotations

import pytest

from spokerender.model.plan import FolderPlan, Plan


def test_a_plan_counts_over_its_folders() -> None:
    plan = Plan(
        (
            FolderPlan(folder="eu", create=("a", "b"), update=("c",), unchanged=4),
            FolderPlan(folder="us", delete=("a", "b", "c"), is_removed=True),
        ),
        unchanged=9,
    )

    assert (plan.created, plan.updated, plan.deleted, plan.unchanged) == (2, 1, 3, 9)
    assert [folder.changes for folder in plan.folders] == [3, 3]
    assert not plan.is_empty


@pytest.mark.parametrize(
    ("folder", "changes", "says_something"),
    [
        (FolderPlan(folder="eu", create=("a",)), True, True),
        (FolderPlan(folder="eu", update=("a",)), True, True),
        (FolderPlan(folder="eu", delete=("a",)), True, True),
        (FolderPlan(folder="eu", foreign=("a",)), False, True),
        (FolderPlan(folder="eu", blocked=("a",)), False, True),
        (FolderPlan(folder="eu", emptied=("a",)), False, True),
        (FolderPlan(folder="eu", unchanged=3), False, False),
    ],
    ids=["create", "update", "delete", "foreign", "blocked", "emptied", "unchanged"],
)
def test_what_is_a_change_and_what_is_worth_saying(
    folder: FolderPlan, *, changes: bool, says_something: bool
) -> None:
    plan = Plan((folder,))

    assert plan.is_empty is not changes
    assert folder.says_something is says_something


def test_an_empty_plan() -> None:
    assert Plan().is_empty
    assert Plan(unchanged=3, strays=("x",)).is_empty

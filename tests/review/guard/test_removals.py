"""What is lost in a change, and what only looks like it."""

from collections.abc import Collection, Mapping
from typing import NoReturn

import pytest
from hypothesis import given, settings, strategies as st

from spokerender.model.plan import FolderPlan
from spokerender.review.guard.claims import Loss, Losses, Removal
from spokerender.review.guard.removals import find_losses
from spokerender.review.values import LostObject
from tests.review.guard.trees import (
    AUTH_REF,
    BOTH_LAYOUTS,
    DNS,
    DNS_REF,
    GATEWAY,
    GATEWAY_REF,
    KNOWN,
    LIMITS,
    POLICY,
    ROUTE,
    ROUTE_POLICY,
    After,
    Make,
    changes,
    lost,
    one_file_tree,
    reading,
    removed,
    routes,
    told,
    tree,
)
from tests.support import each
from tests.support.profiles import examples


def part(*items: LostObject, total: int) -> tuple[Removal, ...]:
    return (Removal(spoke="eu", loss=Loss.PART, lost=items, total=total),)


@BOTH_LAYOUTS
def test_a_security_policy_goes(files: Make) -> None:
    old, new = files(GATEWAY, POLICY), files(GATEWAY)
    gone = LostObject(AUTH_REF)
    assert removed({"eu": old}, {"eu": new}) == part(gone, total=2)
    assert told(old, new) == ["AuthPolicy/shop/auth goes"]


@BOTH_LAYOUTS
def test_another_policy_goes(files: Make) -> None:
    assert removed({"eu": files(GATEWAY, DNS)}, {"eu": files(GATEWAY)}) == part(
        LostObject(DNS_REF), total=2
    )
    assert told(files(GATEWAY, DNS), files(GATEWAY)) == []


@BOTH_LAYOUTS
def test_an_emptied_spoke_keeps_its_folder(files: Make) -> None:
    assert removed({"eu": files(GATEWAY, POLICY)}, {"eu": files()}) == (
        Removal(
            spoke="eu",
            loss=Loss.PART,
            lost=(
                LostObject(GATEWAY_REF),
                LostObject(AUTH_REF, goes_with=(GATEWAY_REF,)),
            ),
            total=2,
        ),
    )


def test_a_removed_spoke_is_not_asked_for_its_new_files() -> None:
    assert removed({"eu": tree(GATEWAY, POLICY), "us": tree()}, {"us": tree()}) == (
        Removal(
            spoke="eu",
            loss=Loss.SPOKE,
            lost=(
                LostObject(GATEWAY_REF),
                LostObject(AUTH_REF),
            ),
        ),
    )


def test_a_removed_spoke_is_one_also_without_an_object() -> None:
    assert removed({"eu": tree()}, {}) == (Removal(spoke="eu", loss=Loss.SPOKE, lost=()),)


def test_a_removed_spoke_that_appears_under_another_name() -> None:
    (removal,) = removed(
        {"eu": tree(GATEWAY, POLICY)},
        {"de": tree(GATEWAY), "eu-1": tree(GATEWAY, POLICY, ROUTE), "fr": tree(GATEWAY, POLICY)},
    )
    assert removal.renamed_to == "eu-1"


def test_a_new_folder_is_the_new_name_of_one_spoke_only() -> None:
    old = {name: tree(GATEWAY, POLICY) for name in ("a", "b", "c")}
    new = {name: tree(GATEWAY, POLICY) for name in ("c", "x")}
    assert [removal.renamed_to for removal in removed(old, new)] == ["x", ""]


@each(
    FolderPlan(folder="eu", create=("kustomization.yaml",), is_new=True),
    FolderPlan(folder="eu", update=("kustomization.yaml",)),
    FolderPlan(folder="eu", foreign=("notes.txt",), emptied=("shop",)),
    FolderPlan(folder="_fleet", delete=("flux/eu.yaml",)),
    FolderPlan(folder="_fleet", delete=("flux/eu.yaml",), is_removed=True),
    ids=["new", "listing", "foreign", "fleet", "no fleet"],
)
def test_where_nothing_can_be_lost_nothing_is_read(change: FolderPlan) -> None:
    def never(folder: str, paths: Collection[str] | None) -> NoReturn:
        raise AssertionError(folder, paths)

    assert find_losses(never, After({}), [change], KNOWN) == Losses()


@BOTH_LAYOUTS
def test_no_other_file_is_read_than_those_that_change(files: Make) -> None:
    old, new = (
        files(GATEWAY, POLICY, ROUTE),
        files(GATEWAY, POLICY.replace("name: auth", "name: x")),
    )
    asked: list[str] = []

    def before(folder: str, paths: Collection[str] | None) -> Mapping[str, bytes]:
        assert paths is not None
        asked.extend(paths)
        return reading({"eu": old})(folder, paths)

    find_losses(before, After({"eu": new}), changes({"eu": old}, {"eu": new}), KNOWN)
    assert set(asked) == {path for path, data in old.items() if new.get(path) != data}


def test_files_of_others_are_no_loss() -> None:
    old: Mapping[str, bytes] = {**tree(GATEWAY), "notes/authpolicy.yaml": POLICY.encode()}
    assert removed({"eu": old}, {"eu": tree(GATEWAY)}) == ()


def test_a_checkout_with_other_line_ends_is_no_loss() -> None:
    old = {path: data.replace(b"\n", b"\r\n") for path, data in tree(GATEWAY, POLICY).items()}
    assert removed({"eu": old}, {"eu": tree(GATEWAY, POLICY)}) == ()


objects = st.lists(
    st.sampled_from([GATEWAY, POLICY, ROUTE, ROUTE_POLICY, LIMITS, DNS, *routes(3)]), unique=True
)


@pytest.mark.property
@settings(max_examples=examples(200, house=10))
@given(objects=objects, more=objects)
def test_a_change_of_layout_or_an_addition_loses_nothing(
    objects: list[str], more: list[str]
) -> None:
    together = list(dict.fromkeys(objects + more))
    for before, after in ((tree, one_file_tree), (one_file_tree, tree), (tree, tree)):
        removals = removed({"eu": before(*objects)}, {"eu": after(*together)})
        # A new route beside guarded ones may be open, which takes nothing from the spoke.
        assert removals == ()


@pytest.mark.property
@settings(max_examples=examples(200, house=10))
@given(old=objects, new=objects)
def test_the_layout_decides_nothing(old: list[str], new: list[str]) -> None:
    assert lost({"eu": tree(*old)}, {"eu": tree(*new)}) == lost(
        {"eu": one_file_tree(*old)}, {"eu": one_file_tree(*new)}
    )

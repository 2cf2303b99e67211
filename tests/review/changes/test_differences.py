"""What differs between two trees: objects and fields, each change told once."""

from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from spokerender.formats import yamlio
from spokerender.formats.comparing import ABSENT, Change, Item
from spokerender.model import GATEWAY_API, Ref
from spokerender.model.plan import HEADER, KUSTOMIZATION, FilePair, FolderPlan
from spokerender.rendering.values.layout import kustomization, one_file
from spokerender.review.changes.differences import find_differences
from spokerender.review.changes.values import Difference, DifferenceKind
from tests.support import cases, each, manifest, text_of
from tests.support.counting import calls_of

POLICY = text_of(__file__, "differences_policy.yaml")
REF = Ref("kuadrant.io", "DNSPolicy", "infra", "dns")
PATH = "infra/dnspolicy.kuadrant.io_dns.yaml"
WEIGHT = ("spec", "loadBalancing", "weight")
GEO = ("spec", "loadBalancing", "geo")


def find(pairs: Iterable[FilePair], *more: Any) -> tuple[Difference, ...]:
    return find_differences(pairs, *more).items


def ours(text: str) -> bytes:
    return HEADER + text.encode()


def policy(weight: object = 100, geo: str = "EU") -> bytes:
    return ours(POLICY.replace("100", str(weight)).replace("EU", geo))


def on(folders: str, old: bytes | None, new: bytes | None, path: str = PATH) -> list[FilePair]:
    return [(folder, path, old, new) for folder in folders.split()]


def test_a_changed_field_is_told_with_both_values() -> None:
    assert find(on("eu", policy(100), policy(120))) == (
        Difference(DifferenceKind.CHANGED, PATH, REF, ("eu",), (Change(WEIGHT, 100, 120),)),
    )


def test_a_text_is_not_the_number_that_it_looks_like() -> None:
    assert find(on("eu", policy('"100"'), policy(100))) == (
        Difference(DifferenceKind.CHANGED, PATH, REF, ("eu",), (Change(WEIGHT, "100", 100),)),
    )


def test_an_object_that_comes_or_goes_is_told_as_such() -> None:
    assert find([*on("eu us", None, policy()), *on("ap", policy(), None)]) == (
        Difference(DifferenceKind.ADDED, PATH, REF, ("eu", "us")),
        Difference(DifferenceKind.REMOVED, PATH, REF, ("ap",)),
    )


@each(
    POLICY.replace("how much", "how little"),
    POLICY.replace("{weight: 100, geo: EU}", "{geo: EU, weight: 100}"),
    POLICY.replace("\n", "\r\n"),
    f"---\n{POLICY}",
)
def test_equal_objects_differ_in_their_text_only(text: str) -> None:
    assert find(on("eu", ours(text), policy())) == (
        Difference(DifferenceKind.TEXT, PATH, REF, ("eu",)),
    )


@cases(
    (POLICY + "spec: {}\n", "line 10: "),
    ("<<<<<<< HEAD\n" + POLICY, "Git's conflict markers are in it"),
)
def test_a_file_that_was_broken_by_hand_is_told_as_such(text: str, problem: str) -> None:
    found = find(on("eu us", ours(text), policy()))
    assert [(d.kind, d.path, d.ref, d.folders, d.changes) for d in found] == [
        (DifferenceKind.UNREADABLE, PATH, REF, ("eu", "us"), ())
    ]
    assert found[0].problem.startswith(problem)


def test_a_file_that_names_something_else_is_compared_all_the_same() -> None:
    """A hand that edits the name in a file does not make two objects of it."""
    edited = ours(POLICY.replace("name: dns", "name: other"))
    assert find(on("eu", edited, policy())) == (
        Difference(
            DifferenceKind.MOVED,
            PATH,
            REF,
            ("eu",),
            (Change(("metadata", "name"), "other", "dns"),),
            was=replace(REF, name="other"),
        ),
    )


def test_one_change_on_many_spokes_is_one_difference_and_is_read_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[bytes] = []
    really = yamlio.read

    def reading(data: bytes, path: str) -> object:
        read.append(data)
        return really(data, path)

    monkeypatch.setattr(yamlio, "read", reading)
    spokes = [f"spoke-{number:03}" for number in range(300)]
    assert find(on(" ".join(spokes), policy(100), policy(120))) == (
        Difference(DifferenceKind.CHANGED, PATH, REF, tuple(spokes), (Change(WEIGHT, 100, 120),)),
    )
    assert read == [policy(100), policy(120)]


def test_a_field_is_told_once_where_spokes_differ_in_others() -> None:
    pairs = [
        *on("ap eu", policy(100, "EU"), policy(120, "EU")),
        *on("us", policy(100, "EU"), policy(120, "US")),
    ]
    assert find(pairs) == (
        Difference(
            DifferenceKind.CHANGED, PATH, REF, ("ap", "eu", "us"), (Change(WEIGHT, 100, 120),)
        ),
        Difference(DifferenceKind.CHANGED, PATH, REF, ("us",), (Change(GEO, "EU", "US"),)),
    )


def test_fields_that_the_same_spokes_share_are_one_difference() -> None:
    assert find(on("eu us", policy(100, "EU"), policy(120, "US"))) == (
        Difference(
            DifferenceKind.CHANGED,
            PATH,
            REF,
            ("eu", "us"),
            (Change(GEO, "EU", "US"), Change(WEIGHT, 100, 120)),
        ),
    )


def test_documents_of_one_file_are_matched_by_what_they_are() -> None:
    gateway = manifest("Gateway infra/web", "listeners: [{name: a}, {name: b}]")
    old = one_file([("a", ours(gateway)), ("b", policy(100))])
    new = one_file([("a", policy(120)), ("b", ours(gateway.replace("{name: a}, ", "")))])
    item = Item((("name", "a"),))
    assert find(on("eu", old, new, "manifests.yaml")) == (
        Difference(
            DifferenceKind.CHANGED,
            "manifests.yaml",
            Ref(GATEWAY_API, "Gateway", "infra", "web"),
            ("eu",),
            (Change(("spec", "listeners", item), {"name": "a"}, ABSENT),),
        ),
        Difference(
            DifferenceKind.CHANGED, "manifests.yaml", REF, ("eu",), (Change(WEIGHT, 100, 120),)
        ),
    )


def test_an_object_that_stands_twice_in_the_old_file_is_removed_once() -> None:
    twice = one_file([("a", policy()), ("b", policy())])
    assert find(on("eu", twice, one_file([("a", policy())]), "manifests.yaml")) == (
        Difference(DifferenceKind.REMOVED, "manifests.yaml", REF, ("eu",)),
    )


def test_a_document_that_is_no_object_is_told_by_its_file() -> None:
    both = one_file([("a", policy()), ("b", ours("- just a list\n"))])
    assert find(on("eu", both, one_file([("a", policy())]), "manifests.yaml")) == (
        Difference(DifferenceKind.REMOVED, "manifests.yaml", None, ("eu",)),
    )


def listing(folder: str, old: list[str] | None, new: list[str] | None) -> FilePair:
    before, after = (None if paths is None else kustomization(paths) for paths in (old, new))
    return folder, KUSTOMIZATION, before, after


@cases((None, policy(), DifferenceKind.ADDED), (policy(), None, DifferenceKind.REMOVED))
def test_a_listing_that_follows_the_files_is_not_told(
    old: bytes | None, new: bytes | None, kind: DifferenceKind
) -> None:
    def pairs() -> Iterator[FilePair]:
        yield listing("eu", None if old is None else [PATH], None if new is None else [PATH])
        yield from on("eu", old, new)
        yield listing(
            "us", ["a.yaml", *([PATH] if old else [])], ["a.yaml", *([PATH] if new else [])]
        )
        yield from on("us", old, new)

    assert find(pairs()) == (Difference(kind, PATH, REF, ("eu", "us")),)


def test_a_listing_that_was_edited_by_hand_is_told() -> None:
    ref = Ref("kustomize.config.k8s.io", "Kustomization", "", "")
    old = kustomization([PATH]) + b"namePrefix: my-\n"
    assert find([("eu", KUSTOMIZATION, old, kustomization([PATH])), listing("us", [], [PATH])]) == (
        Difference(
            DifferenceKind.CHANGED,
            KUSTOMIZATION,
            ref,
            ("eu",),
            (Change(("namePrefix",), "my-", ABSENT),),
        ),
        Difference(
            DifferenceKind.CHANGED,
            KUSTOMIZATION,
            ref,
            ("us",),
            (Change(("resources", 0), ABSENT, PATH),),
        ),
    )


def test_a_listing_that_is_all_that_comes_is_told() -> None:
    """A spoke that gets nothing has nothing but its empty list."""
    ref = Ref("kustomize.config.k8s.io", "Kustomization", "", "")
    assert find([listing("eu", None, [])]) == (
        Difference(DifferenceKind.ADDED, KUSTOMIZATION, ref, ("eu",)),
    )


def test_conflict_markers_in_a_listing_are_told() -> None:
    old = HEADER + b"<<<<<<< HEAD\nresources: []\n=======\nresources: [a]\n>>>>>>> main\n"
    found = find([("eu", KUSTOMIZATION, old, kustomization([])), *on("eu", None, policy())])
    assert [(d.kind, d.path) for d in found] == [
        (DifferenceKind.ADDED, PATH),
        (DifferenceKind.UNREADABLE, KUSTOMIZATION),
    ]


def test_what_moved_is_one_difference() -> None:
    there = ours(POLICY.replace("namespace: infra", "namespace: edge"))
    new_path = PATH.replace("infra", "edge")
    pairs = [*on("eu", None, there, new_path), *on("eu", policy(), None)]
    assert find(pairs) == (
        Difference(
            DifferenceKind.MOVED,
            new_path,
            replace(REF, namespace="edge"),
            ("eu",),
            (Change(("metadata", "namespace"), "infra", "edge"),),
            was=REF,
        ),
    )


@each(True, False)
def test_objects_that_come_to_stand_in_other_files_are_compared_there(is_joined: bool) -> None:
    """`fleet.layout` puts all objects of a spoke into one file, or each into its own."""
    other = ours(POLICY.replace("name: dns", "name: other"))
    one = [("eu", PATH, policy(), None), ("eu", "o.yaml", other, None)]
    both = b"---\n".join([other, policy(weight=7)])
    pairs = [*one, ("eu", "manifests.yaml", None, both)]
    change = Change(WEIGHT, 100, 7)
    if not is_joined:
        pairs = [(folder, path, new, old) for folder, path, old, new in pairs]
        change = Change(WEIGHT, 7, 100)
    assert find(pairs) == (
        Difference(DifferenceKind.CHANGED, "manifests.yaml", REF, ("eu",), (change,)),
    )
    again = [(f, p, old, new and new.replace(b"7", b"100")) for f, p, old, new in pairs]
    if is_joined:
        assert [(d.kind, d.path) for d in find(again)] == [(DifferenceKind.TEXT, "manifests.yaml")]


def test_two_of_a_name_that_go_are_no_move() -> None:
    other = ours(POLICY.replace("namespace: infra", "namespace: other"))
    there = ours(POLICY.replace("namespace: infra", "namespace: edge"))
    pairs = [*on("eu", None, there, "new"), *on("eu", policy(), None), *on("eu", other, None, "o")]
    assert {each.kind for each in find(pairs)} == {DifferenceKind.ADDED, DifferenceKind.REMOVED}


def test_values_that_each_spoke_has_of_its_own_are_one_difference() -> None:
    spokes = [f"s{number}" for number in range(211)]
    pairs = [
        each for i, name in enumerate(spokes) for each in on(name, policy(i), policy(i + 1000))
    ]
    (difference,) = find(pairs)
    ((varying,), changes) = difference.varying, difference.changes
    assert (difference.kind, changes, len(difference.folders)) == (DifferenceKind.CHANGED, (), 211)
    assert varying.first == Change(WEIGHT, 0, 1000)
    assert varying.by_folders[210] == (("s210",), Change(WEIGHT, 210, 1210))


def test_two_values_are_two_differences() -> None:
    pairs = [*on("a", policy(1), policy(2)), *on("b", policy(1), policy(3))]
    assert [each.varying for each in find(pairs)] == [(), ()]


def test_a_spoke_that_comes_or_goes_is_one_difference() -> None:
    pairs = [
        *on("eu us", None, policy()),
        *on("eu us", None, ours("resources: []\n"), KUSTOMIZATION),
        *on("ap", policy(), None),
    ]
    plans = [
        FolderPlan(folder="ap", delete=(PATH,), is_removed=True),
        FolderPlan(folder="eu", create=(PATH, KUSTOMIZATION), is_new=True),
        FolderPlan(folder="us", create=(PATH, KUSTOMIZATION), is_new=True),
    ]
    assert find(pairs, plans) == (
        Difference(DifferenceKind.LOST_FOLDER, "", None, ("ap",), count=1),
        Difference(DifferenceKind.NEW_FOLDER, "", None, ("eu", "us"), count=1),
    )


def test_a_file_of_thousands_of_objects_is_compared_in_one_pass(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whether one is the first of its identity is not asked of all those before it."""
    asked = calls_of(monkeypatch, Ref, "__eq__")
    read = calls_of(monkeypatch, yamlio, "read")
    text = "---\n".join(POLICY.replace("name: dns", f"name: dns-{i}") for i in range(300))
    assert len(find(on("_fleet", None, ours(text)))) == 300
    assert len(asked) < 300 * 20
    assert len(read) == 1


def test_objects_that_all_move_are_put_together_in_one_pass(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def placed(name: str, namespace: str) -> tuple[str, bytes]:
        text = POLICY.replace("name: dns", f"name: {name}").replace("infra", namespace)
        return f"{namespace}/{name}.yaml", ours(text)

    pairs: list[FilePair] = []
    for i in range(200):
        old, new = placed(f"dns-{i}", "infra"), placed(f"dns-{i}", "edge")
        pairs += [("eu", old[0], old[1], None), ("eu", new[0], None, new[1])]
    asked = calls_of(monkeypatch, Ref, "__eq__")
    found = find(sorted(pairs, key=lambda pair: pair[:2]))
    assert [each.kind for each in found] == [DifferenceKind.MOVED] * 200
    assert len(asked) < 200 * 20

"""What differs between two trees, as people read it, and as programs do."""

import json
from collections.abc import Iterable, Sequence
from textwrap import dedent
from typing import Any

from spokerender.model.plan import HEADER, FilePair
from spokerender.rendering.values.layout import kustomization
from spokerender.rendering.values.rendered import Rendered
from spokerender.report.changes import diff_json, diff_text
from spokerender.report.reports import DiffReport, Look
from spokerender.review.changes.differences import find_differences
from spokerender.review.changes.values import Difference, DifferenceKind
from tests.support import rows_of
from tests.support.changing import AUTH, HUB, PLACE, fleet, pairs

DNS = "edge/dnspolicy.kuadrant.io_dns.yaml"


def find(pairs: Iterable[FilePair], *more: Any) -> tuple[Difference, ...]:
    return find_differences(pairs, *more).items


def text(found: Sequence[Difference], new: Rendered, *, color: bool = False) -> str:
    return diff_text(DiffReport(differences=found, rendered=new), Look(color=color))


def data(found: Sequence[Difference], new: Rendered) -> Any:
    return json.loads(diff_json(DiffReport(differences=found, rendered=new), Look()))


def told(old: Rendered, new: Rendered) -> str:
    return text(find(pairs(old, new)), new)


def test_nothing_differs_and_nothing_is_told() -> None:
    assert told(fleet(), fleet()) == ""


def test_a_change_of_the_hub_is_told_once_with_its_line() -> None:
    assert told(fleet(), fleet(HUB.replace("geo: EU", "geo: NA"))) == rows_of(
        __file__, "a_change_of_the_hub_is_told_once_with_its_line"
    )


def test_a_change_of_the_placement_is_told_with_both_lines() -> None:
    new = PLACE.replace("weight: 120", "weight: 90").replace("name: theirs", "name: mine")
    assert told(fleet(), fleet(place=new)) == rows_of(
        __file__, "a_change_of_the_placement_is_told_with_both_lines"
    )


def test_an_object_that_comes_or_goes_is_told_with_its_spokes() -> None:
    assert told(fleet(), fleet(HUB + AUTH)) == dedent("""\
        added AuthPolicy shop/shop on 3 spokes: eu, own, us  (hub/hub.yaml:29)
        1 difference (1 added) on 3 spokes
        """)
    assert told(fleet(HUB + AUTH), fleet()) == dedent("""\
        removed AuthPolicy shop/shop on 3 spokes: eu, own, us
        1 difference (1 removed) on 3 spokes
        """)


def test_a_comment_is_told_as_such() -> None:
    assert told(fleet(), fleet(HUB.replace("# of 255", "# percent"))) == rows_of(
        __file__, "a_comment_is_told_as_such"
    )


def test_what_every_spoke_has_is_on_all_spokes() -> None:
    found = Difference(DifferenceKind.REMOVED, "a.yaml", None, ("dev", "eu", "own", "us"))
    assert text([found], fleet()).splitlines()[0] == ("removed a.yaml on all 4 spokes")


def test_a_rule_that_is_inserted_is_one_addition_in_yaml() -> None:
    rules = """\
- name: pay
    matches: [{path: {type: PathPrefix, value: /pay}}]
    backendRefs: [{name: pay, port: 80}]
  - name: all"""
    assert told(fleet(), fleet(HUB.replace("- name: all", rules))) == rows_of(
        __file__, "a_rule_that_is_inserted_is_one_addition_in_yaml"
    )


def test_what_comes_behind_a_thousand_lines_is_counted() -> None:
    """A tree of ten thousand objects that is stale is no two megabytes of text."""
    (one,) = find(pairs(fleet(), fleet(HUB.replace("geo: EU", "geo: NA"))))[:1]
    report = DiffReport(differences=[one] * 5_000, rendered=fleet())
    first, every = (diff_text(report, Look(verbose=verbose)) for verbose in (False, True))
    assert every.count("\nchanged ") == 4_999
    lines = first.splitlines()
    shown = sum(line.startswith("changed ") for line in lines)
    assert len(lines) == 1_002
    assert lines[-2:] == [
        f"and {5_000 - shown:,} more differences; -v prints them",
        "5,000 differences (5,000 changed) on 2 spokes",
    ]


def test_a_file_that_was_broken_by_hand_says_where() -> None:
    new = fleet()
    files = new.tree.files("eu")
    broken = HEADER + b"apiVersion: v1\n  kind: [\n"
    found = find(
        [
            ("eu", DNS, broken, files[DNS]),
            ("eu", "kustomization.yaml", kustomization([]), kustomization([DNS])),
        ]
    )
    lines = text(found, new).splitlines()
    assert lines[0] == "unreadable DNSPolicy edge/dns on eu  (hub/hub.yaml:19)"
    assert lines[1].startswith("    line 3: ")
    assert lines[2:] == [
        "changed kustomization.yaml on eu",
        f"    resources[0]: added {DNS}",
        "2 differences (1 changed, 1 unreadable) on 1 spoke",
    ]


def test_files_about_the_fleet_are_on_no_spoke() -> None:
    found = find(
        [
            (
                "_fleet",
                "argocd/app.yaml",
                HEADER + b"kind: A\nspec: 1\n",
                HEADER + b"kind: A\nspec: 2\n",
            )
        ]
    )
    assert text(found, fleet()) == dedent("""\
        changed argocd/app.yaml in _fleet
            spec: 1 -> 2
        1 difference (1 changed) outside spokes
        """)


def test_colours_come_only_when_asked_for() -> None:
    old, new = fleet(), fleet(HUB + AUTH)
    found = find(pairs(old, new))
    assert text(found, new, color=True).splitlines()[0] == (
        "\x1b[32madded\x1b[0m AuthPolicy shop/shop on 3 spokes: eu, own, us"
        "\x1b[2m  (hub/hub.yaml:29)\x1b[0m"
    )


def test_json_says_the_same() -> None:
    old, new = fleet(), fleet(place=PLACE.replace("weight: 120", "weight: 90"))
    removed = Difference(DifferenceKind.REMOVED, "a.yaml", None, ("us",), problem="odd")
    found = [*find(pairs(old, new)), removed]
    assert data(found, new) == {
        "results": [],
        "differences": [
            {
                "kind": "changed",
                "resourceRef": {
                    "group": "kuadrant.io",
                    "kind": "DNSPolicy",
                    "namespace": "edge",
                    "name": "dns",
                },
                "path": DNS,
                "spokes": ["eu"],
                "fields": rows_of(__file__, "json_says_the_same"),
            },
            {"kind": "removed", "path": "a.yaml", "spokes": ["us"], "message": "odd"},
        ],
    }


def test_json_has_no_value_for_what_is_not_there() -> None:
    old, new = fleet(), fleet(HUB.replace("    geo: EU\n", ""))
    for difference in data(find(pairs(old, new)), new)["differences"]:
        (field,) = difference["fields"]
        assert (field["old"], "new" in field) == ("EU", False)

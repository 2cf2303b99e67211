"""The fleet file: all of it may be left out."""

from collections.abc import Callable

from spokerender import __version__
from spokerender.config.fleet import FleetFile, allows_version
from spokerender.wings.combined import read_fleet
from tests.config.conftest import Problem
from tests.support import cases, each, rows_of, text_of

Load = Callable[[str], FleetFile]
Problems = Callable[[str], list[Problem]]


def test_without_a_file_everything_has_its_default(fleet: Load) -> None:
    expected = {
        "api_version": "spokerender.io/v1alpha1",
        "kind": "Fleet",
        "metadata": {"name": None, "annotations": {}},
        "spec": {
            "hub": ("hub/",),
            "crds": (),
            "placement": ("placement.yaml",),
            "publishing": (),
            "metapolicies": (),
            "kuadrant_version": None,
            "assertions": (),
            "output": "clusters/",
            "layout": "object",
            "templates": None,
            "policies_to_sync": (),
            "policy_kinds": (),
            "controllers": (),
            "namespaces": "require",
            "external": (),
            "complete_kinds": (),
            "deletions": (),
            "suppressions": (),
            "rollout": None,
            "max_hub_bytes": 20_000_000,
            "ocm": None,
            "requires": None,
            "delivery": {"argocd": None, "flux": None, "ocm": None},
            "requests": (),
            "exposure": False,
        },
    }
    assert read_fleet(None).model.model_dump() == expected
    assert fleet("").model_dump() == expected


def test_everything_that_a_fleet_can_say(fleet: Load) -> None:
    spec = fleet(text_of(__file__, "fleet.yaml")).spec
    assert spec.model_dump(mode="json") == rows_of(__file__, "everything")


@each(
    *("/clusters", "../clusters", "a/../../b", "..", ".", "./", "", "a\\b"),
    *(".git", ".git/hooks", "a/.GIT./b", "git~1", ".git::$INDEX_ALLOCATION"),
    *("a\u202eb", "a\u200bb", "a\u2028b", "a\u00a0b"),
)
def test_the_output_is_a_folder_in_the_project(output: str, fleet_problems: Problems) -> None:
    (problem,) = fleet_problems(f"spec: {{output: '{output}', hub: [../hub]}}")
    assert problem[0] == "spec.output"


@each("a", "a/b/", "./a", "..a", ".github", ".gitops", "größer")
def test_an_output_folder_may_have_any_name(output: str, fleet: Load) -> None:
    assert fleet(f"spec: {{output: '{output}'}}").spec.output == output


def test_the_crds_and_the_output_do_not_overlap(fleet_problems: Problems) -> None:
    assert fleet_problems("spec:\n  crds: [crds/, clusters/eu]") == [
        ("spec.crds[1]", 2, "the CRDs and the output overlap", "move one out of the other")
    ]


@each(".", "./", "clusters", "clusters/eu", "./clusters")
def test_the_hub_and_the_output_do_not_overlap(hub: str, fleet_problems: Problems) -> None:
    assert fleet_problems(f"spec:\n  hub: [hub/, {hub}]") == [
        ("spec.hub[1]", 2, "the hub and the output overlap", "move one out of the other")
    ]


def test_another_version_is_the_only_thing_told(fleet_problems: Problems) -> None:
    assert fleet_problems("spec:\n  new: key\n  requires: '>=99'\n") == [
        (
            "spec.requires",
            3,
            f"this is spokerender {__version__}, but the project requires >=99",
            "install a version in that range, or change the range",
        )
    ]


@cases(*rows_of(__file__, "a_development_version_counts_as_its_release"))
def test_a_development_version_counts_as_its_release(requires: str, is_allowed: bool) -> None:
    assert allows_version(requires, "0.1.dev5+gabcdef") is is_allowed


@each(f"=={__version__}", ">=0, <99", "!=99")
def test_a_range_with_this_version_is_fine(requires: str, fleet: Load) -> None:
    assert fleet(f"spec: {{requires: '{requires}'}}").spec.requires == requires


@cases(*rows_of(__file__, "a_fleet_that_is_wrong"))
def test_a_fleet_that_is_wrong(
    spec: str, problem: tuple[str, str, str], fleet_problems: Problems
) -> None:
    found = fleet_problems(f"spec:\n  {spec}\n")
    assert [(field, message, cure) for field, _, message, cure in found] == [tuple(problem)]
    assert [line for _, line, _, _ in found] == [2]


@each("kuadrant.io/v1", "Kuadrant.io", "..", "a b", "a" * 254)
def test_a_group_is_a_dns_name(group: str, fleet_problems: Problems) -> None:
    text = "spec: {policiesToSync: [{group: '%s', kind: AuthPolicy}]}"
    ((path, *_),) = fleet_problems(text % group)
    assert path == "spec.policiesToSync[0].group"

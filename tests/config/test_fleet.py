"""The fleet file: all of it may be left out."""

from collections.abc import Callable

from spokerender import __version__
from spokerender.config.fleet import FleetFile, allows_version
from spokerender.wings.combined import read_fleet
from tests.config.conftest import Problem
from tests.support import cases, each, text_of

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
    assert spec.model_dump() == {
        "hub": ("../hub/", "more.yaml"),
        "crds": ("../crds/", "more.yaml"),
        "placement": ("a.yaml", "b/"),
        "publishing": (),
        "metapolicies": (),
        "kuadrant_version": None,
        "assertions": (),
        "output": "deploy/spokes",
        "layout": "spoke",
        "templates": "../templates",
        "policies_to_sync": (
            {"group": "kuadrant.io", "version": "v1", "kind": "AuthPolicy", "resource": None},
            {"group": "kuadrant.io", "version": None, "kind": None, "resource": "dnspolicies"},
        ),
        "policy_kinds": (
            {
                "group": "example.com",
                "kind": "QuotaPolicy",
                "process": "gep-713",
                "strategy": "atomic",
                "rules": (),
                "substance": None,
                "condition": None,
                "one_each": False,
                "ties": "alphabetical",
                "sections": None,
                "hostnames": None,
                "security": None,
                "targets": None,
                "target_paths": (),
            },
        ),
        "controllers": (
            {
                "name": "gateway.envoyproxy.io/gatewayclass-controller",
                "settings": {"extensionApis": {"enableBackend": True}},
            },
        ),
        "namespaces": "create",
        "external": (
            {
                "group": "gateway.networking.k8s.io",
                "kind": "Gateway",
                "namespace": "infra",
                "name": "ed*",
                "listeners": ("web",),
                "gateways": ("infra/web",),
            },
        ),
        "complete_kinds": ("Secret", "Backend.gateway.envoyproxy.io"),
        "deletions": (
            {"ref": "AuthPolicy/shop/api", "spokes": ("eu-1",), "lost": "opens", "reason": "moved"},
            {"ref": None, "spokes": ("eu-2",), "lost": "goes", "reason": "gone"},
        ),
        "suppressions": (
            {
                "code": "SR1509",
                "resource": "authpolicy/shop/api",
                "kind": None,
                "namespace": None,
                "selector": None,
                "spoke": "eu-1",
                "reason": "a comment",
            },
        ),
        "rollout": {
            "groups": (
                {
                    "name": "canary",
                    "spokes": {
                        "names": ("eu-1",),
                        "selector": None,
                        "all": None,
                        "but": (),
                        "placement": None,
                        "decision_group": None,
                    },
                },
                {"name": "others", "spokes": None},
            ),
            "placement": None,
            "strategy": {
                "type": "Progressive",
                "all": None,
                "progressive": {
                    "progress_deadline": "None",
                    "min_success_time": "0s",
                    "max_failures": 1,
                    "mandatory_decision_groups": (),
                    "max_concurrency": "25%",
                },
                "progressive_per_group": None,
            },
        },
        "max_hub_bytes": 1000,
        "ocm": None,
        "requires": ">=0,<99",
        "requests": (),
        "exposure": False,
        "delivery": {
            "argocd": {
                "repo_url": "https://example.com/shop.git",
                "target_revision": "HEAD",
                "path": None,
                "name": "spokes",
                "namespace": "argocd",
                "project": "default",
                "sync_policy": {
                    "automated": {"prune": True, "self_heal": False},
                    "sync_options": ("ServerSideApply=true",),
                },
                "kind": "ApplicationSet",
                "destination": None,
                "app_project": False,
                "sync_waves": False,
                "waves": (),
            },
            "flux": {
                "source_ref": {
                    "kind": "OCIRepository",
                    "name": "flux-system",
                    "namespace": "flux-system",
                },
                "path": "./clusters",
                "namespace": "flux-system",
                "interval": "1h30m",
                "controllers": "hub",
                "source": None,
                "health_checks": False,
                "waves": (),
            },
            "ocm": None,
        },
    }


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


@cases(
    (">=0.1", True),
    ("~=0.1", True),
    (">=0.1,<0.2", True),
    ("<0.1", False),
    (">=0.2", False),
    (">=0.1.dev5", True),
    (">=0.1.dev6", False),
)
def test_a_development_version_counts_as_its_release(requires: str, is_allowed: bool) -> None:
    assert allows_version(requires, "0.1.dev5+gabcdef") is is_allowed


@each(f"=={__version__}", ">=0, <99", "!=99")
def test_a_range_with_this_version_is_fine(requires: str, fleet: Load) -> None:
    assert fleet(f"spec: {{requires: '{requires}'}}").spec.requires == requires


@cases(
    ("requires: 0.1 or so",
     ("spec.requires", "it is not a range of versions (PEP 440)",
      'write one such as ">=0.1,<0.2"')),
    ("hub: hub/",
     ("spec.hub", 'must be a list, but is the text "hub/"', "write it as a list: [hub/]")),
    ("hub: []", ("spec.hub", "must not be empty", "fill it in, or leave the key out")),
    ("placement: 5", ("spec.placement", "must be a list, but is the number 5", "")),
    ("maxHubBytes: 0", ("spec.maxHubBytes", "must be more than 0, but is 0", "")),
    ("maxHubBytes: 10000000000",
     ("spec.maxHubBytes", "must be at most 1,000,000,000, but is 10,000,000,000", "")),
    ("maxHubBytes: '5'", ("spec.maxHubBytes", 'must be a whole number, but is the text "5"', "")),
    ("maxHubBytes: true", ("spec.maxHubBytes", "must be a whole number, but is true", "")),
    ("layout: spokes",
     ("spec.layout", 'must be one of object, spoke, but is the text "spokes"',
      'did you mean "spoke"?')),
    ("layot: spoke", ("spec.layot", 'unknown key "layot"', 'did you mean "layout"?')),
    ("max_hub_bytes: 5",
     ("spec.max_hub_bytes", 'unknown key "max_hub_bytes"', 'did you mean "maxHubBytes"?')),
    ("policiesToSync: [{group: kuadrant.io}]",
     ("spec.policiesToSync[0]", "one of kind or resource is required",
      "add the one that you mean")),
    ("policiesToSync: [{kind: A, resource: as}]",
     ("spec.policiesToSync[0].resource", "kind and resource can't be set together",
      "keep one of kind or resource")),
    ("deletions: [{reason: none}]",
     ("spec.deletions[0]", "a deletion requires a ref, spokes, or both", "add ref or spokes")),
    ("deletions: [{spokes: [eu], lost: opens, reason: none}]",
     ("spec.deletions[0]", "a spoke can only go", "add the ref of the object that stays")),
    ("deletions: [{spokes: [eu]}]",
     ("spec.deletions[0].reason", 'the key "reason" is missing', "add reason: why it is accepted")),
    ("deletions: [{ref: api, reason: gone}]",
     ("spec.deletions[0].ref",
      'must be an object such as AuthPolicy/namespace/name; it is the text "api"', "")),
    ("delivery: {flux: {interval: soon}}",
     ("spec.delivery.flux.interval",
      'must be a duration such as 10m or 1h30m; it is the text "soon"', "")),
    ("delivery: {argo: {}}",
     ("spec.delivery.argo", 'unknown key "argo"', 'did you mean "argocd"?')),
)  # fmt: skip
def test_a_fleet_that_is_wrong(
    spec: str, problem: tuple[str, str, str], fleet_problems: Problems
) -> None:
    found = fleet_problems(f"spec:\n  {spec}\n")
    assert [(field, message, cure) for field, _, message, cure in found] == [problem]
    assert [line for _, line, _, _ in found] == [2]


@each("kuadrant.io/v1", "Kuadrant.io", "..", "a b", "a" * 254)
def test_a_group_is_a_dns_name(group: str, fleet_problems: Problems) -> None:
    text = "spec: {policiesToSync: [{group: '%s', kind: AuthPolicy}]}"
    ((path, *_),) = fleet_problems(text % group)
    assert path == "spec.policiesToSync[0].group"

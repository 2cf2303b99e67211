"""The carried CRDs: who chooses a release, what the newest says otherwise, what is in them."""

from typing import Any

from spokerender.judging.validation.bundled import find_bundled, read_release
from spokerender.judging.validation.crds import Server, read_crd, read_schemas
from spokerender.judging.validation.objects import validate
from spokerender.model import Origin, Ref
from spokerender.model.releases import (
    BundledRelease,
    find_product,
    find_releases,
    list_newest,
    list_releases,
    read_products,
)
from tests.support import cases, cyaml, each, rows_of

ROUTE = "{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: a}, spec: %s}"
LIMIT = "{apiVersion: kuadrant.io/v1, kind: RateLimitPolicy, metadata: {name: a}, spec: %s}"
AUTH = "{apiVersion: kuadrant.io/v1, kind: AuthPolicy, metadata: {name: a}, spec: %s}"
TARGET = "targetRef: {group: gateway.networking.k8s.io, kind: HTTPRoute, name: a}"
RETRY = "{rules: [{retry: {attempts: 2}}]}"
ANY = Server()


def told(text: str, server: Server = ANY, picked: str = "", own: Any = None) -> list[str]:
    """Code and message of every fault of an object."""
    value: dict[str, Any] = cyaml.safe_load(text)
    ref = Ref(value["apiVersion"].rpartition("/")[0], value["kind"], "b", "a")
    value["metadata"]["namespace"] = "b"
    crds = [(own, Origin("crds/own.yaml"))] if own else []
    releases = tuple(r for entry in picked.split() for r in find_releases(entry))
    known = read_schemas((), crds, {(ref.group, ref.kind)}, releases)
    return [
        f"{fault.finding.code} {fault.message}" for fault in validate(value, ref, known, server)
    ]


def own_crd(name: str) -> dict[str, Any]:
    """The CRD of HTTPRoute of a release, as a project would have it."""
    (release,) = find_releases(name)
    return find_bundled("gateway.networking.k8s.io", "HTTPRoute").crd(release)


def test_a_wrong_type_is_an_error_without_any_choice() -> None:
    spec = f"{{{TARGET}, limits: {{a: {{rates: [{{limit: ten, window: 1m}}]}}}}}}"
    (fault,) = told(LIMIT % spec)
    assert fault.startswith("SR2301 spec.limits.a.rates[0].limit: Invalid value")
    assert "must be of type integer" in fault


def test_a_broken_rule_is_an_error_without_any_choice() -> None:
    match = "{path: {type: PathPrefix, value: no-slash}}"
    (fault,) = told(ROUTE % f"{{rules: [{{matches: [{match}]}}]}}")
    assert fault.startswith("SR2303 spec.rules[0].matches[0].path")
    assert "value must be an absolute path" in fault


@cases(*rows_of(__file__, "a_field_that_only_the_newest_release_lacks_is_a_warning"))
def test_a_field_that_only_the_newest_release_lacks_is_a_warning(
    text: str, field: str, release: str
) -> None:
    message = f'SR2313 unknown field "{field}" in {release}, the newest CRDs that spokerender has'
    assert message in told(text)


@cases(*rows_of(__file__, "a_named_release_is_as_good_as_its_files"))
def test_a_named_release_is_as_good_as_its_files(
    server: list[str], picked: str, expected: list[str]
) -> None:
    """`retry` was a field of the experimental channel alone before v1.7."""
    assert [fault.split()[0] for fault in told(ROUTE % RETRY, Server(*server), picked)] == expected


@cases(*rows_of(__file__, "the_projects_own_crds_win"))
def test_the_projects_own_crds_win(server: list[str], picked: str, expected: list[str]) -> None:
    """The project's own CRD is of v1.4.1 standard, which lacks `retry`."""
    faults = told(ROUTE % RETRY, Server(*server), picked, own_crd("gateway-api@v1.4.1/standard"))
    assert [fault.split()[0] for fault in faults] == expected


@cases(*rows_of(__file__, "a_release_says_which_versions_it_serves"))
def test_a_release_says_which_versions_it_serves(
    version: str, kind: str, server: list[str], expected: str
) -> None:
    text = (
        f"{{apiVersion: gateway.networking.k8s.io/{version}, kind: {kind}, metadata: {{name: a}}}}"
    )
    codes = {fault.split()[0] for fault in told(text, Server(*server))} & {
        "SR2306",
        "SR2307",
        "SR2312",
    }
    assert codes & {"SR2306", "SR2307", "SR2312"} == ({expected} if expected else set())


def test_a_version_that_nobody_serves_is_told_with_those_that_are() -> None:
    text = "{apiVersion: kuadrant.io/v1beta7, kind: AuthPolicy, metadata: {name: a}}"
    (fault,) = told(text)
    assert (
        fault == "SR2312 v1beta7 is not a version of AuthPolicy.kuadrant.io that is known here (v1)"
    )


@cases(*rows_of(__file__, "the_releases_that_an_entry_means"))
def test_the_releases_that_an_entry_means(entry: str, releases: list[str]) -> None:
    assert list(map(str, find_releases(entry))) == releases


ALL = [release for product in read_products() for release in list_releases(product)]


@each(*ALL, ids=str)
def test_every_release_is_what_the_index_says(release: BundledRelease) -> None:
    crds = list(read_release(release))
    groups = {crd["spec"]["group"] for crd in crds}
    assert groups <= set(read_products()[release.product].groups)
    assert {find_product(group) for group in groups} == {release.product}
    annotations = [crd["metadata"].get("annotations") for crd in crds]
    assert all((row is not None) == bool(release.channel) for row in annotations)
    assert not any("description" in schema for crd in crds for schema in schemas(crd))


def schemas(crd: dict[str, Any]) -> list[dict[str, Any]]:
    """Every schema of a CRD, at any depth; names of properties are no schemas."""
    waiting = [row["schema"]["openAPIV3Schema"] for row in crd["spec"]["versions"]]
    reached: list[dict[str, Any]] = []
    while waiting:
        schema = waiting.pop()
        reached.append(schema)
        for key, below in schema.items():
            if key == "properties":
                waiting += below.values()
            elif key in ("items", "additionalProperties", "not") and isinstance(below, dict):
                waiting.append(below)
            elif key in ("allOf", "anyOf", "oneOf"):
                waiting += below
    return reached


@each(*list_newest(), ids=str)
def test_every_schema_of_the_newest_releases_can_be_used(release: BundledRelease) -> None:
    """No part of them is left out: each compiles, and each of its patterns is evaluated."""
    for crd in read_release(release):
        definition = read_crd(crd, Origin(str(release)), release)
        for version in definition.versions:
            schema = definition.schema(version)
            assert schema.constraints is not None
            assert schema.constraints.unevaluated == ()


def test_nothing_is_known_of_kinds_that_are_not_carried() -> None:
    assert find_bundled("example.com", "Thing").heads == {}
    assert find_bundled("kuadrant.io", "Unheard").heads == {}

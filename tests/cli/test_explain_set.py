"""`spokerender explain --set`, and near misses: each that is named is true."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings, strategies as st

from spokerender.adopting.assigning import assign, read_assignment
from tests.cli.project import Shell
from tests.support import cases, cyaml, each, text_of

GATEWAYS = text_of(__file__, "explain_set_gateways.yaml")
ROUTE = text_of(__file__, "explain_set_route.txt")
ROUTES = "{group: gateway.networking.k8s.io, kind: HTTPRoute}"
AUTH = "{group: kuadrant.io, kind: AuthPolicy}"
NOT_CORE = "{key: tier, operator: NotIn, values: [core]}"
WEB = "{gateways: {names: [infra/web]}, spokes: %s, optional: true}"


def project(
    kinds: str = f"{ROUTES}, {AUTH}",
    rules: str = WEB % "{selector: {matchLabels: {tier: edge}}}",
    parent: str = "web",
    target: str = "shop",
    labels: str = "{tier: core}",
) -> dict[str, str]:
    """A project with two spokes, of which `a` has these labels."""
    head = "apiVersion: spokerender.io/v1alpha1\n"
    return {
        "fleet.yaml": f"{head}kind: Fleet\nspec:\n  policiesToSync: [{kinds}]\n",
        "placement.yaml": f"{head}kind: Placement\nmetadata: {{name: all}}\nspec:\n"
        f"  spokes:\n    - {{name: a, labels: {labels}}}\n    - {{name: b, labels: {{x: z}}}}\n"
        f"  rules: [{rules}]\n",
        "hub/gateways.yaml": GATEWAYS,
        "hub/routes.yaml": ROUTE % (parent, target),
    }


def near_misses(shell: Shell, ref: str, spoke: str = "a") -> list[dict[str, Any]]:
    """The near misses of an object on a spoke."""
    done = shell.run("explain", ref, "--spoke", spoke, "--format", "json")
    absences = json.loads(done.out)["notShipped"]
    return [miss for absence in absences for miss in absence["nearMisses"]]


@cases(
    ({}, "gateway/infra/web", "a had label tier=edge", ["spokes.a.labels.tier=edge"]),
    ({}, "authpolicy/shop/shop", "a had label tier=edge", ["spokes.a.labels.tier=edge"]),
    ({"rules": WEB % "{selector: {matchExpressions: [%s]}}" % NOT_CORE}, "gateway/infra/web",
     "a had no label tier", ["spokes.a.labels.tier=null"]),
    ({"rules": WEB % "{selector: {matchExpressions: [{key: z.io/q, operator: Exists}]}}"},
     "httproute/shop/shop", "a had label z.io/q=true", [r'spokes.a.labels.z\.io/q="true"']),
    ({"rules": WEB % "{names: [b]}"}, "gateway/infra/web", "named a", ["rules.0.spokes.names.+=a"]),
    ({"rules": WEB % "{all: true}", "kinds": ROUTES}, "authpolicy/shop/shop",
     "fleet.yaml listed the kind AuthPolicy", [f"fleet.policiesToSync.+={AUTH}"]),
    ({"kinds": ROUTES}, "authpolicy/shop/shop", "a had label tier=edge",
     ["spokes.a.labels.tier=edge", f"fleet.policiesToSync.+={AUTH}"]),
)  # fmt: skip
def test_the_nearest_miss(
    changes: dict[str, str], ref: str, words: str, options: list[str], empty: Shell
) -> None:
    empty.write(project(**changes))
    first, *_ = near_misses(empty, ref)
    assert words in first["if"]
    assert first["set"] == options
    text = empty.run("explain", ref, "--spoke", "a").out
    for option in options:
        assert f"try --set {shlex.quote(option)}" in text
    named = [part for option in options for part in ("--set", option)]
    assert (
        '"notShipped": []'
        in empty.run("explain", ref, "--spoke", "a", *named, "--format", "json").out
    )


def test_a_target_that_is_not_there_is_named_with_the_one_that_may_be_meant(empty: Shell) -> None:
    empty.write(project(rules=WEB % "{all: true}", parent="wep"))
    first, *_ = near_misses(empty, "httproute/shop/shop")
    assert "named Gateway infra/web in spec.parentRefs[0].name, not wep" in first["if"]


@each("{a: b, c: d, e: f, g: h}")
def test_what_is_far_away_is_no_near_miss(labels: str, empty: Shell) -> None:
    empty.write(project(rules=WEB % f"{{selector: {{matchLabels: {labels}}}}}"))
    assert near_misses(empty, "gateway/infra/web") == []


def test_changes_without_an_object(empty: Shell) -> None:
    empty.write(project())
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    assert "Gateway infra/web" in empty.succeed("explain", "--set", "spokes.a.labels.tier=edge").out
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before


def test_a_value_that_the_project_does_not_take(empty: Shell) -> None:
    empty.write(project())
    done = empty.run("explain", "--set", "spokes.a.labels.tier=[1]")
    assert done.status == 2
    assert "placement.yaml" in done.err


def test_fleet_means_the_fleet_file_whatever_a_placement_is_called(empty: Shell) -> None:
    """`init` calls both so."""
    files = project()
    files["placement.yaml"] = files["placement.yaml"].replace("name: all", "name: fleet")
    empty.write(files)
    empty.succeed("explain", "--set", "fleet.layout=spoke")
    done = empty.run("explain", "--set", "fleet.layouts=spoke")
    assert (done.status, 'did you mean "layout"?' in done.err) == (2, True)


KEYS = st.sampled_from(["tier", "env", "z.io/q"])
VALUES = st.sampled_from(["edge", "core", "1"])
LABELS = st.dictionaries(KEYS, VALUES, max_size=2)
EXPRESSIONS = st.lists(
    st.one_of(
        st.fixed_dictionaries(
            {
                "key": KEYS,
                "operator": st.sampled_from(["In", "NotIn"]),
                "values": st.lists(VALUES, min_size=1, max_size=2),
            }
        ),
        st.fixed_dictionaries(
            {"key": KEYS, "operator": st.sampled_from(["Exists", "DoesNotExist"])}
        ),
    ),
    max_size=2,
)
SPOKES = st.one_of(
    st.fixed_dictionaries(
        {
            "selector": st.fixed_dictionaries(
                {"matchLabels": LABELS, "matchExpressions": EXPRESSIONS}
            )
        },
        optional={"except": st.just(["a"])},
    ),
    st.just({"names": ["b"]}),
    st.just({"all": True, "except": ["a"]}),
)


@pytest.mark.property
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rules=st.lists(SPOKES, min_size=1, max_size=2),
    kinds=st.sampled_from([ROUTES, AUTH, f"{ROUTES}, {AUTH}"]),
    labels=LABELS,
    parent=st.sampled_from(["web", "wep", "inner"]),
    target=st.sampled_from(["shop", "shob"]),
    ref=st.sampled_from(["gateway/infra/web", "httproute/shop/shop", "authpolicy/shop/shop"]),
)
def test_every_near_miss_that_is_named_is_true(  # noqa: PLR0913, PLR0917  (an argument for each part)
    empty: Shell,
    rules: list[dict[str, Any]],
    kinds: str,
    labels: dict[str, str],
    parent: str,
    target: str,
    ref: str,
) -> None:
    """Made so in the files by hand, and built, the spoke has the object."""
    written = ", ".join(WEB % json.dumps(rule) for rule in rules)
    files = project(kinds, written, parent, target, json.dumps(labels))
    empty.write(files)
    done = empty.run("explain", ref, "--spoke", "a", "--format", "json")
    if done.status != 0 and "notShipped" not in done.out:
        return
    kind, namespace, _ = ref.split("/")
    for absence in json.loads(done.out)["notShipped"]:
        for miss in absence["nearMisses"]:
            apply(files, miss)
            again = empty.run("explain", ref, "--spoke", "a", "--format", "json")
            assert json.loads(again.out)["notShipped"] == [], miss
            if empty.run("check", "--only", "policies").status != 2:  # no error stood in the way
                place = f"# a/{namespace}/{kind}"
                assert place in empty.run("build", "-o", "-").out, miss


def apply(files: dict[str, str], miss: dict[str, Any]) -> None:
    """Write the files as a near miss would have them."""
    own = [(path, text.encode()) for path, text in files.items() if "hub" not in path]
    edited = {path: text.encode() for path, text in files.items()}
    edited |= assign(own, [read_assignment(text) for text in miss["set"]])
    for edit in miss["edits"]:
        path = edit["origin"]["path"]
        hub = list(cyaml.safe_load_all(edited[path]))
        if not edit["path"]:
            hub.append(edit["value"])
        else:
            _put(hub[edit["origin"]["index"]], edit["path"], edit["value"])
        edited[path] = yaml.safe_dump_all(hub).encode()
    for path, data in edited.items():
        Path(path).write_bytes(data)


def _put(data: Any, path: list[str | int], value: Any) -> None:
    for step in path[:-1]:
        data = data.setdefault(step, {}) if isinstance(data, dict) else data[step]
    if isinstance(data, list) and path[-1] == len(data):
        data.append(value)
    else:
        data[path[-1]] = value


def unattached(shell: Shell, ref: str) -> list[dict[str, Any]]:
    """What `explain` says of routes on the object's way that attach nowhere on `a`."""
    done = shell.run("explain", ref, "--spoke", "a", "--format", "json")
    answer: list[dict[str, Any]] = json.loads(done.out)["unattached"]
    return answer


def attaching(
    allowed: str = "namespaces: {from: All}", host: str = "", route: str = "[]", section: str = ""
) -> dict[str, str]:
    """A project where the route of a policy may or may not attach."""
    files = project(rules=WEB % "{all: true}")
    name = f"hostname: {json.dumps(host)}, " if host else ""
    files["hub/gateways.yaml"] = GATEWAYS.replace(
        "allowedRoutes: {namespaces: {from: All}}", f"{name}allowedRoutes: {{{allowed}}}"
    )
    parent = f"{{name: web, namespace: infra{f', sectionName: {section}' if section else ''}}}"
    files["hub/routes.yaml"] = files["hub/routes.yaml"].replace(
        "parentRefs: [{name: web, namespace: infra}]",
        f"hostnames: {route}\n  parentRefs: [{parent}]",
    )
    return files


@cases(
    (attaching("namespaces: {from: Same}"), "NotAllowedByListeners",
     "listener http of Gateway infra/web took routes of namespace shop"),
    (attaching(""), "NotAllowedByListeners", "(allowedRoutes.namespaces.from: All)"),
    (attaching("namespaces: {from: All}, kinds: [{kind: GRPCRoute}]"), "NotAllowedByListeners",
     "took HTTPRoutes (allowedRoutes.kinds)"),
    (attaching(host="*.example.com", route="[a.example.org]"), "NoMatchingListenerHostname",
     "had the hostname a.example.com"),
    (attaching("", "www.example.com", "[a.example.com]"), "NoMatchingListenerHostname",
     "namespaces.from: All), and HTTPRoute shop/shop had the hostname www.example.com"),
    (attaching(section="htp"), "NoMatchingParent", "named the listener http of Gateway infra"),
)  # fmt: skip
@each("httproute/shop/shop", "authpolicy/shop/shop")
def test_a_route_that_does_not_attach_is_named_with_what_would_attach_it(
    ref: str, files: dict[str, str], reason: str, condition: str, empty: Shell
) -> None:
    empty.write(files)
    (item,) = unattached(empty, ref)
    assert (item["resourceRef"]["kind"], item["reason"]) == ("HTTPRoute", reason)
    first, *_ = item["nearMisses"]
    assert condition in first["if"]
    text = empty.run("explain", ref).out
    assert "HTTPRoute shop/shop does not attach because no listener of Gateway infra/web" in text
    assert f"would attach on a if {first['if']}" in text


@pytest.mark.property
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    allowed=st.sampled_from(
        [
            "",
            "namespaces: {from: All}",
            "namespaces: {from: All}, kinds: [{kind: TLSRoute}]",
            "kinds: [{kind: GRPCRoute}]",
            "namespaces: {from: Selector, selector: {matchLabels: {team: x}}}",
        ]
    ),
    host=st.sampled_from(["", "*.example.com", "a.example.com"]),
    route=st.sampled_from(["[]", "[a.example.com]", "[b.c.example.org, d.example.net]"]),
    section=st.sampled_from(["", "http", "htp", "other"]),
)
def test_every_edit_that_is_named_attaches_the_route(
    empty: Shell, allowed: str, host: str, route: str, section: str
) -> None:
    """Made so in the files by hand, the route attaches."""
    files = attaching(allowed, host, route, section)
    empty.write(files)
    for item in unattached(empty, "authpolicy/shop/shop"):
        for miss in item["nearMisses"]:
            apply(files, miss)
            assert unattached(empty, "authpolicy/shop/shop") == [], miss


def granting(certificate: str = "", backend: str = "", as_: str = "") -> dict[str, str]:
    """A project whose Gateway and route may name a Secret and a Service of other namespaces."""
    files = project(rules=WEB % f"{{all: true}}{f', as: {as_}' if as_ else ''}")
    if certificate:
        tls = f"tls: {{certificateRefs: [{{name: tls, namespace: {certificate}}}]}}, "
        files["hub/gateways.yaml"] = GATEWAYS.replace(
            "port: 80, protocol: HTTP, ", f"port: 443, protocol: HTTPS, {tls}", 1
        )
    if backend:
        files["hub/routes.yaml"] = files["hub/routes.yaml"].replace(
            "parentRefs: [{name: web, namespace: infra}]",
            "parentRefs: [{name: web, namespace: infra}]\n"
            f"  rules: [{{backendRefs: [{{name: shop, namespace: {backend}, port: 80}}]}}]",
        )
    return files


def unpermitted(shell: Shell, ref: str) -> list[dict[str, Any]]:
    """What `explain` says of references on the object's way that no ReferenceGrant permits."""
    done = shell.run("explain", ref, "--spoke", "a", "--format", "json")
    answer: list[dict[str, Any]] = json.loads(done.out)["unpermitted"]
    return answer


@cases(
    (granting("certs"), "Gateway infra/web", "Secret certs/tls"),
    (granting(backend="back"), "HTTPRoute shop/shop", "Service back/shop"),
)
def test_a_missing_grant_is_named_with_the_one_that_would_do(
    files: dict[str, str], referrer: str, referent: str, empty: Shell
) -> None:
    empty.write(files)
    text = " ".join(empty.run("explain", "authpolicy/shop/shop").out.split())
    assert f"{referrer} may not name {referent} in spec." in text
    assert "would be permitted on a if the hub had ReferenceGrant" in text
    assert "kind: ReferenceGrant" in text
    (item,) = unpermitted(empty, "authpolicy/shop/shop")
    assert item["nearMisses"][0]["edits"][0]["path"] == []


def test_what_is_of_one_namespace_needs_no_grant(empty: Shell) -> None:
    empty.write(granting("infra", "shop"))
    assert unpermitted(empty, "authpolicy/shop/shop") == []


@pytest.mark.property
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    certificate=st.sampled_from(["", "certs", "infra", "back"]),
    backend=st.sampled_from(["", "back", "shop", "infra"]),
    as_=st.sampled_from(["", "{name: edge}", "{namespace: outside}"]),
    ref=st.sampled_from(["gateway/infra/web", "httproute/shop/shop", "authpolicy/shop/shop"]),
)
def test_every_grant_that_is_named_permits_the_reference(
    empty: Shell, certificate: str, backend: str, as_: str, ref: str
) -> None:
    """Added to the files by hand, no reference is left that is not permitted."""
    files = granting(certificate, backend, as_)
    empty.write(files)
    items = unpermitted(empty, ref)
    for item in items:
        for miss in item["nearMisses"]:
            apply(files, miss)
            files |= {path: Path(path).read_text() for path in files}
    left = {(item["resourceRef"]["kind"], item["field"]) for item in unpermitted(empty, ref)}
    kept = {(i["resourceRef"]["kind"], i["field"]) for i in items if not i["nearMisses"]}
    assert left == kept

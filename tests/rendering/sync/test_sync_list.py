"""Which kinds go with which Gateway, from the GatewayClasses and from fleet.yaml."""

from textwrap import indent

from spokerender.model import Origin
from spokerender.rendering.sync import read_sync_list
from spokerender.rendering.values.placement import SyncList
from spokerender.topology.hub import read_hub
from spokerender.wings.combined import read_fleet
from tests.support import cases, each, manifest
from tests.support.stages import fleet, gateway, hub, told

AUTH, DNS = ("kuadrant.io", "AuthPolicy"), ("kuadrant.io", "DNSPolicy")
BOTH_LISTED = (
    "downstreamClass: istio\npoliciesToSync:\n"
    "- {group: kuadrant.io, kind: AuthPolicy}\n- {group: kuadrant.io, kind: DNSPolicy}"
)


def gateway_class(name: str, params: str | None) -> str:
    """A class, with its own parameters if there are any."""
    text = (
        "apiVersion: gateway.networking.k8s.io/v1\nkind: GatewayClass\n"
        f"metadata: {{name: {name}}}\nspec:\n  controllerName: a.example/b\n"
    )
    if params is None:
        return text
    return (
        f"{text}  parametersRef: {{group: '', kind: ConfigMap, name: {name}, namespace: infra}}\n"
        f"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, namespace: infra}}\n"
        f"data:\n  params: |\n{indent(params, '    ')}\n"
    )


def of_class(name: str, gateway_class_name: str) -> str:
    return gateway(name).replace("gatewayClassName: hub", f"gatewayClassName: {gateway_class_name}")


def asked(*documents: str, listed: str = "") -> SyncList:
    settings = fleet(f"policiesToSync: {listed}") if listed else None
    spec = read_fleet(("fleet.yaml", settings.encode()) if settings else None).model.spec
    found = read_hub([("hub/a.yaml", hub(*documents).encode())])
    return read_sync_list(found, spec.policies_to_sync, lambda *_: Origin("fleet.yaml"))


def test_each_gateway_has_the_kinds_and_the_spoke_class_of_its_class() -> None:
    sync = asked(
        of_class("a", "one"),
        of_class("b", "two"),
        gateway_class("one", BOTH_LISTED),
        gateway_class("two", "policiesToSync: [{group: kuadrant.io, kind: AuthPolicy}]"),
    )
    assert told(sync.results) == []
    assert {name: sync.kinds(name) for name in ("one", "two", "stranger")} == {
        "one": {AUTH, DNS},
        "two": {AUTH},
        "stranger": set(),
    }
    assert {name: sync.spoke_class(name) for name in ("one", "two", "stranger")} == {
        "one": "istio",
        "two": "two",
        "stranger": "stranger",
    }
    assert sync.own_classes == {"one", "two"}
    assert DNS in sync.listed_anywhere
    assert ("kuadrant.io", "TLSPolicy") not in sync.listed_anywhere


def test_the_list_of_fleet_yaml_adds_to_every_class() -> None:
    sync = asked(
        of_class("a", "one"),
        of_class("b", "two"),
        gateway_class("one", "policiesToSync: [{group: kuadrant.io, kind: AuthPolicy}]"),
        gateway_class("two", None),
        listed="[{group: kuadrant.io, resource: dnspolicies}]",
    )
    assert told(sync.results) == []
    assert [sync.kinds("one"), sync.kinds("two")] == [{AUTH, DNS}, {DNS}]
    assert sync.own_classes == {"one"}


def test_with_a_list_in_fleet_yaml_the_class_may_be_absent() -> None:
    sync = asked(of_class("a", "absent"), listed="[{group: kuadrant.io, kind: AuthPolicy}]")
    assert told(sync.results) == []
    assert sync.kinds("absent") == {AUTH}


def test_without_a_list_in_fleet_yaml_the_class_must_be_there() -> None:
    sync = asked(of_class("a", "absent"), of_class("b", "absent"))
    assert told(sync.results) == [
        (
            'SR1307 Gateway infra/a spec.gatewayClassName: GatewayClass "absent" is not in the '
            "hub, so nothing says which kinds to sync (add the GatewayClass with its parameters, "
            "or list the kinds in fleet.yaml under spec.policiesToSync)"
        )
    ]
    assert [result.origin for result in sync.results] == [Origin("hub/a.yaml")]


def test_a_class_that_no_gateway_names_is_not_read() -> None:
    sync = asked(
        of_class("a", "one"),
        gateway_class("one", BOTH_LISTED),
        gateway_class("other", "nonsense: true"),
    )
    assert told(sync.results) == []
    assert sync.own_classes == {"one"}


NOTHING = (
    "no GatewayClass and no fleet.yaml lists a policy kind to sync (list kinds under "
    "`policiesToSync` in the GatewayClass's parameters or in fleet.yaml)"
)


@each(None, "downstreamClass: istio", "policiesToSync: []")
def test_nothing_listed_anywhere_is_an_error(params: str | None) -> None:
    sync = asked(of_class("a", "one"), gateway_class("one", params))
    assert told(sync.results) == [f"SR1301 GatewayClass one: {NOTHING}"]


def test_a_hub_without_gateways_has_nothing_that_a_list_would_be_for() -> None:
    sync = asked("{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: b}}\n")
    assert told(sync.results) == []


def test_parameters_that_are_wrong_are_told_and_not_also_called_empty() -> None:
    sync = asked(
        of_class("a", "one"), gateway_class("one", "policiesToSync: [{group: x, kind: Z}]")
    )
    assert [result.code for result in sync.results] == ["SR1304"]


def test_a_kind_that_nobody_knows_in_fleet_yaml_is_an_error() -> None:
    sync = asked(
        of_class("a", "one"),
        gateway_class("one", BOTH_LISTED),
        listed="[{group: kuadrant.io, kind: AuthPolcy}]",
    )
    assert told(sync.results) == [
        (
            'SR1304 spec.policiesToSync[0]: nobody knows kind "AuthPolcy" of group "kuadrant.io" '
            '(did you mean "AuthPolicy.kuadrant.io"?)'
        )
    ]
    assert [result.origin for result in sync.results] == [Origin("fleet.yaml")]


def test_a_kind_that_only_the_hub_has_may_be_listed() -> None:
    sync = asked(
        of_class("a", "one"),
        gateway_class("one", "policiesToSync: [{group: example.com, kind: Strange}]"),
        "{apiVersion: example.com/v1, kind: Strange, metadata: {name: a, namespace: b}}\n",
    )
    assert told(sync.results) == []
    assert sync.kinds("one") == {("example.com", "Strange")}


@cases(("", ["SR1302"]), ("[{group: kuadrant.io, kind: AuthPolicy}]", []))
def test_parameters_of_another_controller_need_a_list_in_fleet_yaml(
    listed: str, code: list[str]
) -> None:
    foreign = gateway_class("one", None) + (
        "  parametersRef: {group: gateway.envoyproxy.io, kind: EnvoyProxy, name: a, namespace: b}\n"
    )
    sync = asked(of_class("a", "one"), foreign, listed=listed)
    assert [result.code for result in sync.results] == code


@each("RateLimitPolicy", "{kind: RateLimitPolicy}")
def test_of_several_groups_the_hub_s_is_meant(entry: str) -> None:
    """Three vendors have a kind of that name; the hub has objects of one of them."""
    limits = manifest("RateLimitPolicy b/a", api="gateway.nginx.org/v1alpha1")
    sync = asked(gateway("web"), limits, listed=f"[{entry}]")
    (result,) = [each for each in sync.results if each.code == "SR1304"]
    assert result.cure == "write {group: gateway.nginx.org, kind: RateLimitPolicy}"

"""Random changes of hubs: those that a pull request makes, in one or two places."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import partial
from random import Random
from typing import Any

from tests.live.changes_of_objects import OF_OBJECTS
from tests.live.changes_of_parts import LATER, PARTS
from tests.live.changes_of_policies import OF_POLICIES
from tests.live.changes_that_keep import THAT_KEEP
from tests.live.choosing import NothingThereError, choose, of
from tests.live.envoy_requests import NEW
from tests.live.hub_policies import FEATURES, LABELS, policy
from tests.live.hub_routes import HOSTNAMES, NAMESPACES, ROUTES, parent_ref, route, rule
from tests.live.hubs import grant, listener, merge_gateways

Json = dict[str, Any]
Hub = list[Json]
_POLICIES = tuple(FEATURES)
_HOLDERS = ("Gateway", "ListenerSet")
_KEPT = ("GatewayClass", "Namespace", "Service", "EndpointSlice", "EnvoyProxy")
LATEST = "2026-01-03T00:00:00Z"
"""When objects come that a change taken back brings again."""
Change = Callable[[Random, Hub], bool]
"""Changes a hub in place; False where it has nothing of this sort."""


def change(random: Random, hub: Hub) -> tuple[Hub, str]:
    """A hub after one to three changes, and their names."""
    hub = deepcopy(hub)
    names: list[str] = []
    count = random.choice((1, 1, 1, 1, 2, 2, 3))
    while len(names) < count:
        each, after = random.choice(CHANGES), deepcopy(hub)
        if _apply(each, random, after) and after != hub and _is_possible(after):
            names.append(each.__name__.strip("_"))
            hub = after
    return hub, " and ".join(names)


def _apply(each: Change, random: Random, hub: Hub) -> bool:
    try:
        return each(random, hub)
    except NothingThereError:
        return False


def turn_round(before: Hub, after: Hub) -> tuple[Hub, Hub]:
    """Take a change back: what it took away comes, and is the youngest of all."""
    left = {_name(one) for one in after}
    came = [deepcopy(one) for one in before]
    for one in came:
        if _name(one) not in left and "creationTimestamp" in one["metadata"]:
            one["metadata"]["creationTimestamp"] = LATEST
    return after, came


def _name(one: Json) -> tuple[str, str | None, str]:
    return one["kind"], one["metadata"].get("namespace"), one["metadata"]["name"]


def _is_possible(hub: Hub) -> bool:
    """Tell whether no two objects have one name, and some Gateway is left."""
    names = [*map(_name, hub)]
    return len(names) == len(set(names)) and bool(of(hub, "Gateway"))


def _remove_object(random: Random, hub: Hub) -> bool:
    hub.remove(random.choice([one for one in hub if one["kind"] not in _KEPT]))
    return True


def _remove_policy(random: Random, hub: Hub) -> bool:
    hub.remove(choose(random, of(hub, *_POLICIES)))
    return True


def _remove_route(random: Random, hub: Hub) -> bool:
    hub.remove(choose(random, of(hub, *ROUTES)))
    return True


def _add_policy(random: Random, hub: Hub) -> bool:
    new = policy(random, random.randrange(20, 90), of(hub, *_HOLDERS, *ROUTES))
    new["metadata"]["creationTimestamp"] = LATER
    hub.append(new)
    return True


def _add_route(random: Random, hub: Hub) -> bool:
    new = route(random, 9, of(hub, *_HOLDERS))
    if random.random() < 0.6 and (others := of(hub, new["kind"])):
        # It is for requests that another one takes.
        other = random.choice(others)
        new["spec"] = deepcopy(other["spec"])
        new["metadata"]["namespace"] = other["metadata"]["namespace"]
    new["metadata"]["creationTimestamp"] = LATER
    hub.append(new)
    return True


def _add_grant(random: Random, hub: Hub) -> bool:
    hub.append(grant(random, 9))
    return True


def _edit_feature(random: Random, hub: Hub) -> bool:
    """Take a feature from a policy, or give it another."""
    one = choose(random, of(hub, *_POLICIES))
    spec = one["spec"]
    own = [key for key in spec if key not in _NOT_FEATURES]
    if len(own) > 1 and random.random() < 0.5:
        del spec[random.choice(own)]
        return True
    number, make = random.choice(list(enumerate(FEATURES[one["kind"]])))
    first = 10 * [*FEATURES].index(one["kind"]) + number
    spec.update(make(random, 20000 + 100 * first + random.randrange(20, 90)))
    return True


_NOT_FEATURES = ("targetRef", "targetRefs", "targetSelectors", "mergeType", "type", "priority")


def _edit_value(random: Random, hub: Hub) -> bool:
    """Change one value in a policy: a number, a mode, a list."""
    one = choose(random, of(hub, "SecurityPolicy", "BackendTrafficPolicy", "ClientTrafficPolicy"))
    own = {key: value for key, value in one["spec"].items() if key not in _NOT_FEATURES}
    edits = list(_list_edits(own))
    if edits:
        random.choice(edits)()
        one["spec"].update(own)
    return bool(edits)


def _list_edits(value: Any) -> Iterator[Callable[[], None]]:  # noqa: C901, PLR0912  (a case each)
    if isinstance(value, list):
        for item in value:
            yield from _list_edits(item)
        if len(value) > 1:
            yield value.reverse
            yield value.pop
    if not isinstance(value, dict):
        return
    for key, item in value.items():
        yield from _list_edits(item)
        if isinstance(item, int) and not isinstance(item, bool):
            yield partial(value.update, {key: item * 2})
            yield partial(value.update, {key: max(1, item // 2)})
    for key, new in _EDITS:
        if key in value and "authorizationEndpoint" not in value:
            yield partial(value.update, {key: deepcopy(new)})
    if "providers" in value:
        yield lambda: value.update(optional=True)
        yield lambda: value["providers"].append({**value["providers"][0], "name": "more"})
        yield lambda: value["providers"][0].update(audiences=["one"])
    if "backendRefs" in value:
        yield lambda: value.update(backendRefs=[{**value["backendRefs"][0], "name": "gone"}])
    if "backendRefs" in str(value.get("grpc") or value.get("http")):
        yield lambda: value.update(failOpen=True)
    if "defaultAction" in value:
        yield lambda: value["rules"].append({"action": "Deny", "principal": _PRINCIPAL})
        yield lambda: value["rules"].insert(0, {"action": "Allow", "principal": _PRINCIPAL})
    if "limit" in value and "clientSelectors" in value:
        yield lambda: value.pop("clientSelectors")


_PRINCIPAL = {"clientCIDRs": ["10.9.0.0/16"]}
_EDITS: tuple[tuple[str, Any], ...] = (
    ("defaultAction", "Allow"),
    ("clientCIDRs", ["10.0.0.0/8"]),
    ("clientCIDRs", ["10.0.0.0/28"]),
    ("clientCIDRs", ["10.0.0.0/24", "192.168.0.0/16"]),
    ("unit", "Minute"),
    ("unit", "Day"),
    ("requests", 7),
    ("allowOrigins", ["*"]),
    ("issuer", "https://other.example"),
    ("clientID", "you"),
)


def _edit_targets(random: Random, hub: Hub) -> bool:
    """Point a policy at something else, or at a part, or at less."""
    one = choose(random, of(hub, *_POLICIES))
    spec = one["spec"]
    references = [
        *spec.get("targetRefs", ()),
        *([spec["targetRef"]] if "targetRef" in spec else ()),
    ]
    if "targetSelectors" in spec and (not references or random.random() < 0.5):
        selector = random.choice(spec["targetSelectors"])
        selector.pop("matchExpressions", None)
        selector["matchLabels"] = random.choice(LABELS[:2])
        return True
    reference = random.choice(references)
    others = of(hub, reference["kind"])
    how = random.randrange(4)
    if how == 0 and len(spec.get("targetRefs", ())) > 1:
        spec["targetRefs"].remove(reference)
    elif how == 1 and "sectionName" in reference:
        del reference["sectionName"]
    elif how == 2 and others:
        target = random.choice(others)
        parts = target["spec"].get("rules") or target["spec"].get("listeners") or ()
        names = [part["name"] for part in parts if "name" in part]
        if names:
            reference["sectionName"] = random.choice(names)
    elif others:
        reference["name"] = random.choice(others)["metadata"]["name"]
    return True


def _edit_merging(random: Random, hub: Hub) -> bool:
    one = choose(random, of(hub, "SecurityPolicy", "BackendTrafficPolicy"))
    new = random.choice((None, "StrategicMerge", "JSONMerge"))
    spec = one["spec"]
    references = [*spec.get("targetRefs", ()), *spec.get("targetSelectors", ())]
    references += [spec["targetRef"]] if "targetRef" in spec else []
    if new is None or not all(item["kind"].endswith("Route") for item in references):
        return spec.pop("mergeType", None) is not None
    spec["mergeType"] = new
    return True


def _write_targets_otherwise(random: Random, hub: Hub) -> bool:
    one = choose(random, [each for each in of(hub, *_POLICIES) if "targetRefs" in each["spec"]])
    if one["kind"] == "BackendTLSPolicy":
        return False
    references = one["spec"]["targetRefs"]
    if len(references) > 1:
        references.reverse()
        return True
    if "targetSelectors" in one["spec"]:
        return False
    one["spec"]["targetRef"] = one["spec"].pop("targetRefs")[0]
    return True


def _edit_rules(random: Random, hub: Hub) -> bool:
    """Change the rules of a route: fewer, more, in another order, with other names."""
    one = choose(random, of(hub, *ROUTES))
    rules = one["spec"]["rules"]
    how = random.randrange(6)
    if how == 0 and len(rules) > 1:
        rules.remove(random.choice(rules))
    elif how == 1 and len(rules) > 1:
        rules.reverse()
    elif how == 2:
        random.choice(rules)["name"] = "renamed"
    elif how == 3:
        random.choice(rules).pop("name", None)
    elif how == 4 and one["kind"] == "HTTPRoute":
        new = rule(random, one["kind"], one["metadata"]["name"], len(rules))
        rules.insert(random.randrange(len(rules) + 1), new | {"name": "added"})
    else:
        random.choice(rules)["backendRefs"] = rule(random, one["kind"], "r", 1).get(
            "backendRefs", []
        )
    return True


def _edit_matches(random: Random, hub: Hub) -> bool:
    """Let a rule of a route be for other requests: more, fewer, or those of another rule."""
    one = choose(random, of(hub, "HTTPRoute"))
    rules = [each for each in one["spec"]["rules"] if each.get("matches")]
    every = (rule for each in of(hub, "HTTPRoute") for rule in each["spec"]["rules"])
    others = [one for rule in every for one in rule.get("matches", ()) if "path" in one]
    match = random.choice(choose(random, rules)["matches"])
    how = random.randrange(4)
    if how == 0:
        match["path"] = {"type": "PathPrefix", "value": random.choice(("/", "/r0", "/r1/0"))}
    elif how == 1:
        match["path"] = deepcopy(choose(random, others)["path"])
    elif how == 2:
        for key in ("headers", "method", "queryParams"):
            match.pop(key, None)
    else:
        match["method"] = random.choice(("GET", "POST"))
    return True


def _edit_hostnames(random: Random, hub: Hub) -> bool:
    one = choose(random, of(hub, "HTTPRoute", "GRPCRoute", "TLSRoute"))
    names = set(one["spec"].get("hostnames", ()))
    if names and random.random() < 0.5:
        names.discard(random.choice(sorted(names)))
    else:
        names.add(random.choice(HOSTNAMES[2:]))
    if names:
        one["spec"]["hostnames"] = sorted(names, reverse=random.random() < 0.3)
    elif one["kind"] != "TLSRoute":
        one["spec"].pop("hostnames", None)
    return True


def _edit_parents(random: Random, hub: Hub) -> bool:
    one = choose(random, of(hub, *ROUTES))
    references = one["spec"]["parentRefs"]
    how = random.randrange(3)
    if how == 0 and len(references) > 1:
        references.remove(random.choice(references))
    elif how == 1:
        reference = random.choice(references)
        if len(references) == 1 and "sectionName" in reference:
            del reference["sectionName"]
    else:
        parent = random.choice(of(hub, *_HOLDERS))
        one["spec"]["parentRefs"] = [parent_ref(random, parent, one["metadata"]["namespace"])]
    return True


def _edit_listener(random: Random, hub: Hub) -> bool:
    """Change a listener of a Gateway or ListenerSet; it goes, or another one comes."""
    one = random.choice(of(hub, *_HOLDERS))
    listeners = one["spec"]["listeners"]
    each, new = random.choice(listeners), listener(random, "other")
    how = random.randrange(7)
    if how == 0 and len(listeners) > 1:
        listeners.remove(each)
    elif how == 1:
        listeners.append(new)
    elif how == 2 and each["protocol"] not in ("TCP", "UDP"):
        hostname = random.choice(HOSTNAMES)
        each.pop("hostname", None)
        each.update({"hostname": hostname} if hostname else {})
    elif how == 3:
        each["allowedRoutes"]["namespaces"] = new["allowedRoutes"]["namespaces"]
    elif how == 4:
        each["name"] = "renamed"
    elif how == 5:
        listeners.reverse()
    else:
        each.update(new | {"name": each["name"]})
        for key in ("hostname", "tls"):
            if key not in new:
                each.pop(key, None)
    doors = [(item["port"], item["protocol"], item.get("hostname")) for item in listeners]
    return len(doors) == len(set(doors))


def _edit_admission(random: Random, hub: Hub) -> bool:
    one = random.choice(of(hub, "Gateway"))
    from_ = random.choice(("All", "Same", "None"))
    one["spec"]["allowedListeners"] = {"namespaces": {"from": from_}}
    return True


def _edit_labels(random: Random, hub: Hub) -> bool:
    """Change labels by which something may be selected."""
    one = random.choice(of(hub, *_HOLDERS, *ROUTES))
    one["metadata"]["labels"] = random.choice(LABELS)
    return True


def _edit_namespace(random: Random, hub: Hub) -> bool:
    one = random.choice(of(hub, "Namespace"))
    labels = random.choice(list(NAMESPACES.values()))
    name = one["metadata"]["name"]
    one["metadata"]["labels"] = {"kubernetes.io/metadata.name": name, **labels}
    return True


def _edit_grant(random: Random, hub: Hub) -> bool:
    one = choose(random, of(hub, "ReferenceGrant"))
    one["spec"] = grant(random, 0)["spec"]
    return True


def _describe_otherwise(random: Random, hub: Hub) -> bool:
    """Add what nobody reads: a label of one's own, a note, another order of the objects."""
    one = random.choice(of(hub, *_HOLDERS, *ROUTES, *_POLICIES))
    if one["kind"] in _POLICIES:
        one["metadata"]["labels"] = {"team": "new"}
    one["metadata"]["annotations"] = {"note": "read by people"}
    random.shuffle(hub)
    return True


def _rename_policy(random: Random, hub: Hub) -> bool:
    one = choose(random, of(hub, *_POLICIES))
    one["metadata"]["name"] += random.choice("az")
    one["metadata"]["creationTimestamp"] = LATER
    return True


def _rename_route(random: Random, hub: Hub) -> bool:
    """Rename a route, perhaps with the policies that name it."""
    return _rename(random, hub, choose(random, of(hub, *ROUTES)), "targetRefs")


def _rename_holder(random: Random, hub: Hub) -> bool:
    """Rename a Gateway or a ListenerSet, perhaps with what names it."""
    return _rename(random, hub, random.choice(of(hub, *_HOLDERS)), "targetRefs", "parentRefs")


def _rename(random: Random, hub: Hub, one: Json, *fields: str) -> bool:
    old, kind = one["metadata"]["name"], one["kind"]
    one["metadata"]["name"] = f"{old}{NEW}"
    one["metadata"]["creationTimestamp"] = LATER
    if random.random() < 0.25:
        return True
    for other in hub:
        spec = other.get("spec", {})
        single = [
            spec[key] for key in ("targetRef", "parentRef") if isinstance(spec.get(key), dict)
        ]
        for reference in (*(item for key in fields for item in spec.get(key, ())), *single):
            namespace = reference.get("namespace", other["metadata"].get("namespace"))
            if (reference.get("kind"), reference["name"], namespace) == (
                kind,
                old,
                one["metadata"]["namespace"],
            ):
                reference["name"] = f"{old}{NEW}"
    return True


def _remove_need(random: Random, hub: Hub) -> bool:
    """Take away what something refers to: a certificate, users, a backend, a filter."""
    text = str([one["spec"] for one in of(hub, *_HOLDERS, *ROUTES, *_POLICIES)])
    needs = of(hub, "Secret", "ConfigMap", "Backend", "HTTPRouteFilter", "Service")
    named = [one for one in needs if f"'name': '{one['metadata']['name']}'" in text]
    hub.remove(choose(random, named))
    return True


def _edit_need(random: Random, hub: Hub) -> bool:
    """Take from a Secret or ConfigMap what is asked of it, or a port from a Service."""
    one = choose(random, of(hub, "Secret", "ConfigMap", "Service"))
    if one["kind"] == "Service":
        one["spec"]["ports"].pop(random.randrange(len(one["spec"]["ports"])))
    elif one.get("data"):
        one["data"] = {"other": next(iter(one["data"].values()))}
    elif one["kind"] == "Secret":
        one["type"] = "Opaque"
    return True


def _remove_grant(random: Random, hub: Hub) -> bool:
    hub.remove(choose(random, of(hub, "ReferenceGrant")))
    return True


def _edit_class(random: Random, hub: Hub) -> bool:
    """Merge the Gateways of a class, or not any more."""
    own = next(one for one in of(hub, "GatewayClass") if one["metadata"]["name"] == "eg")
    merging = [one for one in of(hub, "EnvoyProxy") if "mergeGateways" in one["spec"]]
    if merging:
        if random.random() < 0.5:
            merging[0]["spec"]["mergeGateways"] = False
        else:
            own["spec"].pop("parametersRef", None)
        return True
    if any("infrastructure" in one["spec"] for one in of(hub, "Gateway")):
        return False  # the provider refuses it there
    merge_gateways(own, hub)
    return True


CHANGES: tuple[Change, ...] = (
    *(_remove_object, _remove_policy, _remove_policy, _remove_route),
    *(_add_policy, _add_policy, _add_route, _add_route, _add_grant),
    *(_edit_feature, _edit_feature, _edit_value, _edit_value, _edit_value),
    *(_edit_targets, _edit_targets, _edit_merging, _write_targets_otherwise),
    *(_edit_rules, _edit_rules, _edit_matches, _edit_matches, _edit_hostnames, _edit_parents),
    *(_edit_listener, _edit_listener, _edit_admission, _edit_labels, _edit_namespace),
    *(_edit_grant, _describe_otherwise, _rename_policy, _rename_route, _rename_holder),
    *(_remove_need, _remove_need, _edit_need, _remove_grant, _edit_class),
    *PARTS,
    *OF_POLICIES,
    *OF_OBJECTS,
    *THAT_KEEP,
)

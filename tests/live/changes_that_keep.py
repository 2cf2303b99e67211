"""Changes of hubs that write the same otherwise: most of them do nothing to requests."""

from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

from tests.live.changes_of_parts import LATER
from tests.live.choosing import choose, of
from tests.live.hub_policies import ENVOY, FEATURES, GATEWAY_API, TARGETS
from tests.live.hub_routes import ROUTES

Json = dict[str, Any]
Hub = list[Json]
_HOLDERS = ("Gateway", "ListenerSet")
_OF_TARGETS = ("targetRef", "targetRefs", "targetSelectors", "mergeType")
_SAME_DURATIONS = {"7s": "7000ms", "9s": "9000ms", "6s": "6000ms"}


def write_defaults(random: Random, hub: Hub) -> bool:
    """Write down what counts anyway, or leave it out."""
    route = random.choice(of(hub, *ROUTES) or [{}])
    if not route:
        return False
    namespace = route["metadata"]["namespace"]
    for parent in route["spec"]["parentRefs"]:
        parent.setdefault("namespace", namespace)
    for each in route["spec"]["rules"]:
        for backend in each.get("backendRefs", ()):
            backend.setdefault("namespace", namespace)
            if backend.get("weight") == 1:
                del backend["weight"]
        for match in each.get("matches", ()):
            if match.get("path", {}).get("type") == "PathPrefix":
                del match["path"]["type"]
            for header in (*match.get("headers", ()), *match.get("queryParams", ())):
                header.setdefault("type", "Exact")
        for key, value in each.get("timeouts", {}).items():
            each["timeouts"][key] = _SAME_DURATIONS.get(value, value)
    return True


def split_route(random: Random, hub: Hub) -> bool:
    """Make a route of each rule of a route."""
    one = choose(random, [one for one in of(hub, *ROUTES) if len(one["spec"]["rules"]) > 1])
    for number, each in enumerate(one["spec"]["rules"][1:]):
        other = deepcopy(one)
        other["spec"]["rules"] = [each]
        name = f"{one['metadata']['name']}-part{number}"
        other["metadata"] |= {"name": name, "creationTimestamp": LATER}
        hub.append(other)
    del one["spec"]["rules"][1:]
    return True


def split_matches(random: Random, hub: Hub) -> bool:
    """Make a rule of each match of a rule."""
    own = [
        (one, each)
        for one in of(hub, "HTTPRoute")
        for each in one["spec"]["rules"]
        if len(each["matches"]) > 1
    ]
    one, each = choose(random, own)
    other = {**deepcopy(each), "matches": [each["matches"].pop()], "name": "split"}
    rules = one["spec"]["rules"]
    rules.insert(rules.index(each) + 1, other)
    return True


def split_hostnames(random: Random, hub: Hub) -> bool:
    """Make a route of each hostname of a route."""
    own = [one for one in of(hub, *ROUTES) if len(one["spec"].get("hostnames", ())) > 1]
    one = choose(random, own)
    other = deepcopy(one)
    other["metadata"] |= {"name": f"{one['metadata']['name']}-host", "creationTimestamp": LATER}
    other["spec"]["hostnames"] = [one["spec"]["hostnames"].pop()]
    hub.append(other)
    return True


def move_listener_out(random: Random, hub: Hub) -> bool:
    """Move a listener of a Gateway into a ListenerSet in its namespace."""
    one = choose(random, [one for one in of(hub, "Gateway") if len(one["spec"]["listeners"]) > 1])
    listeners = one["spec"]["listeners"]
    each = listeners.pop(random.randrange(len(listeners)))
    metadata = one["metadata"]
    parent = {"group": GATEWAY_API, "kind": "Gateway", "name": metadata["name"]}
    hub.append(
        {
            "apiVersion": f"{GATEWAY_API}/v1",
            "kind": "ListenerSet",
            "metadata": {
                "name": "moved",
                "namespace": metadata["namespace"],
                "creationTimestamp": LATER,
            },
            "spec": {"parentRef": parent, "listeners": [each]},
        }
    )
    for route in of(hub, *ROUTES) if random.random() < 0.7 else ():
        for reference in list(route["spec"]["parentRefs"]):
            namespace = reference.get("namespace", route["metadata"]["namespace"])
            if (reference["name"], namespace) == (metadata["name"], metadata["namespace"]):
                other = {**reference, "kind": "ListenerSet", "name": "moved"}
                if reference.get("sectionName") in (None, each["name"]):
                    route["spec"]["parentRefs"].append(other | {"namespace": namespace})
                if reference.get("sectionName") == each["name"]:
                    route["spec"]["parentRefs"].remove(reference)
    return True


def join_policies(random: Random, hub: Hub) -> bool:
    """Make one policy of two that say the same, or of one and a copy of it for something else."""
    own = [one for one in of(hub, *FEATURES) if "targetRefs" in one["spec"]]
    pairs = [
        (one, other)
        for one in own
        for other in own
        if one is not other
        and one["kind"] == other["kind"]
        and one["metadata"]["namespace"] == other["metadata"]["namespace"]
        and _without_targets(one) == _without_targets(other)
    ]
    if not pairs:
        return _add_copy(random, hub, own)
    one, other = random.choice(pairs)
    for reference in other["spec"]["targetRefs"]:
        if reference not in one["spec"]["targetRefs"]:
            one["spec"]["targetRefs"].append(reference)
    hub.remove(other)
    return len({each["kind"] for each in one["spec"]["targetRefs"]}) == 1


def _add_copy(random: Random, hub: Hub, own: list[Json]) -> bool:
    """Hang a copy of a policy on another thing of the same kind."""
    one = choose(random, own)
    reference = one["spec"]["targetRefs"][0]
    near = [
        each["metadata"]["name"]
        for each in of(hub, reference["kind"])
        if each["metadata"]["namespace"] == one["metadata"]["namespace"]
        and each["metadata"]["name"] != reference["name"]
    ]
    if not near:
        return False
    other = deepcopy(one)
    other["metadata"] |= {"name": f"{one['metadata']['name']}-copy", "creationTimestamp": LATER}
    target = {key: value for key, value in reference.items() if key != "sectionName"}
    other["spec"]["targetRefs"] = [target | {"name": random.choice(near)}]
    hub.append(other)
    return True


def _without_targets(one: Json) -> Json:
    return {key: value for key, value in one["spec"].items() if key not in _OF_TARGETS}


def spread_over_sections(random: Random, hub: Hub) -> bool:
    """Have a policy name each section of what it names as a whole, or the whole."""
    own = [
        (one, reference)
        for one in of(hub, *FEATURES)
        if one["kind"] != "BackendTLSPolicy"
        for reference in one["spec"].get("targetRefs", ())
    ]
    one, reference = choose(random, own)
    references = one["spec"]["targetRefs"]
    target = _find_target(hub, one, reference)
    if target is None:
        return False
    parts = target["spec"].get("rules") or target["spec"].get("listeners") or ()
    names = [part["name"] for part in parts if "name" in part]
    if "sectionName" in reference:
        del reference["sectionName"]
        others = [each for each in references if each["name"] != reference["name"]]
        one["spec"]["targetRefs"] = [*others, reference]
    elif names:
        references.remove(reference)
        references += [{**reference, "sectionName": name} for name in names]
    return True


def select_by_label(random: Random, hub: Hub) -> bool:
    """Have a policy select what it names, by a label that this gets."""
    own = [
        (one, reference)
        for one in of(hub, *FEATURES)
        if one["kind"] in (*TARGETS, "BackendTrafficPolicy", "EnvoyExtensionPolicy")
        for reference in one["spec"].get("targetRefs", ())
        if "sectionName" not in reference and len(one["spec"]["targetRefs"]) == 1
    ]
    one, reference = choose(random, own)
    target = _find_target(hub, one, reference)
    if target is None:
        return False
    labels = {"chosen": one["metadata"]["name"]}
    target["metadata"]["labels"] = {**target["metadata"].get("labels", {}), **labels}
    del one["spec"]["targetRefs"]
    selector = {"group": GATEWAY_API, "kind": reference["kind"], "matchLabels": labels}
    one["spec"].setdefault("targetSelectors", []).append(selector)
    return True


def copy_filter(random: Random, hub: Hub) -> bool:
    """Have a rule name an equal filter or backend of Envoy Gateway's under another name."""
    own = [
        (reference, one)
        for route in of(hub, *ROUTES)
        for each in route["spec"]["rules"]
        for reference in (
            *(item["extensionRef"] for item in each.get("filters", ()) if "extensionRef" in item),
            *(item for item in each.get("backendRefs", ()) if item.get("group") == ENVOY),
        )
        for one in of(hub, "HTTPRouteFilter", "Backend")
        if one["kind"] == reference["kind"]
        and one["metadata"]["name"] == reference["name"]
        and one["metadata"]["namespace"]
        == reference.get("namespace", route["metadata"]["namespace"])
    ]
    reference, one = choose(random, own)
    other = deepcopy(one)
    other["metadata"]["name"] = f"{one['metadata']['name']}-copy"
    reference["name"] = other["metadata"]["name"]
    hub.append(other)
    return True


THAT_KEEP: tuple[Callable[[Random, Hub], bool], ...] = (
    *(write_defaults, write_defaults, split_route, split_route, split_matches, split_hostnames),
    *(move_listener_out, join_policies, join_policies, spread_over_sections, select_by_label),
    copy_filter,
)


def _find_target(hub: Hub, policy: Json, reference: Json) -> Json | None:
    """Return what a policy refers to, in its own namespace."""
    names = policy["metadata"]["namespace"], reference["name"]
    for one in of(hub, reference["kind"]):
        if (one["metadata"]["namespace"], one["metadata"]["name"]) == names:
            return one
    return None

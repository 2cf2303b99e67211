"""Changes of what policies say, field by field, and of where and under which name they stand."""

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from random import Random
from typing import Any

from tests.live.changes_of_parts import LATER
from tests.live.choosing import choose, of
from tests.live.envoy_requests import NEW
from tests.live.hub_policies import FEATURES, GATEWAY_API, TARGETS
from tests.live.hub_routes import NAMESPACES, ROUTES
from tests.live.hubs import listener_sets
from tests.support import rows_of

Json = dict[str, Any]
Hub = list[Json]
Field = tuple[str | int, ...]
_HOLDERS = ("Gateway", "ListenerSet")
_RULE: Field = ("authorization", "rules", 0)
_PROVIDER: Field = ("jwt", "providers", 0)
_LOCAL: Field = ("rateLimit", "local", "rules", 0)
_GLOBAL: Field = ("rateLimit", "global", "rules", 0)
_CLIENT: Field = ("tls", "clientValidation")
_CLAIM = {"provider": "idp", "claims": [{"name": "role", "values": ["a"]}]}
FIELDS: Mapping[str, tuple[tuple[Field, tuple[Any, ...]], ...]] = rows_of(__file__, "fields")
"""Fields of policies with values that they may have; the way to one that is not there is made."""


def _find(spec: Any, path: Field) -> Any:
    """Return what stands at a path; None where nothing does."""
    for key in path:
        try:
            spec = spec[key]
        except (KeyError, IndexError, TypeError):
            return None
    return spec


def edit_field(random: Random, hub: Hub) -> bool:
    """Give a policy a field that it has not, or another value of one, or take one away."""
    choices = [
        (one["spec"], path, values)
        for one in of(hub, *FIELDS)
        for path, values in FIELDS[one["kind"]]
        if len(path) == 1 or isinstance(_find(one["spec"], path[:-1]), dict)
    ]
    spec, path, values = choose(random, choices)
    holder, key, value = _find(spec, path[:-1]), path[-1], deepcopy(random.choice(values))
    is_required = key in ("action", "defaultAction", "hostname", "clientCIDRs")
    if holder.get(key) == value and not is_required:
        del holder[key]
    else:
        holder[key] = value
    return _is_valid(spec)


def _is_valid(spec: Json) -> bool:
    """Tell whether a policy keeps the rules of its CRD that span several fields."""
    rules = _find(spec, ("authorization", "rules")) or ()
    is_named = any(_find(one, ("principal", "jwt")) for one in rules)
    return not (
        (is_named and "jwt" not in spec)
        or {"enableProxyProtocol", "proxyProtocol"} <= spec.keys()
        or {"optional", "mode"} <= (_find(spec, _CLIENT) or {}).keys()
        or (_find(spec, ("jwt", "optional")) and _find(spec, ("jwt", "failOpen")))
        or (_find(spec, ("tls", "minVersion")) == "1.3" and _find(spec, ("tls", "maxVersion")))
    )


def split_policy(random: Random, hub: Hub) -> bool:
    """Make two policies of one: on one target, where only one counts, or on a target each."""
    one = choose(random, [one for one in of(hub, *FEATURES) if "targetRefs" in one["spec"]])
    spec, other = one["spec"], deepcopy(one)
    features = [key for key in spec if key not in ("targetRefs", "targetSelectors", "mergeType")]
    other["metadata"] |= {"name": f"{one['metadata']['name']}-more", "creationTimestamp": LATER}
    if len(spec["targetRefs"]) > 1:
        other["spec"]["targetRefs"] = [spec["targetRefs"].pop()]
    elif len(features) > 1:
        moved = random.choice(features)
        del spec[moved]
        for key in features:
            if key != moved:
                del other["spec"][key]
    else:
        return False
    hub.append(other)
    return True


def move_policy(random: Random, hub: Hub) -> bool:
    """Hang a policy on something of another kind, or put it into another namespace."""
    one = choose(random, of(hub, "SecurityPolicy", "BackendTrafficPolicy", "ClientTrafficPolicy"))
    if random.random() < 0.3:
        one["metadata"] |= {
            "namespace": random.choice(list(NAMESPACES)),
            "creationTimestamp": LATER,
        }
        return True
    kinds = TARGETS.get(one["kind"], (*_HOLDERS, *ROUTES))
    near = [
        each
        for each in of(hub, *kinds)
        if each["metadata"]["namespace"] == one["metadata"]["namespace"]
    ]
    target = choose(random, near)
    for key in ("targetRef", "targetSelectors", "mergeType"):
        one["spec"].pop(key, None)
    name = target["metadata"]["name"]
    one["spec"]["targetRefs"] = [{"group": GATEWAY_API, "kind": target["kind"], "name": name}]
    return True


def move_object(random: Random, hub: Hub) -> bool:
    """Put a route or a ListenerSet into another namespace, perhaps with the policies on it."""
    one = choose(random, of(hub, "ListenerSet", *ROUTES))
    old, new = dict(one["metadata"]), random.choice(list(NAMESPACES))
    for parent in _list_parents(one):
        parent.setdefault("namespace", old["namespace"])
    follows = random.random() < 0.6
    for policy in of(hub, *FEATURES) if follows else ():
        references = [*policy["spec"].get("targetRefs", ())]
        references += [policy["spec"]["targetRef"]] if "targetRef" in policy["spec"] else []
        names = {(each["kind"], each["name"]) for each in references}
        if names == {(one["kind"], old["name"])} and (
            policy["metadata"]["namespace"] == old["namespace"]
        ):
            policy["metadata"] |= {"namespace": new, "creationTimestamp": LATER}
    one["metadata"] |= {"namespace": new, "creationTimestamp": LATER}
    return bool(new != old["namespace"])


def _list_parents(one: Json) -> Iterator[Json]:
    yield from one["spec"].get("parentRefs", ())
    if "parentRef" in one["spec"]:
        yield one["spec"]["parentRef"]


def rename_section(random: Random, hub: Hub) -> bool:
    """Rename a listener or a rule, perhaps with what names it."""
    own = [
        (one, each)
        for one in of(hub, *_HOLDERS, *ROUTES)
        for each in one["spec"].get("listeners") or one["spec"]["rules"]
        if "name" in each
    ]
    one, each = choose(random, own)
    old, new = each["name"], f"{each['name']}{NEW}"
    each["name"] = new
    if random.random() < 0.25:
        return True
    namespace = one["metadata"]["namespace"]
    for other in hub:
        spec = other.get("spec", {})
        near = other["metadata"].get("namespace") == namespace
        own_refs = spec.get("targetRefs", ()) if near else ()
        for reference in (*own_refs, *spec.get("parentRefs", ())):
            if (
                reference.get("kind") == one["kind"]
                and reference["name"] == one["metadata"]["name"]
                and reference.get("namespace", namespace) == namespace
                and reference.get("sectionName") == old
            ):
                reference["sectionName"] = new
    return True


def rename_need(random: Random, hub: Hub) -> bool:
    """Rename what others refer to, with the references to it in its namespace."""
    own = of(hub, "Secret", "ConfigMap", "Backend", "HTTPRouteFilter")
    text = str([one["spec"] for one in of(hub, *_HOLDERS, *ROUTES, *FEATURES)])
    one = choose(random, [one for one in own if f"'name': '{one['metadata']['name']}'" in text])
    old, new = one["metadata"]["name"], f"{one['metadata']['name']}-more"
    one["metadata"]["name"] = new
    for other in hub:
        near = other["metadata"].get("namespace") == one["metadata"]["namespace"]
        for reference in list_bare_references(other.get("spec")) if near else ():
            if reference.get("kind") == one["kind"] and reference["name"] == old:
                reference["name"] = new
    return True


def list_bare_references(part: Any) -> Iterator[Json]:
    """Yield the references that have no namespace."""
    if isinstance(part, dict):
        if {"kind", "name"} <= part.keys() and "namespace" not in part:
            yield part
        part = list(part.values())
    for inner in part if isinstance(part, list) else ():
        yield from list_bare_references(inner)


def give_to_another_class(random: Random, hub: Hub) -> bool:
    """Give a Gateway to another controller, or back."""
    one = random.choice(of(hub, "Gateway"))
    is_other = one["spec"]["gatewayClassName"] == "other"
    one["spec"]["gatewayClassName"] = "eg" if is_other else "other"
    return len(of(hub, "Gateway")) > 1


def move_listeners(random: Random, hub: Hub) -> bool:
    """Hang a ListenerSet on another Gateway, or add one."""
    own, gateways = of(hub, "ListenerSet"), of(hub, "Gateway")
    if own and random.random() < 0.6:
        metadata = random.choice(gateways)["metadata"]
        random.choice(own)["spec"]["parentRef"] |= {
            "name": metadata["name"],
            "namespace": metadata["namespace"],
        }
        return True
    made = listener_sets(random, gateways)
    for one in made[:1]:
        one["metadata"] |= {"name": "another", "creationTimestamp": LATER}
        hub.append(one)
    return bool(made)


def edit_port(random: Random, hub: Hub) -> bool:
    """Let a route be only for some of the listeners by their port, or for all."""
    references = [each for one in of(hub, *ROUTES) for each in one["spec"]["parentRefs"]]
    one = random.choice(references) if references else {}
    if one.pop("port", None) is None and references:
        one["port"] = random.choice((80, 443, 8080, 8443))
    return bool(references)


OF_POLICIES: tuple[Callable[[Random, Hub], bool], ...] = (
    *(edit_field,) * 9,
    *(split_policy, split_policy, move_policy, move_policy, move_object, move_object),
    *(rename_section, rename_section, rename_need, give_to_another_class),
    *(move_listeners, edit_port),
)

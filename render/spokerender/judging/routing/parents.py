"""Computes a route's conditions for each parent: Accepted, ResolvedRefs and PartiallyInvalid.

Gateway API, `RouteParentStatus`. A listener must have the name and port in the reference (or else:
NoMatchingParent), then allow the route's kind and namespace (NotAllowedByListeners), then share a
hostname with the route (NoMatchingListenerHostname). Without such a listener, this is the reason.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from spokerender.judging.attachment.statuses import NOT_KNOWN, Condition, Truth
from spokerender.judging.routing import listeners, values
from spokerender.judging.routing.backends import Routed
from spokerender.judging.routing.rules import (
    find_problems,
    join_reasons,
    join_words,
    make_resolved,
    refuse_terminating,
)
from spokerender.judging.routing.scene import Scene
from spokerender.judging.routing.stages import (
    Allowed,
    find_allowed,
    judge_at_once,
    list_hostnames,
    list_takers,
    may_be_read,
    refuse_in_stages,
)
from spokerender.kinds.kind import Role
from spokerender.kinds.reference import Reference
from spokerender.model import Ref, grouped
from spokerender.model.memo import memoised
from spokerender.topology.admission import explain_dead, find_named_listeners
from spokerender.topology.conflicts import find_admitting_gateways, find_conflicts
from spokerender.topology.doors import isolate_hostnames
from spokerender.topology.hostnames import intersects
from spokerender.topology.node import PARENTS, Listener, Node
from spokerender.topology.presented import find_presented

ACCEPTED, RESOLVED, PARTIALLY = "Accepted", "ResolvedRefs", "PartiallyInvalid"
_NO_HOSTNAME = "NoMatchingListenerHostname"
_BEFORE_RULES = ("NoMatchingParent", "NotAllowedByListeners")
_REPLACED = {"HTTPRoute": _BEFORE_RULES, "GRPCRoute": (*_BEFORE_RULES, _NO_HOSTNAME)}
"""Reasons of `Accepted` that problems of the route's rules replace (`rules_last`), by kind."""

Attachments = dict[tuple[Ref, str], Truth]
"""The listeners (parent and name) that a route is attached to; UNKNOWN if it may be attached."""


class JudgedParent(Struct, frozen=True):
    """The status of a route for one parent, and the listeners that the route is attached to."""

    status: values.ParentStatus
    attached: Attachments


def judge_parents(scene: Scene, route: Node) -> Iterator[JudgedParent]:
    """Yield the status of a route for each Gateway and ListenerSet that it names, in order."""
    judged = tuple(_judge_links(scene, route))
    alike = grouped((item.status.parent, item) for item in judged)
    for item in judged:
        ref = item.status.parent
        node = scene.topology.nodes.get(ref.whole)
        gateway = next(find_admitting_gateways(scene.topology, node), None) if node else None
        rules = scene.rules(gateway) if gateway is not None else None
        if rules is not None and rules.joins_ports and len(alike[ref]) > 1 and not ref.section_name:
            yield _join(item, alike[ref])
        elif rules is not None and rules.staged:
            yield _count_once_accepted(item, judged)
        else:
            yield item


def _count_once_accepted(item: JudgedParent, judged: Iterable[JudgedParent]) -> JudgedParent:
    """Return the status for a parent; Cilium counts a route that any section of it accepts."""
    whole = item.status.parent.whole
    entries = (each.status for each in judged if each.status.parent.whole == whole)
    accepted = (values.find_condition(each.conditions, ACCEPTED) for each in entries)
    states = {each.status for each in accepted if each is not None}
    best = next((each for each in (Truth.TRUE, Truth.UNKNOWN) if each in states), Truth.FALSE)
    served = {name: state for (_, name), state in item.attached.items()}
    return JudgedParent(item.status, _attach(whole, served, best))


def _join(item: JudgedParent, alike: Sequence[JudgedParent]) -> JudgedParent:
    """Return the status of `item`, one of the references `alike` whose ports share an entry."""
    attached, status = item.attached, item.status
    # If the references are judged differently, it is unknown whose conditions the entry has.
    why = "its entry is for other ports of this parent as well, which are judged differently"
    parts = (each.status.conditions for each in (item, *alike))
    conditions = values.leave_common(
        parts, lambda one: values.make_unknown(one.type, why, NOT_KNOWN)
    )
    if conditions != status.conditions:
        attached = dict.fromkeys(attached, Truth.UNKNOWN)
        status = replace(status, conditions=conditions)
    if item is not alike[0]:
        silent = "its entry is that of another port of this parent"
        status = replace(status, conditions=(), silent=silent)
    return JudgedParent(status, attached)


def _judge_links(scene: Scene, route: Node) -> Iterator[JudgedParent]:
    for link in route.references:
        if link.row.role is not Role.PARENT:
            continue
        judged = list[JudgedParent]()
        refs = scene.topology.parents(link)
        if not refs and link.selector is None and (link.ref.group, link.ref.kind) in PARENTS:
            judged.append(_judge_absent(scene, link))
        for ref in refs:
            if (ref.group, ref.kind) in PARENTS:
                judged += _judge_sections(scene, route, scene.topology.nodes[ref], link)
        for other in list_takers(scene, link):
            judged = [_share(scene, route, link, other, item) for item in judged]
        yield from judged


def _share(
    scene: Scene, route: Node, link: Reference, other: Node, item: JudgedParent
) -> JudgedParent:
    """Return the status for a parent whose entry the controller of `other` writes as well."""
    why = f"{other.ref} takes all routes that name a Gateway of its name without a namespace"
    accepted = values.make_unknown(ACCEPTED, why, NOT_KNOWN)
    status = replace(item.status, conditions=(accepted,), silent="")
    return JudgedParent(status, item.attached | _attach_allowed(scene, route, other, link))


def _attach_allowed(scene: Scene, route: Node, gateway: Node, link: Reference) -> Attachments:
    """Return the listeners that allow a route, to which Contour attaches even a refused route."""
    named = find_named_listeners(gateway, link)
    allowed = find_allowed(scene, gateway, gateway, route, named)
    return {(gateway.ref, name): state for name, (_, state) in allowed.items()}


def _judge_absent(scene: Scene, link: Reference) -> JudgedParent:
    parent = link.ref.whole.section(link.sections[0]) if link.sections else link.ref.whole
    if scene.presence(link.ref.whole) is Truth.FALSE:
        why = f"{link.ref.whole} is not there, so nobody looks at it"
        return JudgedParent(values.ParentStatus(parent, link.port, silent=why), {})
    accepted = values.make_unknown(ACCEPTED, f"the spoke has to have {link.ref.whole}")
    return JudgedParent(values.ParentStatus(parent, link.port, (accepted,)), {})


def _judge_sections(
    scene: Scene, route: Node, parent: Node, link: Reference
) -> Iterator[JudgedParent]:
    gateway = next(find_admitting_gateways(scene.topology, parent), None)
    section = parent.ref.section(link.sections[0]) if link.sections else parent.ref
    status = partial(values.ParentStatus, section, link.port)
    if gateway is None:
        if may_be_read(scene, parent):
            why = f"whether {parent.ref} is looked at, which is not admitted, other parents decide"
            yield JudgedParent(status((values.make_unknown(ACCEPTED, why, NOT_KNOWN),)), {})
            return
        why = f"no Gateway admits {parent.ref} (allowedListeners), so nobody looks at it"
        why = explain_dead(scene.topology, parent) or why
        yield JudgedParent(status(silent=why), {})
        return
    rules = scene.rules(gateway)
    table = rules.listeners if rules is not None else None
    opened = _find_opened(scene, gateway.ref, parent.ref)
    unread = _explain_unread(scene, gateway, parent, opened)
    if unread:
        yield JudgedParent(status(silent=unread), {})
        return
    if rules is not None and rules.matches_once:
        conditions = judge_at_once(Routed(scene, gateway, route), link)
        yield JudgedParent(status(conditions), _attach_allowed(scene, route, gateway, link))
        return
    named = tuple(one for one in find_named_listeners(parent, link) if one.name in opened)
    asked = _find_asked(scene, gateway, route, named)
    allowed = find_allowed(scene, gateway, parent, route, named)
    presented = find_presented(scene.topology, gateway) if allowed else None
    routed = Routed(scene, gateway, route, presented)
    problems = find_problems(routed)
    count = len(route.rules)
    if not scene.controller(gateway).takes_rules(route.ref.kind, count):
        accepted = values.make_false(
            ACCEPTED, "InvalidRule", f"it has {count} rules and has to have one"
        )
        yield JudgedParent(status((accepted,)), {})
        return
    served = _find_served(scene, gateway, parent, route, allowed)
    is_allowed = not asked or any(item.name in allowed for item in asked)
    if rules is not None and rules.staged:
        refusal = refuse_in_stages(scene, parent, route, link)
    elif table is not None and table.needs_sound:
        sound = served.keys() - _find_faulty(scene, gateway.ref, parent.ref)
        refusal = _refuse_by_last(parent, route, named, (allowed, served, sound))
    else:
        refusal = _refuse(parent, route, named, served, is_allowed=is_allowed)
    is_staged = rules is not None and bool(rules.staged)
    accepted = refusal or _accept(parent, route, served, is_taken=is_staged)
    is_last = rules is not None and rules.rules_last
    is_replaced = is_staged or (is_last and accepted.reason in _REPLACED.get(route.ref.kind, ()))
    conditions = (
        *_with_rules(accepted, problems, 1 if is_staged else count, is_replaced=is_replaced),
        refuse_terminating(routed, parent, served) or make_resolved(problems),
    )
    # A GRPCRoute that is not accepted is lost with all of its rules.
    is_lost = table is None and route.ref.kind == "GRPCRoute"
    attached = _attach(parent.ref, served, conditions[0].status if is_lost else Truth.TRUE)
    yield JudgedParent(status(conditions), attached)


def _attach(parent: Ref, served: Mapping[str, Truth], accepted: Truth) -> Attachments:
    """Return the listeners that a route is or may be attached to; none if it is not accepted."""
    return {
        (parent, name): accepted if accepted is Truth.UNKNOWN else state
        for name, state in served.items()
        if accepted is not Truth.FALSE
    }


@memoised
def _find_opened(scene: Scene, gateway_ref: Ref, parent_ref: Ref) -> frozenset[str]:
    """Return a parent's listeners; for some controllers, without listeners that are refused."""
    gateway, parent = scene.topology.nodes[gateway_ref], scene.topology.nodes[parent_ref]
    rules = scene.rules(gateway)
    if rules is None or rules.listeners is None or not rules.listeners.drops_refused:
        return frozenset(listener.name for listener in parent.listeners)
    # Such controllers leave out the listeners that rivals displace, and faulty ones of sets.
    conflicts = find_conflicts(scene.topology)
    refused = {conflict.listener for conflict in conflicts if conflict.parent == parent.ref}
    return frozenset(
        listener.name
        for listener in parent.listeners
        if listener.name not in refused and not _is_dropped(scene, gateway, parent, listener)
    )


def _explain_unread(scene: Scene, gateway: Node, parent: Node, opened: Collection[str]) -> str:
    """Return why no controller reads a route's parent; empty if a controller does."""
    if not parent.is_gateway and not scene.controller(gateway).listener_sets:
        return f"the controller of {gateway.ref} does not look at ListenerSets"
    if parent.listeners and not opened:
        return f"no listener of {parent.ref} is opened, so nobody looks at it"
    return ""


@memoised
def _find_faulty(scene: Scene, gateway_ref: Ref, parent_ref: Ref) -> frozenset[str]:
    """Return the listeners that certainly have a fault, apart from conflicts."""
    gateway, parent = scene.topology.nodes[gateway_ref], scene.topology.nodes[parent_ref]
    return frozenset(
        listener.name
        for listener in parent.listeners
        for item in listeners.check_listener(scene, gateway, parent, listener).conditions
        if item.status is Truth.FALSE
    )


def _refuse_by_last(
    parent: Node,
    route: Node,
    named: Sequence[Listener],
    left: tuple[Collection[str], Collection[str], Collection[str]],
) -> Condition | None:
    """Return `Accepted` of a route that Traefik refuses; None if Traefik accepts it.

    `left` has the listeners that allow the route; those that also have a hostname of it; and those
    that are also without fault.
    """
    allowed, served, sound = left
    if sound:
        return None
    reason, why = "NoMatchingParent", f"no listener of {parent.ref} that it names is in order"
    # Traefik writes the reason of the last listener over the reasons of earlier ones.
    for listener in named:
        if listener.name not in allowed:
            reason = "NotAllowedByListeners"
            why = f"{listener.name} takes no {route.ref.kind}s of namespace {route.ref.namespace}"
        elif listener.name not in served:
            reason = "NoMatchingListenerHostname"
            why = f"{listener.name} does not serve {', '.join(route.hostnames)}"
    return values.make_false(ACCEPTED, reason, why)


def _is_dropped(scene: Scene, gateway: Node, parent: Node, listener: Listener) -> bool:
    own = listeners.check_listener(scene, gateway, parent, listener)
    if parent.is_gateway:
        return any(item.reason == listeners.WITHOUT_TLS for item in own.conditions)
    conditions = listeners.find_conditions(scene, gateway, parent, own, None)
    states = [item.status for item in conditions if item.type in {ACCEPTED, listeners.PROGRAMMED}]
    return Truth.FALSE in states


_Listeners = dict[str, Truth]
"""Listeners by name; UNKNOWN if files can't tell whether the listener serves the route."""


def _find_served(
    scene: Scene,
    gateway: Node,
    parent: Node,
    route: Node,
    allowed: Allowed,
) -> _Listeners:
    """Return the `allowed` listeners that share a hostname with the route."""
    names = list_hostnames(route)
    if not names:
        return {name: state for name, (_, state) in allowed.items()}
    served: _Listeners = {}
    for name, (listener, state) in allowed.items():
        common = [item for item in names if intersects(listener.hostname, item)]
        if common and scene.controller(gateway).isolates == "equal":
            common = [*isolate_hostnames(scene.topology, gateway.ref, parent.ref, listener, common)]
        if common:
            served[name] = state
    return served


def _find_asked(
    scene: Scene, gateway: Node, route: Node, named: Sequence[Listener]
) -> Sequence[Listener]:
    """Return the `named` listeners that decide whether a route is allowed (`hostnames_first`)."""
    names = list_hostnames(route)
    if not names or not scene.controller(gateway).hostnames_first:
        return named
    return [item for item in named if any(intersects(item.hostname, name) for name in names)]


def _refuse(
    parent: Node,
    route: Node,
    named: Sequence[Listener],
    served: Collection[str],
    *,
    is_allowed: bool,
) -> Condition | None:
    """Return `Accepted` of a route that no listener serves; None if a listener does."""
    if not named:
        why = f"no listener of {parent.ref} has the sectionName or port that it names"
        return values.make_false(ACCEPTED, "NoMatchingParent", why)
    if not is_allowed:
        why = (
            f"no listener of {parent.ref} takes {route.ref.kind}s of namespace "
            f"{route.ref.namespace} (its protocol, tls.mode, or allowedRoutes)"
        )
        return values.make_false(ACCEPTED, "NotAllowedByListeners", why)
    if not served:
        why = f"no listener of {parent.ref} serves {', '.join(route.hostnames)}"
        return values.make_false(ACCEPTED, _NO_HOSTNAME, why)
    return None


def _accept(parent: Node, route: Node, served: _Listeners, *, is_taken: bool) -> Condition:
    """Return `Accepted` of a route that is not refused, before its rules; UNKNOWN if in doubt."""
    if Truth.TRUE not in served.values() and not (is_taken and not served):
        why = (
            f"whether {parent.ref} takes a {route.ref.kind} of namespace {route.ref.namespace} "
            "depends on labels or settings that no file has"
        )
        return values.make_unknown(ACCEPTED, why)
    return values.make_true(ACCEPTED, f"attached to {parent.ref} [{', '.join(served)}]")


def _with_rules(
    accepted: Condition, problems: Iterable[values.RuleProblem], count: int, *, is_replaced: bool
) -> Iterator[Condition]:
    """Yield `Accepted`, False if all `count` rules fail, and `PartiallyInvalid` if some do."""
    about = [item for item in problems if item.type == ACCEPTED]
    refused, unsure = (
        [item for item in about if item.state is state] for state in (Truth.FALSE, Truth.UNKNOWN)
    )
    rules = {item.rule for item in refused}
    if refused and len(rules) >= count:
        is_kept = accepted.status is Truth.FALSE and not is_replaced
        why = join_words(refused)
        yield accepted if is_kept else values.make_false(ACCEPTED, join_reasons(refused), why)
        return
    may_be_all = accepted.status is Truth.TRUE and len({item.rule for item in about}) >= count
    is_earlier = is_replaced and accepted.reason != _NO_HOSTNAME
    if refused and is_earlier:
        accepted = values.make_true(ACCEPTED, "some of its rules are")
    if unsure and (may_be_all or (is_earlier and not refused)):
        accepted = values.make_unknown(ACCEPTED, join_words(unsure))
    yield accepted
    if unsure and count > 1:
        yield values.make_unknown(PARTIALLY, join_words(about))
    elif refused:
        numbers = ", ".join(str(rule + 1) for rule in sorted(rules))
        why = f"rules {numbers} are dropped: {join_words(refused)}"
        yield Condition(PARTIALLY, Truth.TRUE, join_reasons(refused), why)

"""Rules about a single policy: its targets, the objects that it names, and its fields."""

from collections.abc import Iterator

from spokerender.findings.codes import attachment as codes
from spokerender.findings.phrasing import did_you_mean
from spokerender.findings.results import Fault
from spokerender.judging.attachment.case import Case, list_section_names
from spokerender.judging.attachment.named_objects import find_named_objects, report_unresolved
from spokerender.judging.attachment.statuses import ROOM, Truth
from spokerender.judging.attachment.target_listeners import is_for_class
from spokerender.kinds.fields import find_values, split_pattern
from spokerender.kinds.kind import ROUTE, Role
from spokerender.kinds.merging import Process
from spokerender.kinds.references import WHOLE_NAMESPACE
from spokerender.kinds.table import find_row
from spokerender.model import GATEWAY_API, GATEWAY_CLASS, Ref, shown
from spokerender.model.memo import memoised
from spokerender.topology.graph import Topology
from spokerender.topology.hostnames import is_within
from spokerender.topology.paths import RequestPath
from spokerender.topology.requests import find_listener, find_rule_paths

_NAMING = (Role.TARGET, Role.SELECTOR)


def check_has_target(case: Case) -> Iterator[Fault]:
    """Check that there is a target, unless the kind needs none (P1)."""
    kind, data = case.subject.kind, case.subject.object
    naming = [rule for rule in kind.references if rule.role in _NAMING and not rule.assumed]
    if not naming or kind.targetless:
        return
    rules = [rule for rule in kind.references if rule.role in (*_NAMING, Role.LABEL)]
    if not any(find_values(data, rule.path) for rule in rules):
        fields = " or ".join(dict.fromkeys(shown(split_pattern(rule.path)[:2]) for rule in naming))
        yield Fault(
            codes.NO_TARGET,
            "has no target, so it has no effect",
            f"name its target in {fields}",
            ("spec",),
        )


def check_selection(case: Case) -> Iterator[Fault]:
    """Check that a selector selects a target (P3); other stages check targets with names."""
    for target in case.targets:
        is_empty = target.link.selector is not None and not target.ref.name
        if is_empty and target.state is Truth.FALSE:
            yield Fault(
                codes.NOTHING_SELECTED,
                target.why,
                "label the targets so, or correct the selector",
                target.link.path,
            )


def check_controller(case: Case) -> Iterator[Fault]:
    """Check that the policy's controller configures the Gateways of each target (P3)."""
    dead = case.around.topology.dead
    for target in case.targets:
        if target.is_foreign and not dead.keys() & case.around.reached(target.ref):
            yield Fault(
                codes.FOREIGN_GATEWAY,
                f"{target.ref}: {target.why}, so nobody carries the policy out there",
                "write a policy of that controller's, or place the gateway with a class of this "
                "one's",
                target.link.path,
            )


def check_port(case: Case) -> Iterator[Fault]:
    """Check that a targeted Service has the port (P4); `rendering.checks` checks other sections."""
    for target in case.targets:
        node = case.around.topology.nodes.get(target.ref.whole)
        if node is None or target.state is not Truth.FALSE or not target.ref.section_name:
            continue
        names, noun = list_section_names(node, case.subject, case.around)
        if noun == "port":
            cure = did_you_mean(target.ref.section_name, names or (), "its ports are")
            place = (*target.link.path, target.link.row.section)
            yield Fault(codes.MISSING_PORT, target.why, cure or "name its ports", place)


def check_section_is_rule(case: Case) -> Iterator[Fault]:
    """Check that a section name of a route is the name of a rule, not of a backend (P5)."""
    for target in case.targets:
        node = case.around.topology.nodes.get(target.ref.whole)
        section = target.ref.section_name
        if node is None or not node.is_route or section in (node.sections or ()):
            continue
        for link in node.references:
            if link.row.role is Role.BACKEND and link.ref.name == section:
                yield Fault(
                    codes.NAMES_BACKEND,
                    f'"{section}" is a backend of {node.ref}, not a rule of it',
                    f"target {link.ref.whole} itself, or give the rule that name",
                    (*target.link.path, target.link.row.section),
                )
                break


def check_alternatives(case: Case) -> Iterator[Fault]:
    """Check that only one of several exclusive fields is set (P6)."""
    for names in case.subject.kind.alternatives:
        present = [name for name in names if case.spec.get(name) is not None]
        if len(present) > 1:
            fields = " and ".join(f"spec.{name}" for name in present)
            yield Fault(
                codes.SEVERAL_FIELDS,
                f"has {fields}, of which only one may be set",
                f"keep spec.{present[0]}, or spec.{present[-1]}",
                ("spec", present[-1]),
            )


def check_target_grants(case: Case) -> Iterator[Fault]:
    """Check that a ReferenceGrant allows a target in another namespace (P9).

    `spokerender.kinds.malformed` reports kinds that can't name another namespace.
    """
    policy = case.subject.ref
    for target in case.targets:
        link, ref = target.link, target.ref
        if not target.is_granted:
            yield Fault(
                codes.NOT_GRANTED,
                f"{ref} is in another namespace, and no ReferenceGrant there allows it",
                f"add a ReferenceGrant to namespace {ref.namespace}, from {policy.kind} of "
                f"{policy.namespace} to {ref.kind} {ref.name}",
                link.path,
            )


def check_target_kinds(case: Case) -> Iterator[Fault]:
    """Check that targets are of the kinds that the policy is for (P10).

    If the policy's CRD is known, its schema decides instead. `spokerender.kinds.malformed` reports
    groups that are absent or contain a version.
    """
    allowed = _list_allowed_kinds(case)
    for target in case.targets:
        ref = target.ref
        row = target.link.row
        if not allowed or row.role not in _NAMING or row == WHOLE_NAMESPACE:
            continue
        if row.role is Role.SELECTOR and case.attached:
            continue  # Envoy Gateway, helpers.go: it selects nothing, which check_selection reports
        groups = ("", GATEWAY_API, case.subject.kind.group)
        is_group = ref.group not in groups and "/" not in ref.group
        foreign = is_group and find_row(GATEWAY_API, ref.kind) is not None
        if foreign or ref.kind not in allowed:
            what = f"{ref.kind} of group {ref.group}" if foreign else ref.kind
            of = f" of group {GATEWAY_API}" if foreign else ""
            yield Fault(
                codes.WRONG_TARGET,
                f"has a target of kind {what}, and {case.subject.kind.kind} is for "
                f"{_join_choice(allowed)}{of}",
                f"target {_join_choice(allowed)}{of}",
                (*target.link.path, "group" if foreign else "kind"),
            )


def check_asking(case: Case) -> Iterator[Fault]:
    """Check that only policies on routes set the field that requests a merge (P10)."""
    asking = case.subject.kind.merged.asking
    if asking is None or not case.spec.get(asking.field) or case.definition is not None:
        return
    for target in case.targets:
        if not target.ref.kind.endswith(ROUTE):
            yield Fault(
                codes.WRONG_TARGET,
                f"asks by spec.{asking.field} to be merged, and has a target of kind "
                f"{target.ref.kind}: only a policy on a route can be",
                f"remove spec.{asking.field}, or target a route",
                ("spec", asking.field),
            )
            break


def _list_allowed_kinds(case: Case) -> tuple[str, ...]:
    """Return the kinds of target that the row allows; empty if the CRD is known and decides."""
    return case.subject.kind.targets if case.definition is None else ()


def _join_choice(words: tuple[str, ...]) -> str:
    """Return the words joined as a choice: `a, b or c`."""
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def check_demanded_objects(case: Case) -> Iterator[Fault]:
    """Check that all objects exist without which the controller refuses the policy (P9)."""
    for item in find_named_objects(case) if case.subject.kind.demanded else ():
        if item.state is Truth.FALSE and item.row.path in case.subject.kind.demanded:
            yield report_unresolved(case, item)


def check_strategy(case: Case) -> Iterator[Fault]:
    """Check that a policy has at most one merge strategy (P14).

    The processes `SINGLE` and `ALL` allow defaults and overrides in one policy.
    """
    merging = case.subject.kind.merged
    if merging.process in (Process.SINGLE, Process.ALL):
        return
    bare = split_pattern(merging.substance)[:1] if merging.substance else ()
    blocks = [str(name) for name in (*bare, "defaults", "overrides") if case.spec.get(name)]
    if len(blocks) > 1:
        names = " and ".join(f"spec.{name}" for name in blocks)
        yield Fault(
            codes.TWO_STRATEGIES,
            f"has {names}, and a policy has one merge strategy",
            "keep one of them, and put the other into a policy of its own",
            ("spec", blocks[-1]),
        )


def check_scope(case: Case) -> Iterator[Fault]:
    """Check that a policy for a GatewayClass is cluster-scoped, unless its kind allows it (P15)."""
    kind = case.subject.kind
    if not kind.namespaced or "GatewayClass" in kind.targets or _list_allowed_kinds(case):
        return
    for target in case.targets:
        if (target.ref.group, target.ref.kind) == GATEWAY_CLASS:
            yield Fault(
                codes.CLASS_TARGET,
                f"{target.ref} is for all namespaces, and {kind.kind} is namespaced",
                "target the Gateways of the class",
                target.link.path,
            )


def check_room(case: Case) -> Iterator[Fault]:
    """Check that the policy's status has room for all gateways that the policy reaches (P16)."""
    definition = case.definition
    limit = ROOM if definition is None else definition.ancestors
    count = len(case.gateways)
    if limit is None or count <= limit:
        return
    says = (
        f"a status has {limit} (the Gateway API since v1.1; GEP-2648 said 32)"
        if definition is None
        else f"its CRD allows {limit}"
    )
    yield Fault(
        codes.MANY_ANCESTORS,
        f"reaches {count} gateways, and {says}: the last of them may go without it",
        "write several policies, each for some of the gateways",
        case.targets[0].link.path if case.targets else (),
    )


_Entrance = tuple[Ref, str, int | str, str]
"""A Gateway, hostname, port and path: routes with the same entrance compete for requests."""


def check_entrances(case: Case) -> Iterator[Fault]:
    """Check that no untargeted route shares hostname, port and path with a targeted route (P10)."""
    # NGINX Gateway Fabric (TargetConflict): the policy would apply to the other route as well, as
    # both are one location of NGINX.
    if not case.subject.kind.controller.refuses_overlap:
        return
    targeted = {target.ref.whole for target in case.attached}
    by_route, routes = _index_entrances(case.around.topology)
    for target in case.attached:
        for entrance in by_route.get(target.ref.whole, ()):
            others = sorted(routes[entrance] - targeted)
            if others:
                gateway, hostname, port, path = entrance
                yield Fault(
                    codes.SHARED_DOOR,
                    f"{target.ref} has the path {path} of {hostname or 'all hostnames'} on port "
                    f"{port} of {gateway} in common with {', '.join(map(str, others))}, which "
                    "the policy does not target: it is refused",
                    "target the other route as well, or let them have different paths",
                    target.link.path,
                )
                break


@memoised
def _index_entrances(
    topology: Topology,
) -> tuple[dict[Ref, dict[_Entrance, None]], dict[_Entrance, set[Ref]]]:
    """Return each route's entrances (Gateway, hostname, port, path), and each entrance's routes."""
    by_route: dict[Ref, dict[_Entrance, None]] = {}
    routes: dict[_Entrance, set[Ref]] = {}
    for path in find_rule_paths(topology):
        if path.route is not None:
            for entrance in _list_entrances(topology, path, path.route):
                routes.setdefault(entrance, set()).add(path.route)
                by_route.setdefault(path.route, {})[entrance] = None
    return by_route, routes


def _list_entrances(topology: Topology, path: RequestPath, ref: Ref) -> Iterator[_Entrance]:
    listener = find_listener(topology, path)
    route = topology.nodes[ref]
    index = (route.sections or (path.rule,)).index(path.rule)
    matches = route.matches[index] if index < len(route.matches) else ()
    names = path.hostnames or (listener.hostname,)
    for name in names:
        host = listener.hostname if is_within(listener.hostname, name or "*") else name
        for match in matches:
            yield path.gateway, host or name, listener.port, match.path


def check_unmerged_gateway(case: Case) -> Iterator[Fault]:
    """Check that no merged Gateway is targeted, as the policy applies to the whole class (P10)."""
    for target in case.targets:
        is_class = (target.ref.group, target.ref.kind) == GATEWAY_CLASS
        if not (is_class and target in case.attached) and is_for_class(case, target.ref):
            yield Fault(
                codes.WRONG_TARGET,
                f"has {target.ref} for a target, and the parameters of a GatewayClass make all "
                f"Gateways of it one: {case.subject.kind.kind} is for the class then",
                "target the GatewayClass",
                target.link.path,
            )

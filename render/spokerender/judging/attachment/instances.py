"""Rules about one policy: its targets, its fields, and how many gateways it reaches."""

from __future__ import annotations

from collections.abc import Iterator

from spokerender.findings.codes import attachment as codes
from spokerender.findings.faults import Fault
from spokerender.findings.suggest import did_you_mean
from spokerender.judging.attachment.case import GATEWAY_CLASS, Case, sections_of
from spokerender.judging.attachment.model import ROOM, Truth
from spokerender.kinds import Process, Role, found
from spokerender.kinds.kind import ROUTE
from spokerender.kinds.paths import segments
from spokerender.kinds.references import WHOLE_NAMESPACE
from spokerender.kinds.table import find_row
from spokerender.model import GATEWAY_API, FieldPath, shown

_NAMING = (Role.TARGET, Role.SELECTOR)


def declares_target(case: Case) -> Iterator[Fault]:
    """P1: there is a target, or the kind needs none."""
    kind, data = case.subject.kind, case.subject.object
    naming = [rule for rule in kind.references if rule.role in _NAMING and not rule.assumed]
    if not naming or kind.targetless:
        return
    rules = [rule for rule in kind.references if rule.role in (*_NAMING, Role.LABEL)]
    if not any(found(data, rule.path) for rule in rules):
        fields = " or ".join(dict.fromkeys(shown(_field(rule.path)) for rule in naming))
        yield Fault(
            codes.NO_TARGET,
            "has no target, so it is for nothing",
            f"name its target in {fields}",
            ("spec",),
        )


def selects_something(case: Case) -> Iterator[Fault]:
    """P3: a selector selects at least one target. What is named is looked up by other stages."""
    for target in case.targets:
        is_empty = target.link.selector is not None and not target.ref.name
        if is_empty and target.state is Truth.FALSE:
            yield Fault(
                codes.NOTHING_SELECTED,
                target.why,
                "label the targets so, or correct the selector",
                target.link.path,
            )


def is_carried_out(case: Case) -> Iterator[Fault]:
    """P3: the gateways of a target are those of its own controller, where both are known."""
    for target in case.targets:
        if target.is_foreign:
            yield Fault(
                codes.FOREIGN_GATEWAY,
                f"{target.ref}: {target.why}, so nobody carries the policy out there",
                "write a policy of that controller's, or place the gateway with a class of this "
                "one's",
                target.link.path,
            )


def names_port(case: Case) -> Iterator[Fault]:
    """P4: a Service has the port that a section name says. Others: `rendering.checks`."""
    for target in case.targets:
        node = case.around.topology.nodes.get(target.ref.whole)
        if node is None or target.state is not Truth.FALSE or not target.ref.section_name:
            continue
        known, noun = sections_of(node, case.subject, case.around)
        if noun == "port":
            cure = did_you_mean(target.ref.section_name, known or (), "its ports are")
            place = (*target.link.path, target.link.row.section)
            yield Fault(codes.MISSING_PORT, target.why, cure or "name its ports", place)


def names_rule(case: Case) -> Iterator[Fault]:
    """P5: a route's section name is a rule's, not that of something that a rule sends to."""
    for target in case.targets:
        node = case.around.topology.nodes.get(target.ref.whole)
        section = target.ref.section_name
        if node is None or not node.is_route or section in (node.sections or ()):
            continue
        for link in node.references:
            if link.row.role is Role.BACKEND and link.ref.name == section:
                yield Fault(
                    codes.NAMES_BACKEND,
                    f'"{section}" is a backend of {node.ref}, and no rule of it',
                    f"target {link.ref.whole} itself, or give the rule that name",
                    (*target.link.path, target.link.row.section),
                )
                break


def sets_one_of(case: Case) -> Iterator[Fault]:
    """P6: of fields that exclude each other there is one."""
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


def is_granted(case: Case) -> Iterator[Fault]:
    """P9: a target in another namespace is granted by a ReferenceGrant there.

    Kinds that can't name one are told of by `spokerender.kinds.malformed`.
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


def fits_kind(case: Case) -> Iterator[Fault]:
    """P10: targets are of kinds that the policy is for; the CRD's CEL knows better, if given.

    Groups that are absent, or have a version in them, are told of by `spokerender.kinds.malformed`.
    """
    allowed = _allowed(case)
    for target in case.targets:
        ref = target.ref
        if not allowed or target.link.row.role not in _NAMING:
            continue
        if target.link.row == WHOLE_NAMESPACE:
            continue
        own = ("", GATEWAY_API, case.subject.kind.group)
        is_group = ref.group not in own and "/" not in ref.group
        foreign = is_group and find_row(GATEWAY_API, ref.kind) is not None
        if foreign or ref.kind not in allowed:
            what = f"{ref.kind} of group {ref.group}" if foreign else ref.kind
            of = f" of group {GATEWAY_API}" if foreign else ""
            yield Fault(
                codes.WRONG_TARGET,
                f"has a target of kind {what}, and {case.subject.kind.kind} is for "
                f"{_or(allowed)}{of}",
                f"target {_or(allowed)}{of}",
                (*target.link.path, "group" if foreign else "kind"),
            )


def may_ask(case: Case) -> Iterator[Fault]:
    """P10: only a policy on routes asks to be merged; the CRD's CEL knows better, if given."""
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


def _allowed(case: Case) -> tuple[str, ...]:
    """The kinds that the row lets it attach to, where no CRD is there to say so itself."""
    return case.subject.kind.targets if case.definition is None else ()


def _or(words: tuple[str, ...]) -> str:
    """The words as a choice: `a, b or c`."""
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def has_one_strategy(case: Case) -> Iterator[Fault]:
    """P14: at most one merge strategy. In the single-policy process both are meant to be there."""
    merging = case.subject.kind.merged
    if merging.process in (Process.SINGLE, Process.ALL):
        return
    bare = segments(merging.substance)[:1] if merging.substance else ()
    blocks = [str(name) for name in (*bare, "defaults", "overrides") if case.spec.get(name)]
    if len(blocks) > 1:
        names = " and ".join(f"spec.{name}" for name in blocks)
        yield Fault(
            codes.TWO_STRATEGIES,
            f"has {names}, and a policy has one merge strategy",
            "keep one of them, and put the other into a policy of its own",
            ("spec", blocks[-1]),
        )


def fits_scope(case: Case) -> Iterator[Fault]:
    """P15: only a cluster-scoped policy is for a GatewayClass, unless its kind says otherwise."""
    kind = case.subject.kind
    if not kind.namespaced or "GatewayClass" in kind.targets or _allowed(case):
        return
    for target in case.targets:
        if (target.ref.group, target.ref.kind) == GATEWAY_CLASS:
            yield Fault(
                codes.CLASS_TARGET,
                f"{target.ref} is for all namespaces, and {kind.kind} is namespaced",
                "target the Gateways of the class",
                target.link.path,
            )


def has_room(case: Case) -> Iterator[Fault]:
    """P16: its status has an entry for each gateway that it reaches."""
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
        _first(case),
    )


def _first(case: Case) -> FieldPath:
    return case.targets[0].link.path if case.targets else ()


def _field(pattern: str) -> FieldPath:
    """The field of `spec` that a pattern begins with."""
    return segments(pattern)[:2]

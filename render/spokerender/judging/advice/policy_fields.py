"""Advice on policies' fields with less effect than they seem to have, and on absent objects."""

from collections.abc import Iterator

from spokerender.findings.codes import advice as codes
from spokerender.findings.phrasing import joined
from spokerender.findings.results import Result
from spokerender.judging.advice.view import AdvisedObject, JudgedSpokeView, read_rules
from spokerender.judging.attachment.statuses import is_known_from_files
from spokerender.judging.effective.blocks import have_same_items
from spokerender.kinds.kind import SECTION, Role
from spokerender.kinds.merging import Process
from spokerender.kinds.needs import read_requirements
from spokerender.kinds.references import read_references
from spokerender.model import FieldPath, Ref, kind_name, shown


def check_unread_fields(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a finding for each field beside `defaults` or `overrides` that no controller reads."""
    for ref, policy in sorted(view.objects.items()):
        if not policy.kind.traits.unheard:
            continue
        block = policy.declared[0].beside
        for name in policy.kind.traits.unheard if block else ():
            if policy.spec.get(name):
                yield view.result(
                    codes.UNHEARD_FIELD,
                    ref,
                    f"spec.{name} has no effect: of a {ref.kind} with spec.{block} only what "
                    "is in there counts",
                    f"move it to spec.{block}.{name}",
                    field=f"spec.{name}",
                )


def check_matches(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a finding for each entry in a policy's `rules` with matches that no route rule has."""
    # By Kuadrant's RFC of a single policy per route, such an entry is not in force as yet.
    for policy, attachment in view.policies:
        if policy.kind.merged.process is not Process.SINGLE:
            continue
        on = [path for path in view.paths if not {*attachment.targets}.isdisjoint(path.levels)]
        routes = dict.fromkeys(path.route for path in on if path.route is not None)
        rules = [rule for route in routes for rule in read_rules(view, route).values()]
        for block in policy.declared if rules else ():
            for index, matches in enumerate(block.scope or ()):
                if not any(have_same_items(rule.get("matches"), matches) for rule in rules):
                    yield view.result(
                        codes.NO_ROUTE_BENEATH,
                        policy.ref,
                        f"no rule of {joined(routes)} has these matches: what the policy "
                        "asks of their requests is not in force yet",
                        "write all matches of a rule, as the rule has them",
                        field=f"spec.{block.beside}.rules[{index}].matches",
                    )


def check_predicates(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a finding for each predicate that the policy's controller refuses on a path."""
    refused = (lost for outcome, _ in view.outcomes for lost in outcome.refused)
    for lost in dict.fromkeys(lost for lost in refused if lost.field[-1] == "predicate"):
        yield view.result(
            codes.REFUSED_PREDICATE,
            lost.policy,
            f"the predicate does not compile: {lost.why}; its controller leaves the policies of "
            "this kind out on that path, and requests pass without them",
            "correct the expression, or let only routes have it that have what it reads",
            field=shown(lost.field),
        )


def check_positional_rules(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a finding for each target that is a route rule without a name, found by position."""
    for policy, attachment in view.policies:
        node = view.topology.nodes.get(policy.ref)
        for target in attachment.targets:
            index = _find_unnamed_rule(view, target)
            if index is None:
                continue
            links = node.references if node is not None else ()
            paths = [link.path for link in links if target.section_name in link.sections]
            yield view.result(
                codes.POSITIONAL_RULE,
                policy.ref,
                f"{target.section_name} is the rule of {target.whole} that stands at that place "
                "now: a rule inserted before it moves the policy to another one, silently",
                f"name the rule (spec.rules[{index}].name of {target.whole}) and target that name",
                field=shown((*paths[0], SECTION)) if paths else "",
            )


def _find_unnamed_rule(view: JudgedSpokeView, target: Ref) -> int | None:
    """Return the index of the targeted rule; None if no rule is targeted, or it has a name."""
    route = view.topology.nodes.get(target.whole)
    if route is None or not target.section_name or not route.rules:
        return None
    sections = route.sections or ()
    if target.section_name not in sections or target.section_name in route.rules:
        return None
    return sections.index(target.section_name)


def check_absent_objects(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a finding for each referenced object in no file, if its kind is in `completeKinds`."""
    if not view.topology.around.external.complete_kinds:
        return
    for ref, item in sorted(view.objects.items()):
        attachment = view.attachments.get(ref)
        # A policy that is refused for the absent object has a finding about it already.
        reported = {fault.field for fault in attachment.faults} if attachment is not None else ()
        for needed, path in dict.fromkeys(_list_named(item)):
            if path not in reported and view.topology.is_absent(needed):
                yield _report(view, ref, needed, path)


def _list_named(item: AdvisedObject) -> Iterator[tuple[Ref, FieldPath]]:
    """Yield the objects that `item` references, except Gateways and routes, each with the field."""
    for need in read_requirements(item.kind, item.object, item.ref.namespace):
        if need.selector is None and not need.row.elsewhere:
            yield need.ref.whole, need.path
    for link in read_references(item.kind, item.object, item.ref.namespace):
        # Absent Gateways and routes are reported by other checks.
        if link.row.role is Role.TARGET and not is_known_from_files(link.ref):
            yield link.ref.whole, link.path


def _report(view: JudgedSpokeView, ref: Ref, needed: Ref, path: FieldPath) -> Result:
    kind = kind_name(needed.group, needed.kind)
    return view.result(
        codes.ABSENT,
        ref,
        f"{needed} is neither in the hub nor under spec.external of fleet.yaml, whose "
        f"spec.completeKinds says that these have every {kind} of the spokes",
        "correct the name, add the object to the hub, or declare it under `spec.external`",
        field=shown(path),
    )

"""Advice on fields of a policy that do less, or something else, than they seem to."""

from collections.abc import Iterator

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import Result
from spokerender.judging.advice.view import JudgedSpokeView
from spokerender.kinds.kind import SECTION
from spokerender.model import Ref, shown


def check_unread_fields(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a result for each field beside `defaults` or `overrides` that no controller reads."""
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


def check_positional_rules(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a result for each target that is a rule without a name, which its position names."""
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
    """Return the index of the rule that is the target, if that rule has no name of its own."""
    route = view.topology.nodes.get(target.whole)
    if route is None or not target.section_name or not route.rules:
        return None
    sections = route.sections or ()
    if target.section_name not in sections or target.section_name in route.rules:
        return None
    return sections.index(target.section_name)

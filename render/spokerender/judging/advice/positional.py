"""A section name that counts rules: `rule-2` is another rule as soon as one is inserted."""

from __future__ import annotations

from collections.abc import Iterator

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import Result
from spokerender.judging.advice.context import SpokeView
from spokerender.kinds.kind import SECTION
from spokerender.model import Ref, shown


def check(view: SpokeView) -> Iterator[Result]:
    """Yield a result for each target that is a rule without a name."""
    for policy, attachment in view.policies:
        node = view.topology.nodes.get(policy.ref)
        for target in attachment.targets:
            index = _unnamed(view, target)
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


def _unnamed(view: SpokeView, target: Ref) -> int | None:
    """The index of the rule that the target is, if that rule has no name of its own."""
    route = view.topology.nodes.get(target.whole)
    if route is None or not target.section_name or not route.rules:
        return None
    sections = route.sections or ()
    if target.section_name not in sections or target.section_name in route.rules:
        return None
    return sections.index(target.section_name)

"""Checks whether a policy's controller accepts or may accept the values in the policy (P19)."""

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from spokerender.findings.codes import attachment as codes
from spokerender.findings.results import Fault
from spokerender.judging.attachment.case import Case
from spokerender.judging.attachment.statuses import INVALID, FailingField, HoldsRule
from spokerender.judging.attachment.target_listeners import list_protocols
from spokerender.kinds.columns import IS_CEL, PARTIALLY_VALID, Demand
from spokerender.kinds.fields import find_values
from spokerender.kinds.kind import Kind
from spokerender.model import FieldPath, shown
from spokerender.model.shapes import Json

_REMEMBERED = 2_000
_Broken = Iterator[tuple[Demand, FieldPath]]


def find_failing_values(case: Case) -> Iterator[FailingField]:
    """Yield the values because of which requests to the policy's targets fail."""
    for demand, path in _find_broken(case, fails=True):
        yield path, _describe_demand(demand, path)


def explain_refused_values(case: Case, reason: str = INVALID) -> str:
    """Return why values of the policy lead to a reason of `Accepted`; empty if they do not."""
    broken = (
        _describe_demand(demand, path)
        for demand, path in _find_broken(case, fails=False, reason=reason)
    )
    return "; ".join(dict.fromkeys(broken))


def explain_unseen(case: Case) -> str:
    """Return the facts in no file on which the policy's acceptance depends; empty if none."""
    data, kind = case.subject.object, case.subject.kind
    unseen_values = (
        f"{shown(path)}: {unseen.why}"
        for unseen in kind.unseen
        if not any(find_values(data, pattern) for pattern in unseen.unless)
        for path, value in find_values(data, unseen.path)
        if not unseen.rule or case.around.holds(unseen.rule, value)
    )
    undeclared = (
        f"{_describe_demand(demand, path)}, which `controllers` in fleet.yaml does not declare "
        f"(off by default in {kind.controller.id} {kind.controller.release})"
        for demand, path in _find_violated(case, [it for it in kind.demands if it.setting])
    )
    return "; ".join(dict.fromkeys((*undeclared, *unseen_values)))


def explain_merged(
    kind: Kind, holds: HoldsRule, spec: Mapping[str, Any], target: str
) -> tuple[str, str]:
    """Return why a merged spec is refused, and why requests to a target fail with it.

    `spec` is the merged spec, `target` the target's kind. A text is empty if there is no reason.
    """
    data, faults = {"spec": spec}, {False: "", True: ""}
    for demand in kind.demands:
        if not demand.setting and target in (demand.targets or (target,)):
            for path, value in find_values(data, demand.path):
                if not holds(demand.rule, value):
                    faults[demand.fails] = faults[demand.fails] or _describe_demand(demand, path)
    return faults[False], faults[True]


def check_values(case: Case, *, fails: bool, reason: str = INVALID) -> Iterator[Fault]:
    """Check that the controller accepts the policy's values (P19).

    With `fails`, only values that let requests fail are checked, else only values by which the
    policy is refused, or with PARTIALLY_VALID accepted without them. `reason` selects the demands
    with this reason of `Accepted`.
    """
    controller = case.subject.kind.controller.id
    code = codes.FAILING_VALUE if fails else codes.REFUSED_VALUE
    effect = "does not accept the policy, and carries nothing of it out"
    if fails:
        effect = "does not accept the policy, and answers requests on its targets with 500"
    elif reason == PARTIALLY_VALID:
        effect = "accepts the policy, and the expression fails each time"
    for demand, path in _find_broken(case, fails=fails, reason=reason):
        message = f"{_describe_demand(demand, path)}: {controller} {effect}"
        yield Fault(code, message, f"correct {shown(path)}", path)


def _describe_demand(demand: Demand, path: FieldPath) -> str:
    return f"{shown(path)} {demand.says}".lstrip()


def _find_broken(case: Case, *, fails: bool, reason: str = "") -> _Broken:
    own = (it for it in case.subject.kind.demands if it.fails is fails and not it.setting)
    return _find_violated(case, (it for it in own if reason in ("", it.reason)))


def _find_violated(case: Case, among: Iterable[Demand]) -> _Broken:
    for demand in among:
        protocols, data = demand.protocols, case.subject.object
        values = find_values(data, demand.path) if demand.path else [((), data)]
        is_meant = bool(values) and _is_for(demand.targets, case)
        if is_meant and (not protocols or not set(protocols).isdisjoint(list_protocols(case))):
            for path, value in values:
                if not demand.rule or not case.around.holds(demand.rule, value):
                    yield demand, path


def _is_for(kinds: tuple[str, ...], case: Case) -> bool:
    return not kinds or any(target.ref.kind in kinds for target in case.attached)


def holds_rule(rule: str, value: Json) -> bool:
    """Return whether a CEL rule about `self` holds for a value."""
    return holds_rule_of_json(rule, json.dumps(value, sort_keys=True, default=str))


@lru_cache(maxsize=_REMEMBERED)
def holds_rule_of_json(rule: str, text: str) -> bool:
    """Return whether a CEL rule holds for a value, given as JSON so that results can be cached."""
    from spokerender.formats import cel  # noqa: PLC0415  (the library is slow to start)

    value = json.loads(text)
    if rule == IS_CEL:
        from spokerender.formats.cel.requests import is_cel  # noqa: PLC0415  (as above)

        return not isinstance(value, str) or is_cel(value)
    try:
        outcome = cel.compile_rule(rule).evaluate(cel.bind(value, repr(value)))
    except cel.UnevaluableError:
        # A rule that can't be evaluated here counts as kept: better no finding than a wrong one.
        return True
    return outcome is True

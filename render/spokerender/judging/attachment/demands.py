"""What a policy's controller asks of its values, and what it alone can tell (P19).

A value may have a slot in it (`model.slots`): then it is taken to be good, and the spoke's
own value is asked about.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from spokerender.findings.codes import attachment as codes
from spokerender.findings.faults import Fault
from spokerender.judging.attachment.case import Case
from spokerender.kinds import found
from spokerender.kinds.demands import Demand
from spokerender.model import FieldPath, shown
from spokerender.model.asking import ask
from spokerender.model.slots import NumberSlot, has_slot, slots_in

_REMEMBERED = 2_000


def fails_no_demand(case: Case) -> Iterator[Fault]:
    """P19: values are such that requests on its targets need not be refused."""
    yield from _told(case, codes.FAILING_VALUE, fails=True)


def breaks_no_demand(case: Case) -> Iterator[Fault]:
    """P19: values are such that the policy is carried out."""
    yield from _told(case, codes.REFUSED_VALUE, fails=False)


def failing(case: Case) -> str:
    """Why requests on its targets are refused for a value of it; empty where they aren't."""
    broken = (_says(demand, path) for demand, path in _broken(case, fails=True))
    return "; ".join(dict.fromkeys(broken))


def unseen(case: Case) -> str:
    """What its controller has to find out about it, of which no file tells."""
    data, kind = case.subject.object, case.subject.kind
    return "; ".join(
        dict.fromkeys(
            f"{shown(path)}: {each.why}"
            for each in kind.unseen
            if _is_for(each.targets, case)
            and not any(found(data, pattern) for pattern in each.unless)
            for path, value in found(data, each.path)
            if not each.rule or _holds(each.rule, value)
        )
    )


def _told(case: Case, code: Any, *, fails: bool) -> Iterator[Fault]:  # noqa: ANN401
    for demand, path in _broken(case, fails=fails):
        controller = case.subject.kind.controller.id
        then = "answers requests on its targets with 500" if fails else "carries nothing of it out"
        yield Fault(
            code,
            f"{_says(demand, path)}: {controller} does not accept the policy, and {then}",
            f"correct {shown(path)}",
            path,
        )


def _says(demand: Demand, path: FieldPath) -> str:
    return f"{shown(path)} {demand.says}"


def _broken(case: Case, *, fails: bool) -> Iterator[tuple[Demand, FieldPath]]:
    for demand in case.subject.kind.demands:
        if demand.fails is fails and _is_asked(demand, case):
            for path, value in found(case.subject.object, demand.path):
                if not _holds(demand.rule, value):
                    yield demand, path


def _is_asked(demand: Demand, case: Case) -> bool:
    if not _is_for(demand.targets, case):
        return False
    return not demand.protocols or any(
        protocol in demand.protocols for protocol in _protocols(case)
    )


def _is_for(kinds: tuple[str, ...], case: Case) -> bool:
    return not kinds or any(each.ref.kind in kinds for each in case.attached)


def _protocols(case: Case) -> Iterator[str]:
    """Those of the listeners that it targets."""
    for target in case.attached:
        node = case.around.topology.nodes.get(target.ref.whole)
        for listener in node.listeners if node is not None else ():
            if target.ref.section_name in ("", listener.name):
                yield listener.protocol


def _holds(rule: str, value: Any) -> bool:  # noqa: ANN401  (JSON of any shape)
    if not slots_in(value):
        return _evaluated(rule, json.dumps(value, sort_keys=True, default=str))
    texts: list[str] = []
    shape = json.dumps(_apart(value, texts), sort_keys=True, default=str)
    return ask(_asked, rule, shape, tuple(texts))


def _apart(value: Any, texts: list[str]) -> Any:  # noqa: ANN401
    """The value with the places of its texts (and of slots for numbers) instead of them."""
    if isinstance(value, dict):
        return {key: _apart(item, texts) for key, item in value.items()}
    if isinstance(value, list):
        return [_apart(item, texts) for item in value]
    if isinstance(value, str | NumberSlot):
        texts.append(f"{'#' if isinstance(value, NumberSlot) else '='}{value}")
        return str(len(texts) - 1)
    return value


def _together(shape: Any, texts: tuple[str, ...]) -> Any:  # noqa: ANN401
    if isinstance(shape, dict):
        return {key: _together(item, texts) for key, item in shape.items()}
    if isinstance(shape, list):
        return [_together(item, texts) for item in shape]
    if isinstance(shape, str):
        text = texts[int(shape)]
        return _number(text[1:]) if text.startswith("#") else text[1:]
    return shape


def _number(text: str) -> int | str:
    """What stands for a slot for numbers; on a spoke that is asked about it may be no number."""
    return int(text) if text.removeprefix("-").isdecimal() else text


def _asked(rule: str, shape: str, texts: tuple[str, ...]) -> bool:
    if any(map(has_slot, texts)):
        return True
    return _evaluated(rule, json.dumps(_together(json.loads(shape), texts), sort_keys=True))


@lru_cache(maxsize=_REMEMBERED)
def _evaluated(rule: str, text: str) -> bool:
    """Whether it holds; what can't be evaluated here is not told to be wrong."""
    from spokerender.formats import cel  # noqa: PLC0415  (the library is slow to start)

    value = json.loads(text)
    try:
        outcome = cel.compiled(rule).evaluate(cel.bind(value, repr(value)))
    except cel.UnevaluableError:
        return True
    return outcome is True

"""The functions that OCM adds: the scores of a cluster, and JSON in texts.

Source: open-cluster-management-io/sdk-go v1.2.0, `pkg/cel/library`.
"""

import json
import re
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, NoReturn

from spokerender.formats.cel.functions import OPAQUE, CelValue, Function, charge_text, member

FindScores = Callable[[str, str], list[dict[str, Any]] | None]
"""Returns the scores of an AddOnPlacementScore, by its namespace and name; None if it is absent."""
_UNSCORED = (
    *("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"),
    *("list(dyn)", "null", "type", *OPAQUE),
)


class _CurrentScores:
    """The scores of the current evaluation; there is one evaluation at a time.

    `panic` is a fault that ends an evaluation in OCM, whatever `||` is beside it.
    """

    __slots__ = ("find_scores", "panic")

    def __init__(self) -> None:
        self.find_scores: FindScores = lambda _namespace, _name: None
        self.panic = ""


CURRENT_SCORES = _CurrentScores()


def _scores(cluster: CelValue, name: str) -> CelValue:
    metadata = _find_part(cluster, "metadata")
    named = _find_part(metadata if isinstance(metadata, Mapping) else _refuse_unscored(), "name")
    scores = CURRENT_SCORES.find_scores(
        named if isinstance(named, str) else _refuse_unscored(), name
    )
    if scores is None:
        message = f'no AddOnPlacementScore "{name}"'
        raise ValueError(message)
    return scores


def _find_part(data: Mapping[str, CelValue], key: str) -> CelValue:
    if key not in data:
        message = f"no such key: {key}"
        raise ValueError(message)
    return data[key]


def _refuse_constant(text: str) -> NoReturn:
    message = f"{text} is no JSON"
    raise ValueError(message)


def _parse_json(text: str) -> CelValue:
    """Decode JSON as Go does: every number is a double, and halves of characters are replaced."""
    try:
        value = json.loads(
            charge_text(text),
            parse_float=_finite,
            parse_int=_finite,
            parse_constant=_refuse_constant,
        )
        return _replace_halves(value) if "\\u" in text else value
    except RecursionError:
        message = "the JSON is nested too deeply"
        raise ValueError(message) from None


def _finite(text: str) -> float:
    number = float(text)
    return number if isfinite(number) else _refuse_constant(text)


def _replace_halves(value: CelValue) -> CelValue:
    """Replace what is no character by U+FFFD, which the library does not take otherwise."""
    if isinstance(value, str):
        return re.sub("[\ud800-\udfff]", "\ufffd", value)
    if isinstance(value, list):
        return [_replace_halves(item) for item in value]
    if isinstance(value, dict):
        return {_replace_halves(key): _replace_halves(item) for key, item in value.items()}
    return value


def _refuse_unscored(*_: CelValue) -> NoReturn:
    CURRENT_SCORES.panic = "scores() of something that is no cluster"
    raise ValueError(CURRENT_SCORES.panic)


OCM_FUNCTIONS = (
    member("parseJSON", "string", "dyn", _parse_json),
    Function("scores", ("map(string, dyn)", "string"), "list(dyn)", _scores),
    *(Function("scores", (kind, "string"), "list(dyn)", _refuse_unscored) for kind in _UNSCORED),
)

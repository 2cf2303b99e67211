"""The functions that OCM adds: the scores of a cluster, and JSON in texts.

Source: open-cluster-management-io/sdk-go v1.2.0, `pkg/cel/library`.
"""

import json
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, NoReturn

from spokerender.formats.cel.functions import NOT_HERE, CelValue, Function, charge_text, member

FindScores = Callable[[str, str], list[dict[str, Any]] | None]
"""Returns the scores of an AddOnPlacementScore, by its namespace and name; None if it is absent."""
CURRENT_SCORES: list[FindScores] = []
"""The one function that finds scores in the current evaluation: there is one at a time."""
NO_CLUSTER = f"scores() of something that is no cluster: {NOT_HERE}"
"""A doubt, since it ends an evaluation in OCM, whatever `||` is beside it."""


def _scores(cluster: CelValue, name: str) -> CelValue:
    named = _find_part(_find_part(cluster, "metadata"), "name")
    if not isinstance(named, str):
        _refuse(NO_CLUSTER)
    scores = CURRENT_SCORES[0](named, name)
    return _refuse(f'no AddOnPlacementScore "{name}"') if scores is None else scores


def _find_part(data: CelValue, key: str) -> CelValue:
    if not isinstance(data, Mapping):
        _refuse(NO_CLUSTER)
    return data[key] if key in data else _refuse(f"no such key: {key}")


def _parse_json(text: str) -> CelValue:
    """Decode JSON as Go does: every number is a double. Raises ValueError."""
    if "\\ud" in charge_text(text).lower():  # Go replaces halves of characters
        _refuse(f"JSON with parts of characters: {NOT_HERE}")
    try:
        return json.loads(
            text, parse_float=_finite, parse_int=_finite, parse_constant=_refuse_constant
        )
    except RecursionError:
        _refuse("the JSON is nested too deeply")


def _finite(text: str) -> float:
    number = float(text)
    return number if isfinite(number) else _refuse_constant(text)


def _refuse_constant(text: str) -> NoReturn:
    _refuse(f"{text} is no JSON")


def _refuse(message: str) -> NoReturn:
    raise ValueError(message)


OCM_FUNCTIONS = (
    member("parseJSON", "string", "dyn", _parse_json),
    Function("scores", ("map(string, dyn)", "string"), "list(dyn)", _scores),
)

"""Rules about values that may have slots in them (`spokerender.model.slots`).

A value with a slot is taken to be good; asking records the rule, so that it is evaluated again with
the value of each spoke (`spokerender.model.slots`).
"""

import json

from spokerender.judging.attachment.demands import holds_rule, holds_rule_of_json
from spokerender.model.shapes import Json, map_children
from spokerender.model.slots import NumberSlot, consult, has_slot, slots_in


def holds_rule_of_slots(rule: str, value: Json) -> bool:
    """Tell whether a CEL rule holds of a value, as far as it does not depend on slots."""
    if not slots_in(value):
        return holds_rule(rule, value)
    # A question is about texts: so the texts are taken out of the value's shape, in order.
    texts: list[str] = []
    shape = json.dumps(_take_texts(value, texts), sort_keys=True, default=str)
    return consult(_holds_of_texts, rule, shape, tuple(texts))


def _holds_of_texts(rule: str, shape: str, texts: tuple[str, ...]) -> bool:
    if any(map(has_slot, texts)):
        return True
    value = _put_texts(json.loads(shape), texts)
    return holds_rule_of_json(rule, json.dumps(value, sort_keys=True))


def _take_texts(value: Json, texts: list[str]) -> Json:
    """Move texts and slots for numbers to `texts`; their places are left in the value."""
    if isinstance(value, str | NumberSlot):
        texts.append(f"{'#' if isinstance(value, NumberSlot) else '='}{value}")
        return str(len(texts) - 1)
    return map_children(value, lambda item: _take_texts(item, texts))


def _put_texts(shape: Json, texts: tuple[str, ...]) -> Json:
    if isinstance(shape, str):
        text = texts[int(shape)]
        return _read_number(text[1:]) if text.startswith("#") else text[1:]
    return map_children(shape, lambda item: _put_texts(item, texts))


def _read_number(text: str) -> int | str:
    """Return the number that filled a slot; on a spoke it may be no number."""
    return int(text) if text.removeprefix("-").isdecimal() else text

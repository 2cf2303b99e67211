"""Evaluates CEL rules on values that may contain placeholders (slots, `spokerender.model.slots`).

A rule is taken to hold for a value with slots. This is recorded, and checked later with the values
of each spoke.
"""

import json

from spokerender.judging.attachment.demands import holds_rule, holds_rule_of_json
from spokerender.model.shapes import Json, map_children
from spokerender.model.slots import NumberSlot, consult, has_slot, slots_in


def holds_rule_of_slots(rule: str, value: Json) -> bool:
    """Return whether a CEL rule holds for a value; if it has slots, record the evaluation."""
    if not slots_in(value):
        return holds_rule(rule, value)
    # Recorded questions have only texts as arguments, so texts and shape are separated.
    texts: list[str] = []
    shape = json.dumps(_take_texts(value, texts), sort_keys=True, default=str)
    return consult(_holds_of_texts, rule, shape, tuple(texts))


def _holds_of_texts(rule: str, shape: str, texts: tuple[str, ...]) -> bool:
    if any(map(has_slot, texts)):
        return True
    value = _put_texts(json.loads(shape), texts)
    return holds_rule_of_json(rule, json.dumps(value, sort_keys=True))


def _take_texts(value: Json, texts: list[str]) -> Json:
    """Return the value with an index for each text and number slot; add these to `texts`."""
    if isinstance(value, str | NumberSlot):
        texts.append(f"{'#' if isinstance(value, NumberSlot) else '='}{value}")
        return str(len(texts) - 1)
    return map_children(value, lambda item: _take_texts(item, texts))


def _put_texts(shape: Json, texts: tuple[str, ...]) -> Json:
    if isinstance(shape, str):
        text = texts[int(shape)]
        # On a spoke, the value that fills a number's slot may be no number.
        is_number = text.startswith("#") and text[1:].removeprefix("-").isdecimal()
        return int(text[1:]) if is_number else text[1:]
    return map_children(shape, lambda item: _put_texts(item, texts))

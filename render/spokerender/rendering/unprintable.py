"""What an object can't have if engines are to carry it: characters, and keys."""

from __future__ import annotations

from itertools import chain
from typing import Any

from spokerender.findings.codes.shipping import UNPRINTABLE
from spokerender.findings.results import Result
from spokerender.formats import yamlio
from spokerender.model import Origin, Ref, Spoke, slots
from spokerender.rendering.values.bundles import Variant


def fault_of(variant: Variant, *, is_plain: bool) -> Result | None:
    """What no engine could carry in an object.

    With `is_plain` all is well with what somebody wrote, and only what is not so written may be
    strange.
    """
    written = variant.shipped.written if is_plain else None
    return _fault(variant, _new(variant.object, written.object if written is not None else None))


def value_fault(value: object, spoke: Spoke) -> Result | None:
    """What no engine could carry in a spoke's own value, which is told where the spoke is."""
    problem = _text_problem(value) if isinstance(value, str) else None
    return _unsupported(problem, None, spoke.origin) if problem else None


def _new(data: Any, known: Any) -> Any:  # noqa: ANN401  (JSON of any shape)
    """What is not in the data that is known, in mappings and lists as it stands there."""
    if data is known:
        return None
    if isinstance(data, dict) and isinstance(known, dict):
        return {key: _new(value, known.get(key)) for key, value in data.items()}
    if isinstance(data, list) and isinstance(known, list) and len(data) == len(known):
        return [_new(one, other) for one, other in zip(data, known, strict=True)]
    return data


def _fault(variant: Variant, strange: Any) -> Result | None:  # noqa: ANN401  (JSON of any shape)
    """What no engine could carry in the part of a variant that may be strange."""
    texts = map(_text_problem, slots.strings_in(strange))
    keys = map(_key_problem, slots.keys_in(strange))
    problem = next(filter(None, chain(texts, keys)), None)
    if problem is None:
        return None
    return _unsupported(problem, variant.manifest.ref, variant.manifest.origin)


def _text_problem(text: str) -> str | None:
    name = yamlio.unsupported(slots.without_slots(text))
    return f"a string has the character {name}, which kustomize can't carry" if name else None


def _key_problem(key: str) -> str | None:
    problem = yamlio.unsupported_key(key)
    return f'the key "{key[:40]}": {problem}' if problem else None


def _unsupported(problem: str, ref: Ref | None, origin: Origin) -> Result:
    return UNPRINTABLE.result(
        problem,
        cure="write it in another way, or encode the text",
        resource=ref,
        origin=origin,
    )

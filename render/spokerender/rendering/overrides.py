"""Overrides: merge patches and JSON patches for one object of a spoke, after retargeting.

They match hub names, are applied in their order, and may change neither the identity of an object
nor what its references name: placement alone decides that.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from spokerender.findings.causes import SYNC_LIST, UNREADABLE_HUB, unshipped
from spokerender.findings.codes.placement import BAD_TEMPLATE
from spokerender.findings.codes.shipping import (
    OVERRIDE_FAILED,
    OVERRIDE_FORBIDDEN,
    OVERRIDE_IDLE,
    OVERRIDE_UNUSED,
)
from spokerender.findings.results import Result
from spokerender.formats.patching import PatchProblem, apply_patch, merge
from spokerender.formats.templating.template import Template, is_template
from spokerender.formats.templating.values import TemplateProblem
from spokerender.model import Manifest, identity
from spokerender.rendering.expressions import Expressions
from spokerender.rendering.holding import SpokeSlots
from spokerender.rendering.values.bundles import Evaluated
from spokerender.rendering.values.placement import Override

_OBJECT_NAMES = frozenset(["policy", "gateway"])
_POINTERS = {("op",), ("path",), ("from",)}


def is_override_target(override: Override, manifest: Manifest) -> bool:
    """Return whether the override targets this hub object."""
    target, ref = override.target, manifest.ref
    labels = manifest.object["metadata"].get("labels") or {}
    return (
        target.kind == ref.kind
        and target.group in (None, ref.group)
        and target.namespace in (None, ref.namespace)
        and target.name in (None, ref.name)
        and (target.selector is None or target.selector.matches(labels))
    )


class Evaluator:
    """Evaluates the expressions of overrides, and puts their values into slots."""

    def __init__(self) -> None:
        self._compiled: Callable[[str], Template] = Expressions()
        self._fixed: dict[int, Evaluated] = {}

    def evaluate(
        self,
        override: Override,
        manifest: Manifest,
        context: Callable[[], Mapping[str, Any]],
        held: SpokeSlots,
    ) -> Evaluated:
        """Evaluate for one object; `context` gives `spoke`, `policy` and perhaps `gateway`."""
        fixed = self._fixed.get(override.number)
        if fixed is not None:
            return fixed
        walk = _Walk(override, manifest, context(), self._compiled, held)
        patch = walk.run(override.patch, ())
        key = json.dumps(walk.values, ensure_ascii=False) if walk.values else ""
        evaluated = Evaluated(override, patch, key, tuple(walk.results))
        if not walk.values:
            self._fixed[override.number] = evaluated
        return evaluated


class _Walk:
    """Walks through a patch and evaluates its expressions; `values` are theirs in order."""

    def __init__(
        self,
        override: Override,
        manifest: Manifest,
        context: Mapping[str, Any],
        compiled: Callable[[str], Template],
        held: SpokeSlots,
    ) -> None:
        self._override = override
        self._manifest = manifest
        self._context = context
        self._compiled = compiled
        self._held = held
        self.values: list[Any] = []
        self.results: list[Result] = []

    def run(self, value: Any, place: tuple[Any, ...]) -> Any:  # noqa: ANN401  (JSON of any shape)
        """Return the patch with its expressions evaluated, and their values in slots."""
        if isinstance(value, dict):
            return {key: self.run(item, (*place, key)) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.run(item, (*place, index)) for index, item in enumerate(value)]
        if not isinstance(value, str) or not is_template(value):
            return value
        result = self._value(value, place)
        self.values.append(result)
        return result

    def _value(self, text: str, place: tuple[Any, ...]) -> Any:  # noqa: ANN401  (as above)
        try:
            template = self._compiled(text)
            value = template.evaluate(self._context)
        except TemplateProblem as problem:
            self._refuse(str(problem), place)
            return "invalid"
        if not self._override.is_merge and place[1:] in _POINTERS:
            return value
        uses_object = not _OBJECT_NAMES.isdisjoint(template.names)
        ref = self._manifest.ref if uses_object else None
        return self._held.scalar(value, (self._override.number, ref, place))

    def _refuse(self, message: str, place: tuple[Any, ...]) -> None:
        steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)
        below = f".{'merge' if self._override.is_merge else 'patch'}{steps}"
        cure = "correct the expression, or the spoke's labels and values that it uses"
        ref = self._manifest.ref
        self.results.append(self._override.result(BAD_TEMPLATE, message, cure, below, ref))


def applied(
    data: dict[str, Any], evaluated: Evaluated, manifest: Manifest
) -> tuple[dict[str, Any], Result | None]:
    """Apply one override to an object, and return it; if that fails, unchanged and with a finding.

    There is no finding here if an expression of the override failed: that has one already.
    """
    override = evaluated.override
    if evaluated.results:
        return data, None
    try:
        if override.is_merge:
            changed = merge(data, evaluated.patch)
        else:
            changed = apply_patch(data, evaluated.patch)
    except PatchProblem as problem:
        cure = "correct the path, or leave these spokes out of the override"
        return data, override.result(OVERRIDE_FAILED, str(problem), cure, ref=manifest.ref)
    if identity(changed) != identity(data):  # what is no object any more has none
        message = "an override may not change apiVersion's group, kind, name or namespace"
        cure = "set it in the rule's `as`, which changes all references to it as well"
        return data, override.result(OVERRIDE_FORBIDDEN, message, cure, ref=manifest.ref)
    return changed, None


def reference_changed(override: Override, manifest: Manifest) -> Result:
    """Report that an override changed what a reference names."""
    return override.result(
        OVERRIDE_FORBIDDEN,
        "an override may not change what a reference names",
        "retarget with the rule's `as`; let a different policy target something else",
        ref=manifest.ref,
    )


def unused_result(override: Override, hub: Iterable[Manifest]) -> Result:
    """Report that an override applies to nothing on any of its spokes."""
    target = override.target
    meant = [unshipped(manifest.ref) for manifest in hub if is_override_target(override, manifest)]
    named = f" {target.namespace or '*'}/{target.name}" if target.name else " that it selects"
    return override.result(
        OVERRIDE_UNUSED,
        f"matches nothing: no {target.kind}{named} is shipped to its spokes",
        "correct the target or the spokes, or set `optional: true`",
        ".target",
        causes=(*meant, *([SYNC_LIST] if meant else []), UNREADABLE_HUB),
    )


def idle_result(override: Override) -> Result:
    """Report that an override changes nothing on any of its spokes."""
    return override.result(
        OVERRIDE_IDLE,
        f"changes nothing: every {override.target.kind} that it targets has these values already",
        "remove it; or set `optional: true`, if the hub's values may change",
    )

"""Overrides: merge patches and JSON patches for one object of a spoke, after retargeting.

Their targets are names on the hub. They are applied in order, and may change neither the identity
of an object nor what its references name: only placement decides that.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from spokerender.findings.causes import SYNC_LIST, UNREADABLE_HUB, unshipped
from spokerender.findings.codes import shipping as codes
from spokerender.findings.codes.placement import BAD_TEMPLATE
from spokerender.findings.results import Result
from spokerender.formats.patching import PatchProblem, apply_patch, merge
from spokerender.formats.templating.template import Template, is_template
from spokerender.formats.templating.values import TemplateProblem
from spokerender.model import Manifest, identity
from spokerender.model.refs import FieldPath
from spokerender.model.shapes import Json
from spokerender.rendering.expressions import Expressions, evaluate_texts
from spokerender.rendering.holding import SpokeSlots
from spokerender.rendering.values.bundles import Evaluated
from spokerender.rendering.values.placement import Override

_OBJECT_NAMES = frozenset(["policy", "gateway"])
_POINTERS = {("op",), ("path",), ("from",)}
_OF_KINDS = ("apiVersion", "group", "kind")
"""Fields whose values select rows of the table of kinds."""


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
    """Evaluates the expressions of overrides; slots replace results that differ between spokes."""

    def __init__(self) -> None:
        self._compiled: Callable[[str], Template] = Expressions()
        self._fixed: dict[int, Evaluated] = {}

    def evaluate(
        self,
        override: Override,
        manifest: Manifest,
        context: Callable[[], Mapping[str, Any]],
        slots: SpokeSlots,
    ) -> Evaluated:
        """Return the override evaluated for one object; `context` returns the variables."""
        fixed = self._fixed.get(override.number)
        if fixed is not None:
            return fixed
        values: list[Any] = []
        results: list[Result] = []
        names = context()

        def evaluated(text: str, place: FieldPath) -> Json:
            try:
                template = self._compiled(text)
                value = template.evaluate(names)
            except TemplateProblem as problem:
                cure = "correct the expression, or the spoke's labels and values that it uses"
                field = (*override.change, *place)
                results.append(
                    override.result(BAD_TEMPLATE, str(problem), cure, field, manifest.ref)
                )
                # The rest of the patch is evaluated for further findings, but never applied.
                value = "invalid"
            else:
                # The pointers of a JSON Patch lead through the object when it is applied: a slot
                # there would name no field. The value of an operation may have a slot.
                if override.is_merge or place[1:] not in _POINTERS:
                    uses_object = not _OBJECT_NAMES.isdisjoint(template.names)
                    # An expression about the spoke only has one value, and one slot, for all
                    # objects.
                    ref = manifest.ref if uses_object else None
                    value = slots.scalar(value, (override.number, ref, place))
            values.append(value)
            return value

        patch = evaluate_texts(override.patch, evaluated)
        key = json.dumps(values, ensure_ascii=False) if values else ""
        whole = Evaluated(override, patch, key, tuple(results))
        # Without an expression the patch is the same on all spokes.
        if not values:
            self._fixed[override.number] = whole
        return whole


def applied(
    data: dict[str, Any], evaluated: Evaluated, manifest: Manifest
) -> tuple[dict[str, Any], Result | None]:
    """Return an object with one override applied; if that fails, unchanged with a finding.

    If an expression of the override failed there is no finding, as the expression has one already.
    """
    override = evaluated.override
    # Its patch has placeholders where an expression failed.
    if evaluated.results:
        return data, None
    try:
        if override.is_merge:
            changed = merge(data, evaluated.patch)
        else:
            changed = apply_patch(data, evaluated.patch)
    except PatchProblem as problem:
        cure = "correct the path, or leave these spokes out of the override"
        return data, override.result(
            codes.OVERRIDE_FAILED, str(problem), cure, override.change, manifest.ref
        )
    if identity(changed) != identity(data):  # what the change left may be no object
        message = "an override may not change apiVersion's group, kind, name or namespace"
        cure = "set it in the rule's `as`, which changes all references to it as well"
        return data, override.result(
            codes.OVERRIDE_FORBIDDEN, message, cure, override.change, manifest.ref
        )
    return changed, None


def reference_changed(override: Override, manifest: Manifest) -> Result:
    """Return the finding that an override changed a reference."""
    return override.result(
        codes.OVERRIDE_FORBIDDEN,
        "an override may not change what a reference names",
        "retarget with the rule's `as`; let a different policy target something else",
        override.change,
        manifest.ref,
    )


def unused_result(override: Override, hub: Iterable[Manifest]) -> Result:
    """Return the finding that an override applies to nothing on any of its spokes."""
    target = override.target
    meant = [unshipped(manifest.ref) for manifest in hub if is_override_target(override, manifest)]
    named = f" {target.namespace or '*'}/{target.name}" if target.name else " that it selects"
    return override.result(
        codes.OVERRIDE_UNUSED,
        f"matches nothing: no {target.kind}{named} is shipped to its spokes",
        "correct the target or the spokes, or set `optional: true`",
        ("target",),
        causes=(*meant, *([SYNC_LIST] if meant else []), UNREADABLE_HUB),
    )


def idle_result(override: Override) -> Result:
    """Return the finding that an override changes nothing on any of its spokes."""
    return override.result(
        codes.OVERRIDE_IDLE,
        f"changes nothing: every {override.target.kind} that it targets has these values already",
        "remove it; or set `optional: true`, if the hub's values may change",
    )


def may_set_kind(override: Override) -> bool:
    """Return whether an expression in an override may result in an API group or a kind."""
    if override.is_merge or override.removes:
        return _has_kind(override.patch)
    ends = ((item.get("path", "").rpartition("/")[2], item.get("value")) for item in override.patch)
    return any(_has_kind({key: value}) for key, value in ends)


def _has_kind(written: Json, key: str = "") -> bool:
    if isinstance(written, Mapping):
        return any(is_template(name) or _has_kind(it, name) for name, it in written.items())
    if isinstance(written, list):
        return any(_has_kind(item, key) for item in written)
    return key in _OF_KINDS and isinstance(written, str) and is_template(written)

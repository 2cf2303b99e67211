"""Overrides: merge patches and JSON patches for one object of a spoke, after retargeting.

They match hub names, are applied in the stated order, and may change neither the identity
of an object nor what its references name: placement alone decides that.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from render.findings.codes.overriding import OVERRIDE_FAILED, OVERRIDE_FORBIDDEN, OVERRIDE_UNUSED
from render.findings.codes.placement import BAD_TEMPLATE
from render.findings.results import Result
from render.formats.patching import PatchProblem, apply_patch, merge
from render.formats.templating import Template, TemplateProblem, compile_template, is_template
from render.model import Manifest, Ref, identity, slots
from render.rendering.values.bundles import Evaluated
from render.rendering.values.placement import Override

FIRST_SLOT = 20_000
_SLOTS = slots.LAST - slots.FIRST + 1 - FIRST_SLOT
_OBJECT_NAMES = frozenset(["policy", "gateway"])
_POINTERS = {("op",), ("path",), ("from",)}


def matches(override: Override, manifest: Manifest) -> bool:
    """Whether the override's target means this hub object."""
    target, ref = override.model.target, manifest.ref
    labels = manifest.object["metadata"].get("labels") or {}
    return (
        target.kind == ref.kind
        and target.group in (None, ref.group)
        and target.namespace in (None, ref.namespace)
        and target.name in (None, ref.name)
        and (target.selector is None or target.selector.matches(labels))
    )


class Evaluator:
    """Evaluates overrides; scalar values go into slots of their own where `held` allows it."""

    def __init__(self, *, held: bool) -> None:
        """With `held` false every value is written into the patch as it is."""
        self._held = held
        self._numbers: dict[tuple[Any, ...], str] = {}
        self._compiled: Callable[[str], Template] = cache(compile_template)
        self._source: Callable[[Override], Any] = cache(_source)
        self._fixed: dict[int, Evaluated] = {}

    def evaluate(
        self,
        override: Override,
        manifest: Manifest,
        context: Callable[[], Mapping[str, Any]],
        *,
        held: bool = True,
    ) -> Evaluated:
        """Evaluate for one object; `context` gives `spoke`, `policy` and perhaps `gateway`."""
        fixed = self._fixed.get(override.number)
        if fixed is not None:
            return fixed
        source = self._source(override)
        found: dict[str, Any] = {}
        results: list[Result] = []
        walk = _Walk(override, manifest, context(), self._compiled, results)
        keep = self._held and held and not _tests(source)
        patch = walk.run(source, (), self._keeper(override, manifest, found) if keep else None)
        if not walk.varies:
            evaluated = Evaluated(override, patch, {}, "", tuple(results))
            self._fixed[override.number] = evaluated
            return evaluated
        loose = json.dumps(walk.loose, sort_keys=True, ensure_ascii=False) if walk.loose else ""
        return Evaluated(override, patch, found, loose, tuple(results))

    def _keeper(
        self, override: Override, manifest: Manifest, found: dict[str, Any]
    ) -> Callable[[tuple[Any, ...], Any, bool], str]:
        """Gives every expression of an override a slot, one per object if it speaks of it.

        Where all slots are taken it gives none: the value then stays in the open.
        """

        def keep(place: tuple[Any, ...], value: Any, of_object: bool) -> str:  # noqa: ANN401
            key = (override.number, manifest.ref if of_object else None, place)
            if key not in self._numbers:
                if len(self._numbers) == _SLOTS:
                    return ""
                self._numbers[key] = slots.slot(FIRST_SLOT + len(self._numbers))
            slot = self._numbers[key]
            found[slot] = value
            return slot

        return keep


def _source(override: Override) -> Any:  # noqa: ANN401  (JSON of any shape)
    """The patch as the placement has it: a merge patch, or a list of operations."""
    model = override.model
    if model.merge is not None:
        return model.merge
    return [
        operation.model_dump(by_alias=True, exclude_unset=True) for operation in model.patch or ()
    ]


def _tests(source: Any) -> bool:  # noqa: ANN401  (JSON of any shape)
    """A `test` operation compares values, so it must see them."""
    return isinstance(source, Sequence) and any(op.get("op") == "test" for op in source)


class _Walk:
    """Walks a patch and evaluates the expressions in it."""

    def __init__(
        self,
        override: Override,
        manifest: Manifest,
        context: Mapping[str, Any],
        compiled: Callable[[str], Template],
        results: list[Result],
    ) -> None:
        self._override = override
        self._manifest = manifest
        self._context = context
        self._compiled = compiled
        self._results = results
        self.varies = False
        self.loose: dict[str, Any] = {}

    def run(
        self,
        value: Any,  # noqa: ANN401  (JSON of any shape)
        place: tuple[Any, ...],
        keep: Callable[[tuple[Any, ...], Any, bool], str] | None,
    ) -> Any:  # noqa: ANN401
        """The patch with its expressions evaluated, scalars kept by `keep`."""
        if isinstance(value, dict):
            return {key: self.run(item, (*place, key), keep) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.run(item, (*place, index), keep) for index, item in enumerate(value)]
        if not isinstance(value, str) or not is_template(value):
            return value
        self.varies = True
        try:
            template = self._compiled(value)
            result = template.evaluate(self._context)
        except TemplateProblem as problem:
            self._refuse(str(problem), place)
            self.loose[repr(place)] = "invalid"
            return "invalid"
        is_pointer = self._override.model.patch is not None and place[1:] in _POINTERS
        if keep is not None and not is_pointer and isinstance(result, (str, int, float)):
            slot = keep(place, result, not _OBJECT_NAMES.isdisjoint(template.names))
            if slot:
                return slot
        self.loose[repr(place)] = result
        return result

    def _refuse(self, message: str, place: tuple[Any, ...]) -> None:
        steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)
        section = "merge" if self._override.model.merge is not None else "patch"
        self._results.append(
            BAD_TEMPLATE.result(
                message,
                cure="mend the expression, or the spoke's labels and values that it uses",
                resource=self._manifest.ref,
                field=f"{self._override.field}.{section}{steps}",
                origin=self._override.origin,
            )
        )


def applied(
    data: dict[str, Any], evaluated: Evaluated, manifest: Manifest
) -> tuple[dict[str, Any], Result | None]:
    """The object with one override applied; where that fails, as it was and why."""
    override = evaluated.override
    try:
        if override.model.merge is not None:
            changed = merge(data, evaluated.patch)
        else:
            changed = apply_patch(data, evaluated.patch)
    except PatchProblem as problem:
        return data, _fault(override, manifest.ref, str(problem))
    if identity(changed) != identity(data):  # what is no object any more has none
        return data, OVERRIDE_FORBIDDEN.result(
            "an override may not change apiVersion's group, kind, name or namespace",
            cure="say it in the rule's `as`, which moves everything that refers to it as well",
            resource=manifest.ref,
            field=override.field,
            origin=override.origin,
        )
    return changed, None


def _fault(override: Override, ref: Ref, message: str) -> Result:
    return OVERRIDE_FAILED.result(
        message,
        cure="mend the path, or leave these spokes out of the override",
        resource=ref,
        field=override.field,
        origin=override.origin,
    )


def reference_changed(override: Override, manifest: Manifest) -> Result:
    """What is told where an override changed what a reference names."""
    return OVERRIDE_FORBIDDEN.result(
        "an override may not change what a reference names",
        cure="retarget with the rule's `as`; let a different policy target something else",
        resource=manifest.ref,
        field=override.field,
        origin=override.origin,
    )


def unused(override: Override) -> Result:
    """What is told where an override changed nothing on any spoke."""
    target = override.model.target
    named = f" {target.namespace or '*'}/{target.name}" if target.name else " that it selects"
    return OVERRIDE_UNUSED.result(
        f"matches nothing: no {target.kind}{named} is shipped to its spokes",
        cure="mend the target or the spokes, or set `optional: true`",
        field=f"{override.field}.target",
        origin=override.origin,
    )

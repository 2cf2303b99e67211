"""Objects with their overrides: each distinct one is made once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct

from spokerender.findings.budget import InputBudget
from spokerender.findings.results import Result
from spokerender.formats.patching import count_values
from spokerender.kinds import Catalogue
from spokerender.model import Edit, Manifest
from spokerender.rendering import acceptable, obeyed, overrides
from spokerender.rendering.values.bundles import Evaluated, How, Variant
from spokerender.topology import Node, node

Patches = tuple[Evaluated, ...]
_ONE_OPERATION = 50
"""What a patch operation or a merge costs besides copying the object, in values of the object."""


class Variants:
    """Makes variants, and remembers them by what they are made of."""

    def __init__(self, catalogue: Catalogue, budget: InputBudget) -> None:
        """`catalogue` is what is known of the kinds; overrides spend from the budget."""
        self._catalogue = catalogue
        self._budget = budget
        self._known: dict[tuple[Any, ...], Variant] = {}
        self.used: set[int] = set()
        """The numbers of the overrides that were applied."""

    def of(self, manifest: Manifest, shipped: Manifest, patches: Patches = ()) -> Variant:
        """The variant that these overrides make of an object."""
        key = (id(shipped), *patches_key(patches))
        if key not in self._known:
            self._known[key] = self._patched(manifest, shipped, patches)
        return self._known[key]

    def _patched(self, manifest: Manifest, shipped: Manifest, patches: Patches) -> Variant:
        first = last = self._node(shipped)
        marks = dict.fromkeys(obeyed.marks_of(shipped.object, self._catalogue.marks))
        results: list[Result] = list(acceptable.of_stages(manifest, shipped))
        for patch in patches:
            override = patch.override
            self.used.add(override.number)
            operations = len(patch.patch) if isinstance(patch.patch, list) else 1
            values = _ONE_OPERATION * operations + count_values(shipped.object)
            self._budget.spend(values, "applying its overrides", manifest.ref)
            data, fault = overrides.applied(shipped.object, patch, manifest)
            if fault is None:
                results += acceptable.of_override(override, manifest.ref, shipped.object, data)
                marks = {
                    mark: marks.get(mark, override)
                    for mark in obeyed.marks_of(data, self._catalogue.marks)
                }
                edit = Edit(How.OVERRIDE, shipped.object, override.place, patch.patch)
                shipped = shipped.edited(shipped.ref, data, edit)
            before, last = last, self._node(shipped)
            if last.attachments not in (before.attachments, first.attachments):
                fault = overrides.reference_changed(override, manifest)
            results += [fault] if fault is not None else []
        results += obeyed.marked(manifest, marks)
        return Variant(manifest, shipped, last, tuple(results), patches)

    def _node(self, shipped: Manifest) -> Node:
        return node(shipped.ref, shipped.object, self._catalogue)


class PatchesOf(Struct, frozen=True, eq=False, dict=True):
    """The overrides of each object that has any, by the index of its manifest, in order.

    Equal keys mean equal ones.
    """

    of_objects: Mapping[int, Patches]

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """What is equal where they are."""
        return tuple((index, patches_key(own)) for index, own in self.of_objects.items())

    @cached_property
    def results(self) -> tuple[Result, ...]:
        """What is wrong with their expressions."""
        every = (patch for own in self.of_objects.values() for patch in own)
        return tuple(result for patch in every for result in patch.results)


NO_PATCHES = PatchesOf({})


def patches_key(patches: Patches) -> tuple[tuple[int, str], ...]:
    """What is equal where the patches are."""
    return tuple((patch.override.number, patch.key) for patch in patches)

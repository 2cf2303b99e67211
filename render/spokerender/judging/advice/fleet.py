"""What advice about a fleet looks at: the spokes' views, shared by those that are alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.filling import fill_result
from spokerender.findings.results import Result
from spokerender.judging.advice.context import SpokeView
from spokerender.model import Ref
from spokerender.model.filling import filled, holds_slots
from spokerender.model.slots import Values, has_slot

Spokes = tuple[str, ...]
_NO_VALUES: Values = {}


class FleetView(Struct, frozen=True, eq=False):
    """Every spoke's view, and what stands on it for the slots in that (`model.slots`)."""

    views: Mapping[str, SpokeView]
    values: Mapping[str, Values]

    @property
    def cases(self) -> tuple[tuple[SpokeView, Spokes], ...]:
        """The distinct views, each with its spokes, sorted."""
        spokes_of: dict[int, tuple[SpokeView, list[str]]] = {}
        for spoke, view in sorted(self.views.items()):
            spokes_of.setdefault(id(view), (view, []))[1].append(spoke)
        return tuple((view, tuple(spokes)) for view, spokes in spokes_of.values())

    def filled(self, spokes: Spokes, data: tuple[Any, ...]) -> Iterator[tuple[Any, Spokes]]:
        """Values as they are on these spokes: each way once, with the spokes where it is so."""
        if not holds_slots(data):
            yield data, spokes
            return
        spokes_of: dict[tuple[Any, ...], list[str]] = {}
        for spoke in spokes:
            values = self.values.get(spoke, _NO_VALUES)
            made = filled(data, values)
            spokes_of.setdefault(made, []).append(spoke)
        for made, names in spokes_of.items():
            yield made, tuple(names)

    def refs(self, spokes: Spokes, *refs: Ref) -> Iterator[tuple[tuple[Ref, ...], Spokes]]:
        """Identities as they are on these spokes, as `filled` has it."""
        if any(has_slot(ref.namespace + ref.name + ref.section_name) for ref in refs):
            yield from self.filled(spokes, refs)
        else:
            yield refs, spokes

    def told(self, result: Result, spokes: Spokes) -> Result:
        """A finding about these spokes, in the words of the first of them."""
        values = self.values.get(spokes[0], _NO_VALUES)
        return replace(fill_result(result, values), spokes=spokes)

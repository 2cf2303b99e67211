"""Which values no slot may stand for: all that something could be compared with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spokerender.formats.templating import is_template
from spokerender.kinds import words
from spokerender.model import slots
from spokerender.rendering.holding import Known
from spokerender.rendering.placement.assign import implied_texts
from spokerender.rendering.values.placement import Decision
from spokerender.rendering.values.stages import Stage
from spokerender.topology.hub import Hub


def known_values(hub: Hub, decision: Decision, stages: Sequence[Stage] = ()) -> Known:
    """Every text and number that the hub, the placement, a stage or our own code spells out.

    A number is there as a text as well, for it may be compared as one (the port of a Service).
    Where nothing varies from spoke to spoke there is nothing to compare, so it is empty.
    """
    written: list[Any] = [rule.placed_as.written for rule in decision.rules]
    written += [override.written for override in decision.overrides]
    if not stages and not any(map(is_template, slots.strings_in(written))):
        return frozenset()
    known: set[Any] = {*slots.scalars_in(written), *words()}
    known.update(*(stage.spelled_out for stage in stages))
    for manifest in hub.manifests:
        known.update(slots.scalars_in(manifest.object))
        known.add(manifest.ref.namespace)  # `default` may be spelled out nowhere
    known |= implied_texts(manifest.ref.namespace for manifest in hub.manifests)
    texts = [value for value in known if isinstance(value, str)]
    known.update(text[2:] for text in texts if text.startswith("*."))  # they are held without star
    known.update([str(value) for value in known if not isinstance(value, str)])
    return frozenset(known)

"""Which values no slot may stand for: all that something could be compared with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard

from spokerender.formats.templating import is_template
from spokerender.kinds.compared import compared_texts
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
    if not stages and not _has_template(written):
        return frozenset()
    known: set[Any] = {*slots.scalars_in(written)}
    known.update(*(stage.spelled_out for stage in stages))
    for manifest in hub.manifests:
        known.update(slots.scalars_in(manifest.object))
        known.add(manifest.ref.namespace)  # `default` may be spelled out nowhere
    known |= implied_texts(manifest.ref.namespace for manifest in hub.manifests)
    # A slot for a kind is compared with rows of any group; one for a name or hostname is not.
    places = (rule.placed_as for rule in decision.rules)
    anywhere = [override.written for override in decision.overrides]
    anywhere += [value for place in places for value in (place.listeners, place.annotations)]
    is_anywhere = bool(stages) or _has_template(anywhere)
    known |= compared_texts(None if is_anywhere else [text for text in known if _is_text(text)])
    texts = [value for value in known if _is_text(value)]
    known.update(text[2:] for text in texts if text.startswith("*."))  # they are held without star
    known.update([str(value) for value in known if not isinstance(value, str)])
    return frozenset(known)


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str)


def _has_template(written: list[Any]) -> bool:
    return any(map(is_template, slots.strings_in(written)))

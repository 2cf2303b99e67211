"""What the guard knows besides the trees before and after a change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from spokerender.judging.cluster import Anything, Knowledge
from spokerender.judging.fleet import blueprints
from spokerender.kinds import Catalogue, ConfiguredKind
from spokerender.rendering.values.engines import EngineObjects
from spokerender.rendering.values.publishing import Published
from spokerender.rendering.values.rendered import Rendered

Engines = Sequence[EngineObjects]
"""What each engine that there is does with its objects."""


class Surroundings(Struct, frozen=True, eq=False):
    """What the guard knows besides the trees: of the spokes, the engines and who publishes."""

    knowledge: Knowledge
    engines: Engines
    published: Published | None = None
    """None if the publishing agents of the fleet do not matter."""


def surroundings_of(
    rendered: Rendered, engines: Engines, configured: Iterable[ConfiguredKind] | None = None
) -> Surroundings:
    """Return what is known of a fleet besides its trees, before the change as after it.

    Args:
        rendered: the fleet after the change.
        engines: what each engine that there is does with its objects.
        configured: the kinds as configured before the change, if that is known. Otherwise the
            change that removes a policy could declare that its kind protects nothing.

    """
    # Before the change spokes may have had any other object: nothing in the trees would show it.
    knowledge = replace(blueprints.known_of(rendered), unseen=Anything())
    if configured is not None:
        knowledge = replace(knowledge, catalogue=Catalogue.of(knowledge.crds, configured))
    return Surroundings(knowledge, engines, rendered.published)

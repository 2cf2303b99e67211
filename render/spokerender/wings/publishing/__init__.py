"""Publishing: kinds that consumers see under other names, and copies of what they write.

It does as a function of files what kcp's api-syncagent does live. `kcp` writes schemas and exports,
`copies` copies objects; neither knows the other. `gotemplates`, `jsonpaths` and `gojson` are
languages of Go, which know nothing of publishing.
"""

# Imports are in functions because few projects publish, and start-up time counts.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from spokerender.wings.wing import Wing

if TYPE_CHECKING:
    from spokerender.config.base import Model
    from spokerender.rendering.values.rendered import Contribution
    from spokerender.wings.part import Part, ProjectFiles
    from spokerender.wings.publishing.settings import PublishingSettings


class _PublishingWing(Wing):
    name = "publishing"

    def settings(self) -> type[PublishingSettings]:
        from spokerender.wings.publishing.settings import PublishingSettings

        return PublishingSettings

    def read(self, project: ProjectFiles) -> Part | None:
        if not project.settings(self.settings()).publishing:
            return None
        from spokerender.wings.publishing.part import PublishingPart

        return PublishingPart(project)

    def documents(self) -> Mapping[str, type[Model]]:
        from spokerender.wings.publishing.config.publishing import Publishing

        return {"Publishing": Publishing}

    def paths(self, settings: PublishingSettings) -> Mapping[str, Sequence[str]]:
        return {"publishing": settings.publishing}

    def without(self) -> Iterable[Contribution]:
        """Guard the copies of a project that has stopped publishing."""
        from spokerender.rendering.values.rendered import Contribution
        from spokerender.wings.publishing.withdrawn import MARKERS, Offers

        yield Contribution(guard_reason=Offers().guard_reason, guard_markers=MARKERS)


WING = _PublishingWing()

"""The stage that sends objects to spokes by name: what no gateway takes along."""

from __future__ import annotations

from collections.abc import Mapping

from spokerender.model import Manifest, Spoke
from spokerender.model.slots import scalars_in
from spokerender.rendering.holding import Held
from spokerender.rendering.values.stages import Amendment, Asked, Given, GroupKind
from spokerender.topology import Topology


class Sending:
    """Adds to a spoke's objects those that are sent there (`values.stages.Stage`)."""

    def __init__(self, sent: Mapping[Manifest, frozenset[str]], topology: Topology) -> None:
        """Take the spokes of each object that is sent; one that hangs on a gateway goes with it."""
        self._sent = [
            (manifest, spokes)
            for manifest, spokes in sent.items()
            if manifest.ref not in topology.nodes or not topology.ships_with(manifest.ref)
        ]

    @property
    def spelled_out(self) -> frozenset[str | int | float]:
        """All that is in the objects."""
        return frozenset(each for manifest, _ in self._sent for each in scalars_in(manifest.object))

    @property
    def first_of(self) -> frozenset[GroupKind]:
        """None: it reads nothing."""
        return frozenset()

    def ask(self, spoke: Spoke, given: Given, held: Held) -> Asked:  # noqa: ARG002  (a stage's)
        """Which of the objects go to a spoke."""
        places = enumerate(self._sent)
        return Asked(frozenset(place for place, (_, to) in places if spoke.name in to))

    def amend(self, given: Given, asked: Asked) -> Amendment:  # noqa: ARG002  (a stage's signature)
        """The objects, in the order of their identities."""
        chosen = asked.key
        assert isinstance(chosen, frozenset)  # noqa: S101  (see `ask`)
        return Amendment(made=tuple(self._sent[place][0] for place in sorted(chosen)))

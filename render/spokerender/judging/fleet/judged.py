"""What is known of a fleet that was judged: every distinct blueprint, and every finding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from msgspec import Struct

from spokerender.findings.results import Result
from spokerender.judging.attachment.statuses import Attachment
from spokerender.judging.effective.outcomes import EffectivePolicy, Programmed
from spokerender.judging.judgement import Judgement
from spokerender.model import Manifest, Ref
from spokerender.rendering.values.bundles import Blueprint, Bundle, Variant
from spokerender.topology.graph import Topology

Files = Sequence[tuple[str, bytes]]
"""Paths and bytes of files."""

Refused = Mapping[str, Mapping[Ref, str]]
"""By spoke: the objects that its API server would not take, and why."""


class Unvalidated(Struct, frozen=True):
    """A kind without a CRD: how its CRD is called, and how many objects nothing was said of."""

    kind: str
    crd: str
    objects: int


class Aspect(StrEnum):
    """What can be judged of a fleet besides whether its tree is true."""

    POLICIES = "policies"
    """What attaches, what conflicts and what is in force."""
    VALIDATION = "validation"
    """Whether each spoke's API server would take each object."""


class JudgedBlueprint(Struct, frozen=True, eq=False):
    """One blueprint, judged; texts may hold slots, as in the blueprint.

    `variants` are its objects by what they are called on the spoke; `around` is the hub, with what
    is known of the spoke's namespaces.
    """

    blueprint: Blueprint
    variants: Mapping[Ref, Variant]
    judgement: Judgement
    around: Topology

    @property
    def topology(self) -> Topology:
        """How its objects hang together."""
        return self.judgement.topology

    @property
    def attachments(self) -> Mapping[Ref, Attachment]:
        """What attaches, by policy."""
        return self.judgement.attachments

    @property
    def effective(self) -> tuple[EffectivePolicy, ...]:
        """What is in force on each path."""
        return self.judgement.effective

    @property
    def programmed(self) -> Mapping[tuple[Ref, Ref], Programmed]:
        """The condition of each policy on each Gateway."""
        return self.judgement.programmed


class JudgedFleet(Struct, frozen=True, eq=False):
    """A judged fleet: each bundle's blueprint, by spoke, and all findings.

    `nowhere` are the hub's policies that should be synced and that no spoke gets, each with where
    it attaches on the hub. `unvalidated` are the kinds whose objects nobody could validate.
    """

    judged: Mapping[str, JudgedBlueprint]
    bundles: Mapping[str, Bundle]
    results: tuple[Result, ...]
    nowhere: tuple[tuple[Manifest, Attachment], ...] = ()
    unvalidated: tuple[Unvalidated, ...] = ()

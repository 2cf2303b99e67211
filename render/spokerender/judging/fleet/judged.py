"""The result of judging a fleet: its distinct blueprints and all findings."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TypeVar

from msgspec import Struct

from spokerender.findings.results import Result
from spokerender.judging.attachment.statuses import Attachment
from spokerender.judging.fleet.worlds import World
from spokerender.judging.judgement import Judgement
from spokerender.judging.routing.values import HolderStatus, ParentStatus, Routing
from spokerender.model import Manifest, Ref
from spokerender.model.releases import BundledRelease
from spokerender.rendering.values.bundles import Blueprint, Bundle, Variant

_Judged = TypeVar("_Judged")
InWorlds = Callable[[], Mapping[World, _Judged]]
"""Judges an object in each world; empty if no age decides anything. Only statuses call it."""
Refused = Mapping[str, Mapping[Ref, str]]
"""The objects that API servers refuse, with the reason, by spoke."""


class Unvalidated(Struct, frozen=True):
    """A kind without a CRD: the name of its CRD, and how many of its objects were not validated."""

    kind: str
    crd: str
    objects: int


class SchemaGaps(Struct, frozen=True):
    """The CRDs that a project does not declare.

    `unvalidated` are the kinds whose objects could not be validated. `assumed` are the newest
    carried releases, which validated objects because neither project nor spokes name a release.
    """

    unvalidated: tuple[Unvalidated, ...] = ()
    assumed: tuple[BundledRelease, ...] = ()


class Aspect(StrEnum):
    """The aspects of a fleet that can be judged besides its tree."""

    POLICIES = "policies"
    """Attachments, conflicts and effective policies, with findings about them."""
    STATES = "states"
    """The same without findings, which take longer."""
    HOSTS = "hosts"
    """The same without findings, and the hosts of requests (`list_hosts`)."""
    VALIDATION = "validation"
    """The validation of each object by each spoke's API server."""


CHECKED = (Aspect.POLICIES, Aspect.VALIDATION)


class JudgedBlueprint(Struct, frozen=True, eq=False):
    """A judged blueprint, with its variants by their refs on the spoke; texts may hold slots.

    `routing` has the statuses of routes and listeners with all outcomes, if asked for, and
    `in_worlds` judges the blueprint in each world. All else is judged without ages.
    """

    blueprint: Blueprint
    variants: Mapping[Ref, Variant]
    judgement: Judgement
    routing: Routing | None = None
    in_worlds: "InWorlds[JudgedBlueprint]" = dict


class JudgedHub(Struct, frozen=True, eq=False):
    """The hub judged as a cluster with all its objects; fields as those of `JudgedBlueprint`."""

    attachments: Mapping[Ref, Attachment]
    routing: Routing | None = None
    in_worlds: "InWorlds[JudgedHub]" = dict


class JudgedFleet(Struct, frozen=True, eq=False):
    """A judged fleet: each bundle's blueprint, by spoke, and all findings.

    `nowhere` are the hub's policies that should be synced and that no spoke gets, with their
    attachments on the hub; `nowhere_routing` are such routes and ListenerSets with their statuses.
    `hub_gateways` are the hub's Gateways. `hub_in_worlds` judges the hub in each world.
    """

    judged: Mapping[str, JudgedBlueprint]
    bundles: Mapping[str, Bundle]
    results: tuple[Result, ...]
    nowhere: tuple[tuple[Manifest, Attachment], ...] = ()
    gaps: SchemaGaps = SchemaGaps()
    nowhere_routing: tuple[tuple[Manifest, tuple[ParentStatus, ...], HolderStatus | None], ...] = ()
    hub_gateways: Mapping[Ref, Manifest] = {}
    hub_in_worlds: InWorlds[JudgedHub] = dict

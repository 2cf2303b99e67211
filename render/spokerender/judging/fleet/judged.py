"""The result of judging a fleet, as values: its distinct blueprints and all findings."""

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
"""Returns an object as judged in each world; empty if creation times decide nothing."""
Refused = Mapping[str, Mapping[Ref, str]]
"""By spoke, the objects that its API server refuses, with the reasons."""


class Unvalidated(Struct, frozen=True):
    """A kind whose CRD is absent: the CRD's name, and how many objects were not validated."""

    kind: str
    crd: str
    objects: int


class SchemaGaps(Struct, frozen=True):
    """The CRDs that a project does not declare.

    `unvalidated` are the kinds whose objects were not validated. `assumed` are the releases whose
    CRDs were used because neither project nor spokes name one: the newest in this package.
    """

    unvalidated: tuple[Unvalidated, ...] = ()
    assumed: tuple[BundledRelease, ...] = ()


class Aspect(StrEnum):
    """The aspects of a fleet that can be judged, in addition to rendering its files."""

    POLICIES = "policies"
    """Attachments, conflicts and effective policies, with findings about them."""
    STATES = "states"
    """As `POLICIES`, but without findings, which take longer."""
    HOSTS = "hosts"
    """As `STATES`, and the hosts of requests (`list_hosts`)."""
    VALIDATION = "validation"
    """The validation of each object by each spoke's API server."""


CHECKED = (Aspect.POLICIES, Aspect.VALIDATION)


class JudgedBlueprint(Struct, frozen=True, eq=False):
    """A judged blueprint with its variants, by ref on the spoke; texts may hold placeholders.

    `routing` has the combined statuses of routes and listeners; None if not requested. `in_worlds`
    judges the blueprint in each world (possible order of creation). `judgement` assumes no ages.
    """

    blueprint: Blueprint
    variants: Mapping[Ref, Variant]
    judgement: Judgement
    routing: Routing | None = None
    in_worlds: "InWorlds[JudgedBlueprint]" = dict


class JudgedHub(Struct, frozen=True, eq=False):
    """The hub judged as a cluster with all its objects; see `JudgedBlueprint` for the fields."""

    attachments: Mapping[Ref, Attachment]
    routing: Routing | None = None
    in_worlds: "InWorlds[JudgedHub]" = dict


class JudgedFleet(Struct, frozen=True, eq=False):
    """A judged fleet: by spoke, the judged blueprint and the bundle; and all findings.

    `nowhere` are the hub's policies that no spoke gets though their kind is synced, with their
    attachments on the hub; `nowhere_routing` are such routes and ListenerSets with their statuses.
    `hub_in_worlds` judges the hub in each world.
    """

    judged: Mapping[str, JudgedBlueprint]
    bundles: Mapping[str, Bundle]
    results: tuple[Result, ...]
    nowhere: tuple[tuple[Manifest, Attachment], ...] = ()
    gaps: SchemaGaps = SchemaGaps()
    nowhere_routing: tuple[tuple[Manifest, tuple[ParentStatus, ...], HolderStatus | None], ...] = ()
    hub_gateways: Mapping[Ref, Manifest] = {}
    hub_in_worlds: InWorlds[JudgedHub] = dict

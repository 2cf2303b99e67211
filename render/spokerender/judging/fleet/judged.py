"""The result of judging a fleet: every distinct blueprint, and every finding."""

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
"""What judges the same in each world; nothing where no age decides. Only statuses ask."""
Refused = Mapping[str, Mapping[Ref, str]]
"""The objects that a spoke's API server would not take, and why, by spoke."""


class Unvalidated(Struct, frozen=True):
    """A kind without a CRD: the name that its CRD has, and the number of objects not validated."""

    kind: str
    crd: str
    objects: int


class SchemaGaps(Struct, frozen=True):
    """The gaps in what a project says of CRDs.

    `unvalidated` are the kinds whose objects could not be validated, `assumed` the newest carried
    releases, which validated objects because the project and its spokes name none.
    """

    unvalidated: tuple[Unvalidated, ...] = ()
    assumed: tuple[BundledRelease, ...] = ()


class Aspect(StrEnum):
    """The aspects of a fleet that can be judged, besides whether its tree is true."""

    POLICIES = "policies"
    """Attachments, conflicts and the policies in force, with the findings about them."""
    STATES = "states"
    """The same without findings, which take longer: for those who read none."""
    HOSTS = "hosts"
    """The states, and the hosts that requests are for (`list_hosts`)."""
    VALIDATION = "validation"
    """The validation of each object by each spoke's API server."""


CHECKED = (Aspect.POLICIES, Aspect.VALIDATION)


class JudgedBlueprint(Struct, frozen=True, eq=False):
    """A judged blueprint, with its variants by their refs on the spoke; texts may hold slots.

    `routing` has the statuses of routes and listeners, where they were asked for. It is judged
    without ages, but for `routing`, which has all outcomes, and `in_worlds`.
    """

    blueprint: Blueprint
    variants: Mapping[Ref, Variant]
    judgement: Judgement
    routing: Routing | None = None
    in_worlds: "InWorlds[JudgedBlueprint]" = dict


class JudgedHub(Struct, frozen=True, eq=False):
    """The hub as if all its objects were on a cluster; `routing` as for a blueprint."""

    attachments: Mapping[Ref, Attachment]
    routing: Routing | None = None
    in_worlds: "InWorlds[JudgedHub]" = dict


class JudgedFleet(Struct, frozen=True, eq=False):
    """A judged fleet: each bundle's blueprint, by spoke, and all findings.

    `nowhere` are the hub's policies that should be synced and that no spoke gets, with their
    attachments on the hub; `nowhere_routing` are such routes and ListenerSets, with their status.
    `hub_gateways` are the Gateways of the hub, `hub_in_worlds` judges it in each world.
    """

    judged: Mapping[str, JudgedBlueprint]
    bundles: Mapping[str, Bundle]
    results: tuple[Result, ...]
    nowhere: tuple[tuple[Manifest, Attachment], ...] = ()
    gaps: SchemaGaps = SchemaGaps()
    nowhere_routing: tuple[tuple[Manifest, tuple[ParentStatus, ...], HolderStatus | None], ...] = ()
    hub_gateways: Mapping[Ref, Manifest] = {}
    hub_in_worlds: InWorlds[JudgedHub] = dict

"""Wings: capabilities that a project switches on in fleet.yaml, each a row of one table.

`pipeline` and the command line loop over the table and name no wing. The code of a wing reads the
files and settings that it needs of a project, and returns a `Part`, which takes part in rendering.
To add a wing, write a package here and add its row below.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

from spokerender.model.refs import OCM


class Wing(NamedTuple):
    """A capability that a project may switch on; `load` imports what its fields name."""

    name: str
    settings: str = ""
    """The model of the wing's fields of `spec` in fleet.yaml."""
    part: str = ""
    """Reads a project, and returns a `Part`; None if the settings switch the wing off."""
    fields: tuple[str, ...] = ()
    """Fields of the settings; without a value in any of them, the wing is switched off."""
    paths: tuple[str, ...] = ()
    """Fields of the settings that name files and folders."""
    documents: Mapping[str, str] = {}
    """The models of the wing's own files, by their kind."""
    engines: str = ""
    """Returns the `EngineFacts` of the wing's engines."""
    without: str = ""
    """Returns the `Contribution` to a project that has switched the wing off."""
    hub_sources: tuple[tuple[str, str, str], ...] = ()
    """Sources of decisions: the group and kind of objects in a hub, and the function that answers a
    question about them (`rendering.placement.asking`)."""
    commands: Mapping[str, str] = {}
    """The wing's commands, with their help; each command is a module of `cli`."""

    # Names, and not the functions: most projects have no wing, and start-up time counts.
    def load(self, place: str) -> Any:  # noqa: ANN401  (a model, or a function)
        """Import the function or model `place`, given as `module:name` below the wing's package."""
        module, _, name = place.partition(":")
        return getattr(import_module(f"{__name__}.{self.name}.{module}"), name)


WINGS = (
    Wing(
        "publishing",
        settings="settings:PublishingSettings",
        part="part:PublishingPart",
        fields=("publishing",),
        paths=("publishing",),
        documents={"Publishing": "config.publishing:Publishing"},
        without="withdrawn:guard_withdrawn",
    ),
    Wing(
        "metapolicies",
        settings="settings:MetapolicySettings",
        part="part:read_metapolicies",
        fields=("metapolicies", "kuadrant_version", "assertions"),
        paths=("metapolicies",),
        documents={
            "MetapolicyDefinition": "config:MetapolicyDefinition",
            "Extension": "config:ExtensionFile",
        },
        commands={
            "metapolicies": "List the kinds of metapolicies, what they read and write, and their "
            "order.",
            "query": "Evaluate a CEL expression over the topology of the spokes.",
        },
    ),
    Wing(
        "delivery",
        settings="settings:DeliverySettings",
        part="engines:read_delivery",
        fields=("delivery",),
        engines="engines:engine_facts",
    ),
    Wing(
        "hubs",
        # First ready decisions, then Placements.
        hub_sources=(
            (OCM, "PlacementDecision", "ocm.decided:import_decisions"),
            ("multicluster.x-k8s.io", "PlacementDecision", "sig:import_sig_decisions"),
            (OCM, "Placement", "ocm.decided:decide_placements"),
        ),
    ),
)
"""The wings in the order in which they contribute: a metapolicy may read what publishing copies."""

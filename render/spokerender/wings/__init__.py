"""Wings: capabilities that a project switches on in fleet.yaml, each a row of one table.

`pipeline` and the command line loop over the table and name no wing. A wing reads what it needs of
a project; what comes back is a `Part`, which takes part in rendering. To add one: a package here,
and its row below.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple


class Wing(NamedTuple):
    """A capability; its functions and models are named as `module:name`, below its package.

    A name is imported when it is needed: most projects have no wing, and start-up counts.
    """

    name: str
    settings: str
    """The model of its fields of `spec` in fleet.yaml."""
    part: str
    """Reads what it needs of a project, and returns a `Part`; None where that is switched off."""
    fields: tuple[str, ...]
    """The fields of its settings of which one must have a value, or the project goes without it."""
    paths: tuple[str, ...] = ()
    """The fields of its settings that name files and folders."""
    documents: Mapping[str, str] = {}
    """The models of its own files, by their kind."""
    engines: str = ""
    """Returns what its engines do with objects and folders (`EngineFacts`)."""
    without: str = ""
    """Returns the `Contribution` to a project that has not switched it on."""
    commands: Mapping[str, str] = {}
    """The commands that it brings, with their help; each is a module of `cli`."""

    def load(self, place: str) -> Any:  # noqa: ANN401  (a model, or a function)
        """Import what a field of it names."""
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
)
"""In the order in which they contribute: a metapolicy may read what publishing copies."""

"""Clusters become a hub and a placement, rendered and compared before anybody gets them."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec.structs import replace

from spokerender.adopting.fleets.assembling import (
    Assembler,
    GatewayNames,
    Nodes,
    pair_gateways,
    write_object,
)
from spokerender.adopting.fleets.comparing import Comparer
from spokerender.adopting.fleets.deciding import Decider, Departures, Selections, SpokeValues
from spokerender.adopting.fleets.gathering import Gatherer
from spokerender.adopting.fleets.placing import Placer
from spokerender.adopting.fleets.values import Adopted, AdoptedOverride, GatheredCluster, Mismatches
from spokerender.adopting.fleets.writing import write_fleet_file, write_placement
from spokerender.findings.errors import InputError
from spokerender.findings.results import Result, Severity
from spokerender.findings.suppressions import instead_of_suppressing
from spokerender.judging.validation.crds import read_schemas
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import Origin, Ref, grouped
from spokerender.model.refs import ObjectName
from spokerender.rendering.values.layout import path_of
from spokerender.rendering.values.rendered import Rendered
from spokerender.topology.node import GATEWAY

Render = Callable[[Mapping[str, bytes]], Rendered]
"""Renders a project, given its files by path. Raises `InputError`."""
_REASON = "it was so on the clusters when they were adopted"
# Each attempt accepts, or leaves out, the errors of a render, which may hide further errors.
_ATTEMPTS = 6
_OF_RULES, _OF_OVERRIDES = "SR14", "SR16"


class Adoption:
    """Clusters on their way to a project, with its files as they are so far."""

    def __init__(
        self,
        clusters: Sequence[GatheredCluster],
        gatherer: Gatherer,
        requires: str,
        render: Render,
    ) -> None:
        """Decide what the hub has, and which Gateway goes where; `requires` is for fleet.yaml."""
        self._clusters, self._gatherer = clusters, gatherer
        self._requires, self._render = requires, render
        catalogue = Catalogue.of(gatherer.crds.values())
        nodes = Nodes(catalogue)
        names = GatewayNames(clusters, nodes)
        self._nodes = nodes
        self._pairing = pair_gateways(clusters, nodes, names)
        assembler = Assembler(self._pairing.gateways, nodes, names, catalogue)
        self._assembly = assembler.assemble(clusters)
        objects = self._assembly.objects
        self._kinds = sorted({(ref.group, ref.kind) for ref in objects})
        crds = [(crd, Origin("")) for crd in gatherer.crds.values()]
        self._comparer = Comparer(catalogue, read_schemas((), crds, self._kinds))
        self._hub = {
            f"hub/{path_of(ref)}": write_object(item)
            for ref, item in objects.items()
            if item.source
        }
        absent = [(it.ref, it.content["spec"]) for it in objects.values() if it.source is None]
        # Routes refer to these Gateways by listener, so the hub has to know their names.
        self._external = [
            {
                "kind": ref.kind,
                "namespace": ref.namespace,
                "name": ref.name,
                "listeners": [listener["name"] for listener in spec["listeners"]],
            }
            for ref, spec in absent
        ]
        self._files: Mapping[str, bytes] = {}
        self._overrides: list[AdoptedOverride] = []
        self._lines: Sequence[int] = ()
        # No cluster keeps its own Gateway until a render shows that no file can say it.
        self._place({})

    def _place(self, keeping: Mapping[Ref, Collection[str]]) -> None:
        """Decide where each Gateway goes; some clusters keep theirs, which no file can say."""
        self._selections = Selections([cluster.name for cluster in self._clusters])
        self._values = SpokeValues(self._selections.names)
        self._departures = Departures(self._selections)
        self._accepted: list[Result] = []
        placer = Placer(self._assembly.objects, self._nodes, self._values, self._departures)
        gateways = [
            replace(item, absent=item.absent.union(keeping.get(item.ref, ())))
            for item in self._pairing.gateways
        ]
        self._rules = placer.place(gateways, self._selections)

    def adopt(self) -> Adopted:
        """Return the project.

        An object that no placement can say is taken from the cluster that it is on, and told.
        Raises `InputError` if the project can't be rendered.
        """
        decider, overrides, rendered, left = self._decide()
        keeping = grouped(
            (ref, name)
            for column in left.columns.values()
            if ((ref := column.ref).group, ref.kind) == GATEWAY
            for name in column.values
        )
        # A cluster that keeps its Gateway gets none, so that nothing of it can differ.
        if keeping:
            self._place(keeping)
            decider, overrides, rendered, left = self._decide()
        if left.columns:
            for column in left.columns.values():
                left.apart.setdefault(column.ref, []).extend(column.values)
            # An object that is wrong on a cluster is worse than none there, which the report lists.
            gone = {item.ref: item for item in decider.take_away(left)}
            still = [o for o in overrides if o.ref not in gone or o.clusters - gone[o.ref].clusters]
            rendered, left = self._try([*still, *gone.values()])
        lines: dict[Ref, int] = {}
        for override, line in zip(self._overrides, self._lines, strict=True):
            lines.setdefault(override.ref, line)
        return Adopted(
            self._files,
            tuple(self._clusters),
            self._pairing,
            self._assembly,
            self._values.count(),
            tuple(self._departures.noted),
            lines,
            left,
            tuple(self._accepted),
            Counter(self._gatherer.left) + Counter(self._assembly.left),
            rendered,
        )

    def _decide(self) -> tuple[Decider, list[AdoptedOverride], Rendered, Mismatches]:
        """Write what the rules leave different into overrides, and see what is left then."""
        decider = Decider(self._selections, self._values, self._departures)
        overrides = decider.decide(self._try([])[1])
        return decider, overrides, *self._try(overrides)

    def _try(self, overrides: Sequence[AdoptedOverride]) -> tuple[Rendered, Mismatches]:
        """Render the project, without what refuses it, and compare it with the clusters."""
        self._overrides = [*overrides]
        # Findings of clusters that work today must not keep a project from being written.
        errors: list[Result] = []
        for _ in range(_ATTEMPTS):
            self._write()
            rendered = self._render(self._files)
            errors = [item for item in rendered.results if item.severity is Severity.ERROR]
            if not errors:
                objects = self._assembly.objects
                return rendered, self._comparer.compare(rendered, self._clusters, objects)
            self._give_way(errors)
        raise InputError(tuple(errors))

    def _write(self) -> None:
        placement, self._lines = write_placement(
            self._selections, self._values, self._rules, self._overrides, self._kinds
        )
        fleet = write_fleet_file(
            [kind for kind in self._kinds if kind != GATEWAY],
            self._requires,
            self._external,
            [
                {"code": item.code, "resource": str(ObjectName.of(ref)), "reason": _REASON}
                for item in self._accepted
                if (ref := item.resource)
            ],
            creates_namespaces=self._gatherer.namespaces == {True},
        )
        texts = {"fleet.yaml": fleet, "placement.yaml": placement}
        self._files = {**self._hub, **{path: text.encode() for path, text in texts.items()}}

    def _give_way(self, errors: Sequence[Result]) -> None:
        """Accept findings, as clusters are so already; where that can't be, leave the object out.

        Raises `InputError` if an error is about none.
        """
        for error in {(item.code, item.resource): item for item in errors}.values():
            ref = error.resource
            # A rule of the placement is for all its Gateways: there is no object to leave out.
            if ref is None or error.code.startswith(_OF_RULES):
                raise InputError(tuple(errors))
            if error.code.startswith(_OF_OVERRIDES):
                self._overrides = [item for item in self._overrides if not item.is_for(ref)]
            # No suppression accepts such a finding, so the object stays on its clusters alone.
            elif instead_of_suppressing(error.code):
                self._hub.pop(f"hub/{path_of(ref)}", None)
            else:
                self._accepted.append(error)

"""Turn clusters into a hub and a placement, which are rendered and compared with the clusters."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from spokerender.adopting.fleets.assembling import Assembly
from spokerender.adopting.fleets.comparing import Comparer, Differences
from spokerender.adopting.fleets.deciding import AdoptedOverride, Decider
from spokerender.adopting.fleets.gathering import GatheredCluster, Gatherer
from spokerender.adopting.fleets.placing import Placer
from spokerender.adopting.fleets.writing import describe_override, write_file
from spokerender.adopting.imports import edit_text
from spokerender.findings.errors import InputError
from spokerender.findings.results import Result, Severity
from spokerender.findings.suppressions import instead_of_suppressing
from spokerender.judging.validation.crds import read_schemas
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import GATEWAY, ObjectName, Origin, Ref
from spokerender.rendering.values.layout import path_of
from spokerender.rendering.values.rendered import Rendered

Render = Callable[[Mapping[str, bytes]], Rendered]
"""Renders a project, given its files by path. Raises `InputError`."""
# Each attempt accepts the errors of a render, which may hide further errors.
_ATTEMPTS = 6
_REASON = "it was so on the clusters when they were adopted"
_OVERRIDE = ("    - target:", "    - {target:")
_OF_RULES, _OF_OVERRIDES = "SR14", "SR16"


class Adoption:
    """A project made from clusters; `files` has the project after `complete`.

    `rendered` is the rendered project. `stuck` has pairs of an object and a cluster on which the
    object remains, as no placement can express it. `lines` has the lines of the overrides in the
    placement, `accepted` the errors that clusters have already.
    """

    overrides: Sequence[AdoptedOverride] = ()

    def __init__(
        self, clusters: Sequence[GatheredCluster], gatherer: Gatherer, requires: str, render: Render
    ) -> None:
        """Assemble the hub; `requires` is the range of our versions to write into fleet.yaml."""
        self.clusters = clusters
        catalogue = Catalogue.of(gatherer.crds.values())
        self.assembly = Assembly(clusters, catalogue)
        self.stuck: set[tuple[Ref, str]] = set()
        self.accepted: list[Result] = []
        self.not_taken = gatherer.left + self.assembly.left
        self._creates_namespaces = gatherer.namespaces == {True}
        self._requires, self._render = requires, render
        kinds = {(ref.group, ref.kind) for ref in self.assembly.objects}
        self._kinds = sorted(kinds - {GATEWAY})
        crds = [(crd, Origin("")) for crd in gatherer.crds.values()]
        schemas = read_schemas((), crds, kinds)
        self._comparer = Comparer(clusters, self.assembly.objects, schemas)

    def complete(self) -> None:
        """Make the project.

        Raises `InputError` if the project can't be rendered.
        """
        while True:
            self.decider = Decider(
                [cluster.name for cluster in self.clusters], self.assembly.objects
            )
            self._rules = Placer(self.assembly, self.decider).place()
            self.overrides, self.accepted = (), []
            self.overrides = self.decider.decide(self._compare())
            differences = self._compare()
            stuck = differences.stuck
            for ref, places in differences.changes.items():
                stuck += ((ref, name) for names in places.values() for name in names)
            # What hangs on a Gateway may be right once its cluster keeps it.
            gateways = {pair for pair in stuck if (pair[0].group, pair[0].kind) == GATEWAY}
            new = (gateways or {*stuck}) - self.stuck
            if not new:
                return
            self.stuck |= new
            for ref, name in new:
                self.assembly.objects[ref].forms.pop(name, None)

    def _compare(self) -> Differences:
        """Render the project and return its differences from the clusters.

        Errors that clusters have already are suppressed, as these work today. If objects have other
        errors, only `stuck` is returned. Raises `InputError` for errors without an object.
        """
        errors: list[Result] = []
        for _ in range(_ATTEMPTS):
            self._write()
            self.rendered = self._render(self.files)
            errors = [it for it in self.rendered.results if it.severity is Severity.ERROR]
            if not errors:
                return self._comparer.compare(self.rendered)
            distinct = {(item.code, item.resource): item for item in errors}.values()
            # No entry of `suppressions` can accept these.
            refused = [
                item
                for item in distinct
                if item.resource is None
                or item.code.startswith((_OF_RULES, _OF_OVERRIDES))
                or instead_of_suppressing(item.code)
            ]
            stuck = [pair for error in refused for pair in self._find_stuck(error)]
            if stuck:
                return Differences(stuck=stuck)
            if refused:
                break
            self.accepted += distinct
        raise InputError(tuple(errors))

    def _find_stuck(self, error: Result) -> list[tuple[Ref, str]]:
        """Return the object of `error`, paired with each cluster that has it; empty if none."""
        item = self.assembly.objects.get(error.resource) if error.resource else None
        # A rule of the placement is for all its Gateways: there is no object to leave out.
        if item is None or error.code.startswith(_OF_RULES):
            return []
        return [(item.ref, name) for name in error.spokes or item.forms if name in item.forms]

    def _write(self) -> None:
        kinds = Counter(kind for _, kind in self._kinds)
        overrides = [
            describe_override(item, with_group=kinds[item.refs[0].kind] > 1)
            for item in self.overrides
        ]
        spec = {"spokes": self.decider.list_spokes(), "rules": self._rules, "overrides": overrides}
        head = {"kind": "Placement", "metadata": {"name": "adopted"}}
        texts = {"placement.yaml": write_file(head, spec)}
        numbered = enumerate(texts["placement.yaml"], 1)
        self.lines = [line for line, text in numbered if text.startswith(_OVERRIDE)]
        fleet = {
            "requires": self._requires,
            "policiesToSync": [{"group": group, "kind": kind} for group, kind in self._kinds],
            "namespaces": "create" if self._creates_namespaces else "",
            "external": [it.as_external() for it in self.assembly.gateways if not it.forms],
            "suppressions": [
                {"code": item.code, "resource": str(ObjectName.of(ref)), "reason": _REASON}
                for item in self.accepted
                if (ref := item.resource)
            ],
        }
        texts["fleet.yaml"] = write_file({"kind": "Fleet"}, fleet)
        self.files = {
            f"hub/{path_of(item.ref)}": edit_text(item.source.manifest, item.content_on_hub())
            for item in self.assembly.objects.values()
            if item.source and item.forms
        } | {path: ("\n".join(lines) + "\n").encode() for path, lines in texts.items()}

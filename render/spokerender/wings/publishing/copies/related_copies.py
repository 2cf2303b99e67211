"""Copies of the related objects that follow the copies of one workspace (origin kcp)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from spokerender.findings.codes.publishing import NO_RELATED, UNEVEN_REFERENCE
from spokerender.findings.errors import InputBudget
from spokerender.findings.results import Fault, Result
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.kind import Kind
from spokerender.model import NAMESPACE, SECRET, FieldPath, Manifest, Ref, grouped
from spokerender.model.names import label_fault, subdomain_fault
from spokerender.model.shapes import Json
from spokerender.rendering.values.rendered import Copy, NeededSecret
from spokerender.topology.hub import Hub
from spokerender.wings.publishing import contexts, jsonpaths
from spokerender.wings.publishing.agents import ConsumerWorkspace
from spokerender.wings.publishing.config import published
from spokerender.wings.publishing.config.published import RelatedSpec
from spokerender.wings.publishing.copies import copying
from spokerender.wings.publishing.copies.mutations import mutate_object
from spokerender.wings.publishing.errors import PublishingError, no_crd_error
from spokerender.wings.publishing.gotemplates.values import GoStruct


class PrimaryPair(Struct, frozen=True, eq=False):
    """A primary as its consumer has it (remote) and as the service cluster has it (local).

    `cluster` is the consumer's logical cluster, which names may contain.
    """

    remote: contexts.Object
    local: contexts.Object
    cluster: contexts.LogicalCluster


ObjectRow = tuple[str, str, Mapping[str, Any]]
"""The namespace of an object, its name, and the object itself."""


OriginObjects = Mapping[tuple[str, str], Sequence[ObjectRow]]
"""The objects on the origin's side by group and kind, with its Namespaces."""


def list_origin_objects(hub: Hub) -> OriginObjects:
    """Return the objects of `hub` (a workspace or a spoke) by kind, and its Namespaces."""
    rows_by_kind: dict[tuple[str, str], list[ObjectRow]] = grouped(
        ((ref.group, ref.kind), (ref.namespace, ref.name, manifest.object))
        for manifest in hub.manifests
        for ref in [manifest.ref]
    )
    return {**rows_by_kind, NAMESPACE: [("", *row) for row in hub.namespaces.items()]}


def pair_related_names(
    related: published.RelatedSpec,
    primaries: PrimaryPair,
    objects: OriginObjects,
    kind: tuple[str, str],
    field: FieldPath,
) -> dict[tuple[str, str], tuple[str, str]]:
    """Pair the names of the related objects on both sides, even of objects that do not exist.

    Returns namespace and name on the other side, by namespace and name on the origin's side. `kind`
    is the group and kind on the origin's side; `field` leads to `related`. Raises `PublishingError`
    if names can't be paired, a template fails, or there is no namespace.
    """
    finder = _NameFinder(related.origin, primaries)
    at = (*field, "object")
    namespaces = finder.pair_namespaces(
        related.object.namespace, objects[NAMESPACE], (*at, "namespace")
    )
    selector = related.object.selector
    if selector is None:
        names = finder.pair_names(related.object, (), at)
        pairs = [(space, name, other) for space in namespaces for name, other in names]
    else:
        rows = [row for row in objects.get(kind, ()) if row[0] in namespaces]
        pairs = list(finder.select(selector, rows, (*at, "selector")))
    # The last pair of an object counts, as in upstream's map.
    return {(space, name): (namespaces[space], other) for space, name, other in pairs}


class _NameFinder:
    def __init__(self, origin: str, primaries: PrimaryPair) -> None:
        self._primaries = primaries
        sides = [("kcp", primaries.remote), ("service", primaries.local)]
        self._sides = sides if origin == "kcp" else sides[::-1]
        self._engine = contexts.TemplateEngine()

    def pair_namespaces(
        self, lookup: published.RelatedLookup | None, rows: Sequence[ObjectRow], field: FieldPath
    ) -> dict[str, str]:
        if lookup is not None:
            return dict(self.pair_names(lookup, rows, field))
        origin, other = (str(side["metadata"].get("namespace") or "") for _, side in self._sides)
        if not origin or not other:
            message = "the primary is cluster-scoped, so its related objects need a namespace"
            raise PublishingError(UNEVEN_REFERENCE, message, "set object.namespace", field[:-1])
        return {origin: other}

    def pair_names(
        self, lookup: published.RelatedLookup, rows: Sequence[ObjectRow], field: FieldPath
    ) -> list[tuple[str, str]]:
        """Return pairs of a related object's name on the origin's side and on the other side.

        A selector selects from `rows`. Pairs with an empty name are left out, as in api-syncagent.
        """
        if lookup.reference is not None:
            pairs = self._follow_reference(lookup.reference, (*field, "reference"))
        elif lookup.template is not None:
            at, template = (*field, "template", "template"), lookup.template.template
            # Both sides render the same template, each with its own primary as `.Object`.
            name, other = (self._render_side(*side, template, at) for side in self._sides)
            pairs = [(name, other)]
        else:
            assert lookup.selector is not None  # noqa: S101  (exactly one is set)
            selected = self.select(lookup.selector, rows, (*field, "selector"))
            pairs = [(name, other) for _, name, other in selected]
        return [(name, other) for name, other in pairs if name and other]

    def _follow_reference(
        self, reference: published.RelatedReference, field: FieldPath
    ) -> list[tuple[str, str]]:
        names_by_side: list[list[str]] = []
        for _, side in self._sides:
            result = jsonpaths.get_path(side, reference.path)
            names_by_side.append(_read_names(result, reference.regex, (*field, "regex")))
        origin, other = names_by_side
        if not origin:
            return []
        # Upstream refuses this as well: it pairs names by their index.
        if len(origin) != len(other):
            message = f"{reference.path} has {len(origin)} names on the {self._sides[0][0]} side "
            message += f"and {len(other)} on the other"
            raise PublishingError(UNEVEN_REFERENCE, message, "use a template", (*field, "path"))
        return list(zip(origin, other, strict=True))

    def _render_side(
        self, name: str, side: contexts.Object, template: str, field: FieldPath
    ) -> str:
        context = contexts.make_side_context(side, self._primaries.cluster, name)
        try:
            return self._engine.render(template, context, field).text
        except contexts.MissingOutputError:
            return ""

    def select(
        self, selector: published.RelatedSelector, rows: Sequence[ObjectRow], field: FieldPath
    ) -> Iterator[tuple[str, str, str]]:
        """Yield namespace, name and the other side's name of each object in `rows` that matches."""
        required_labels = self._render_labels(selector, (*field, "matchLabels"))
        for namespace, name, data in rows:
            labels = data["metadata"].get("labels") or {}
            if all(labels.get(key) == value for key, value in required_labels.items()) and all(
                requirement.value.holds(labels) for requirement in selector.match_expressions
            ):
                yield namespace, name, self._rewrite(selector, name, data, (*field, "rewrite"))

    def _render_labels(
        self, selector: published.RelatedSelector, field: FieldPath
    ) -> dict[str, str]:
        context = self._make_context()
        labels: dict[str, str] = {}
        for key, value in selector.match_labels.items():
            at = (*field, key)
            # Upstream drops a label whose key is rendered to an empty text.
            name = self._engine.render(key, context, at, missing="").text
            if name:
                labels[name] = self._engine.render(value, context, at, missing="").text
        return labels

    def _rewrite(
        self,
        selector: published.RelatedSelector,
        name: str,
        data: contexts.Object,
        field: FieldPath,
    ) -> str:
        rewrite = selector.rewrite
        if rewrite.regex is not None:
            return contexts.replace_matches(name, rewrite.regex, (*field, "regex"))
        assert rewrite.template is not None  # noqa: S101  (exactly one is set)
        context = self._make_context(Value=name, RelatedObject=data)
        at = (*field, "template", "template")
        return self._engine.render(rewrite.template.template, context, at, missing="").text

    def _make_context(self, **more: Json) -> GoStruct:
        """Return the data for templates in selectors and rewrites, with the fields `more`."""
        sides = {"LocalObject": self._primaries.local, "RemoteObject": self._primaries.remote}
        fields = {**sides, **self._primaries.cluster.fields, **more}
        return GoStruct("the selector's context", fields)


def _read_names(
    result: jsonpaths.FoundValue | None, regex: published.RegexRewrite | None, field: FieldPath
) -> list[str]:
    if result is None:
        return []
    items = result.value if isinstance(result.value, list) else [result.value]
    names = [jsonpaths.format_result(item).strip() for item in items]
    if regex is None:
        return names
    return [contexts.replace_matches(name, regex, field) for name in names]


class CopyingOutcome(Struct, eq=False):
    """The copies of all workspaces in order, and findings; filled while objects are copied.

    `is_plain` is False if a workspace's files have more than plain objects, as in `Hub`.
    """

    budget: InputBudget
    copies: list[Copy] = field(default_factory=list)
    secrets: list[NeededSecret] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    is_plain: bool = True


class RelatedCopier:
    """Copies the related objects of a workspace's copies, except Secrets, which are only recorded.

    `secrets` has the identity on spokes of each related Secret of the workspace.
    """

    def __init__(
        self, workspace: ConsumerWorkspace, hub: Hub, catalogue: Catalogue, outcome: CopyingOutcome
    ) -> None:
        """`hub` has the workspace's objects; `catalogue` has the service cluster's kinds."""
        self._workspace = workspace
        self._catalogue = catalogue
        self._outcome = outcome
        self._local_catalogue = hub.catalogue
        self._manifests = {manifest.ref: manifest for manifest in hub.manifests}
        self._objects = list_origin_objects(hub)
        self.secrets: dict[Ref, Ref] = {}

    def copy_related(self, primary: copying.UnlinkedCopy) -> Iterator[copying.UnlinkedCopy]:
        """Yield the copies of the objects that are related to the original of `primary`."""
        resource, source = primary.resource, primary.source
        for index, related in enumerate(resource.spec.related):
            if related.origin != "kcp":
                continue
            try:
                yield from self._copy_entry(related, primary, ("spec", "related", index))
            except PublishingError as error:
                subject = f"{self._workspace.name}|{source.ref} ({source.origin})"
                self._outcome.results.append(resource.report(error.fault, subject))

    def _copy_entry(
        self, related: RelatedSpec, primary: copying.UnlinkedCopy, path: FieldPath
    ) -> Iterator[copying.UnlinkedCopy]:
        kind, local_kind, version = self._resolve_kinds(related, path)
        is_secret = SECRET in {(kind.group, kind.kind), (local_kind.group, local_kind.kind)}
        source, budget = primary.source, self._outcome.budget
        primaries = PrimaryPair(source.object, primary.object, self._workspace.cluster)
        origin_kind = (kind.group, kind.kind)
        candidates = len(self._objects.get(origin_kind, ()))
        place = "finding related objects"
        budget.spend(copying.COST_OF_OBJECT + candidates // 8, place, source.ref)
        pairs = pair_related_names(related, primaries, self._objects, origin_kind, path)
        if is_secret and related.object.selector is not None and not pairs:
            # A selector matches Secrets without naming them, and need not match any file.
            labels = sorted(related.object.selector.match_labels.items())
            terms = ",".join(f"{key}={value}" for key, value in labels)
            ref = Ref(*SECRET, primary.ref.namespace, "")
            note = f"in workspace {self._workspace.name}"
            self._outcome.secrets.append(NeededSecret(ref, note, primary.ref, terms))
        budget.spend(copying.COST_OF_OBJECT * len(pairs), place, source.ref)
        for names, local_names in pairs.items():
            origin, local = _make_ref(kind, names), _make_ref(local_kind, local_names)
            fault = subdomain_fault(local.name) or (
                local.namespace and label_fault(local.namespace)
            )
            copying.check_name(str(local), fault, "the related object's copy", (*path, "object"))
            if is_secret:
                self.secrets[origin] = local
                note = f"{origin} in workspace {self._workspace.name}"
                self._outcome.secrets.append(NeededSecret(local, note, primary.ref))
            elif origin in self._manifests:
                manifest = self._manifests[origin]
                yield self._copy_follower(manifest, (local, version), related, primary, path)
            else:
                self._report_missing(origin, related, source)

    def _resolve_kinds(self, related: RelatedSpec, path: FieldPath) -> tuple[Kind, Kind, str]:
        """Return the origin's kind, the copies' kind and version. Raises `PublishingError`."""
        origin = self._local_catalogue.by_resource(*related.origin_resource)
        local = self._catalogue.by_resource(*related.projected_resource)
        if origin is None or local is None:
            resource = related.projected_resource if origin else related.origin_resource
            raise no_crd_error(resource, path)
        projected = related.projection.version if related.projection else ""
        return origin, local, projected or related.version or "v1"

    def _report_missing(self, origin: Ref, related: RelatedSpec, source: Manifest) -> None:
        message = f'{origin}, related as "{related.identifier}", is not among the files of '
        message += f"workspace {self._workspace.name}"
        fault = Fault(NO_RELATED, message, "add it to the files, or correct the name")
        self._outcome.results.append(fault.result(source.ref, source.origin))

    def _copy_follower(
        self,
        manifest: Manifest,
        destination: tuple[Ref, str],
        related: RelatedSpec,
        primary: copying.UnlinkedCopy,
        path: FieldPath,
    ) -> copying.UnlinkedCopy:
        """Return the mutated copy of a related object at `destination`, reference and version."""
        ref, version = destination
        resource = primary.resource
        steps = (related.mutation and related.mutation.spec) or ()
        at = (*path, "mutation", "spec")
        cost = copying.estimate_copy(manifest.object, len(steps))
        self._outcome.budget.spend(cost, "copying it", manifest.ref)
        mutated = mutate_object(dict(manifest.object), steps, at)
        self._outcome.results += map(resource.report, mutated.notes)
        stripped = copying.strip_object(copying.require_metadata(mutated, manifest.object))
        copy = copying.identify_copy(stripped, ref, version, at)
        return copying.UnlinkedCopy(manifest, resource, ref, copy, mutated)


def _make_ref(kind: Kind, namespace_and_name: tuple[str, str]) -> Ref:
    namespace, name = namespace_and_name
    return Ref(kind.group, kind.kind, namespace if kind.namespaced else "", name)

"""PublishedResources with their agents and CRDs, as the service cluster and consumers see them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.config.base import Model
from spokerender.config.selectors import LabelSelector
from spokerender.findings.codes import publishing as codes
from spokerender.findings.codes.publishing import BAD_PATH, DOUBTFUL_REPLACEMENT, MEANS_NOTHING
from spokerender.findings.results import Fault, Result
from spokerender.formats import cel, regexes
from spokerender.judging.validation.builtin import define_builtin
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.crds import read_identity
from spokerender.kinds.fields import read_value
from spokerender.model import SECRET, FieldPath, Manifest, Origin
from spokerender.model.refs import GroupKind, kind_name
from spokerender.model.shapes import as_text
from spokerender.model.sources import File
from spokerender.topology.hub import Hub, find_definitions
from spokerender.topology.places import hub_line
from spokerender.wings.publishing import jsonpaths
from spokerender.wings.publishing.agents import SyncAgent
from spokerender.wings.publishing.config import published
from spokerender.wings.publishing.config.published import read_published
from spokerender.wings.publishing.contexts import TemplateEngine
from spokerender.wings.publishing.errors import PublishingError, errors_at
from spokerender.wings.publishing.projection import project_crd

GROUP, KIND = "syncagent.kcp.io", "PublishedResource"

_Definition = tuple[Mapping[str, Any], Origin]


class PublishedResource(Struct, frozen=True, eq=False):
    """A valid PublishedResource, its CRD as it was read, and the CRD as consumers see it."""

    manifest: Manifest
    agent: SyncAgent
    spec: published.PublishedSpec
    crd: Mapping[str, Any]
    projected_crd: Mapping[str, Any]
    versions: Mapping[str, str]
    """The name that the local CRD has for each published version."""
    is_builtin: bool = False
    """True for a kind of Kubernetes, whose CRD is made up."""

    @property
    def projected_kind(self) -> GroupKind:
        """The group and kind that consumers see."""
        spec = self.projected_crd["spec"]
        return spec["group"], spec["names"]["kind"]

    @property
    def projected_plural(self) -> tuple[str, str]:
        """The group and plural that consumers see."""
        spec = self.projected_crd["spec"]
        return spec["group"], spec["names"]["plural"]

    @property
    def is_namespaced(self) -> bool:
        """True if copies are namespaced: the local CRD decides."""
        return bool(self.crd["spec"].get("scope") != "Cluster")

    def find_local_version(self, published: str) -> str:
        """Return the version of a copy whose original has the version `published`."""
        # Upstream writes copies in the storage version, even if that version is not published.
        stored = (v["name"] for v in self.crd["spec"]["versions"] if v.get("storage") is True)
        return next(stored, self.versions[published])

    def report(self, fault: Fault, subject: str = "") -> Result:
        """Return a finding about a fault at its field; `subject` is the object with the fault."""
        if subject:
            fault = replace(fault, message=f"{fault.message}; for {subject}")
        return report_fault(self.manifest, fault)


def report_fault(manifest: Manifest, fault: Fault) -> Result:
    """Return a finding about a fault of an object, at the line of its field."""
    return fault.result(manifest.ref, hub_line(manifest, fault.field))


def selects(selector: LabelSelector | None, metadata: Mapping[str, Any]) -> bool:
    """Return whether a selector matches the labels of an object; None selects every object."""
    return selector is None or selector.value.matches(metadata.get("labels") or {})


def read_resources(
    hub: Hub, agents: Sequence[SyncAgent], crd_files: Sequence[File]
) -> tuple[tuple[PublishedResource, ...], tuple[Result, ...]]:
    """Return the valid PublishedResources of the hub in order, and the faults of all of them."""
    results: list[Result] = []
    specs: list[tuple[Manifest, SyncAgent, published.PublishedSpec]] = []
    for manifest in hub.manifests:
        if (manifest.ref.group, manifest.ref.kind) != (GROUP, KIND):
            continue
        agent = _find_agent(manifest, agents, results)
        if agent is None:
            continue
        spec, faults = read_published(manifest.object)
        results += (report_fault(manifest, replace(f, finding=codes.BAD_RESOURCE)) for f in faults)
        if spec is not None:
            specs.append((manifest, agent, spec))
    # Looked for by name before parsing, as CRD files are large.
    kinds = {spec.resource.group_kind for _, _, spec in specs}
    crds: dict[GroupKind, list[_Definition]] = {}
    of_hub = ((manifest.object, manifest.origin) for manifest in hub.crds)
    for crd, origin in (*of_hub, *find_definitions(crd_files, kinds)):  # others aren't parsed
        if (kind := read_identity(crd)) in kinds:
            crds.setdefault(kind, []).append((crd, origin))
    resources = []
    for manifest, agent, spec in specs:
        results += (report_fault(manifest, fault) for fault in _check_value(spec, ("spec",)))
        try:
            resources.append(_resolve_resource(manifest, agent, spec, crds, hub.catalogue))
        except PublishingError as error:
            results.append(report_fault(manifest, error.fault))
    results += _find_duplicates(resources)
    return tuple(resources), tuple(results)


def _find_agent(
    manifest: Manifest, agents: Sequence[SyncAgent], results: list[Result]
) -> SyncAgent | None:
    """Return the only agent that selects the object; report a fault for none or several."""
    metadata = manifest.object["metadata"]
    selecting = [agent for agent in agents if selects(agent.model.selector, metadata)]
    if len(selecting) == 1:
        return selecting[0]
    message, cure = "no agent selects it", "let one agent's selector match its labels"
    if selecting:
        names = " and ".join(f"{agent.name} ({agent.origin})" for agent in selecting)
        message = f"several agents select it: {names}"
        cure = "change the agents' selectors so that only one matches"
    results.append(
        report_fault(manifest, Fault(codes.UNCLAIMED, message, cure, ("metadata", "labels")))
    )
    return None


def find_related_crds(
    resources: Sequence[PublishedResource], hub: Hub, files: Sequence[File]
) -> tuple[Mapping[str, Any], ...]:
    """Return the CRDs of related kinds, on both sides, that the hub and Kubernetes do not have."""
    plurals = {
        plural
        for resource in resources
        for related in resource.spec.related
        for plural in (related.origin_resource, related.projected_resource)
        # CRDs of the hub and of Kubernetes are there anyway.
        if hub.catalogue.by_resource(*plural) is None
    }
    plurals -= {_read_plural(resource.crd) for resource in resources}
    return tuple(crd for crd, _ in find_definitions(files, plurals, _read_plural))


def _read_plural(crd: Mapping[str, Any]) -> tuple[str, str]:
    return (
        as_text(read_value(crd, ("spec", "group"))),
        as_text(read_value(crd, ("spec", "names", "plural"))),
    )


def _resolve_resource(
    manifest: Manifest,
    agent: SyncAgent,
    spec: published.PublishedSpec,
    crds: Mapping[GroupKind, list[_Definition]],
    catalogue: Catalogue,
) -> PublishedResource:
    kind = spec.resource.group_kind
    if kind == SECRET:
        message = "a Secret is never rendered, so it can't be published"
        cure = "publish the kind that makes it, such as an ExternalSecret"
        raise PublishingError(codes.PUBLISHED_SECRET, message, cure, ("spec", "resource"))
    crd = _choose_crd(kind, crds.get(kind, []), catalogue)
    projected = project_crd(crd, spec)
    return PublishedResource(manifest, agent, spec, crd, *projected, is_builtin=kind not in crds)


def _choose_crd(
    kind: GroupKind, crds: list[_Definition], catalogue: Catalogue
) -> Mapping[str, Any]:
    """Return the CRD of a kind; for a built-in kind of Kubernetes, a CRD made from its OpenAPI.

    Raises `PublishingError` for no CRD, or for different CRDs.
    """
    field: FieldPath = ("spec", "resource", "kind")
    if not crds:
        builtin = define_builtin(catalogue.kind(*kind)) if catalogue.known(*kind) else None
        if builtin is not None:
            return builtin
        message = f"no file has the CRD of {kind_name(*kind)}"
        cure = catalogue.suggest(*kind) or "put it into the hub or under spec.crds"
        raise PublishingError(codes.NO_CRD, message, cure, field)
    first, *others = crds
    for crd, origin in others:
        # Equal specs in several files are no conflict, as charts repeat CRDs.
        if crd.get("spec") != first[0].get("spec"):
            message = f"two CRDs of {kind_name(*kind)} differ: {first[1]} and {origin}"
            cure = "keep the one of the service cluster"
            raise PublishingError(codes.NO_CRD, message, cure, field)
    return first[0]


def _find_duplicates(resources: Sequence[PublishedResource]) -> Iterator[Result]:
    first_by_key: dict[tuple[str, tuple[str, str]], PublishedResource] = {}
    for resource in resources:
        key = (resource.agent.name, resource.projected_plural)
        first = first_by_key.setdefault(key, resource)
        if first is not resource:
            other = f"{first.manifest.ref.name} ({first.manifest.origin})"
            message = f"{kind_name(*resource.projected_plural)} is also published by {other}"
            fault = Fault(codes.PUBLISHED_TWICE, message, "project one of the two", ("spec",))
            yield resource.report(fault)


def _check_value(value: object, field: FieldPath) -> Iterator[Fault]:
    match value:
        # Models are walked by their fields, so that a new field with a template is checked as well.
        case tuple():
            for index, item in enumerate(value):
                yield from _check_value(item, (*field, index))
        case Model():
            yield from _check_model(value, field)
            for name, info in type(value).model_fields.items():
                key = info.alias or name
                yield from _check_value(getattr(value, name), (*field, key))


def _check_model(model: Model, field: FieldPath) -> Iterator[Fault]:
    """Yield the faults of the templates, paths and patterns that are fields of the model itself."""
    match model:
        case published.DeleteStep():
            yield from _check_path(model.path, field, jsonpaths.delete_path)
        case published.RegexStep() | published.TemplateStep() | published.CelStep():
            yield from _check_path(model.path, field, partial(jsonpaths.put_path, value=""))
        case published.RelatedReference():
            yield from _check_path(model.path, field, jsonpaths.get_path)
        case published.RelatedSpec():
            yield from _list_ineffective(model, field)
    if isinstance(model, published.RegexRewrite):
        yield from _check_regex(model, field)
    if isinstance(model, published.CelStep):
        variables = ("value", "self", "other")
        at = (*field, "expression")
        yield from _try(at, cel.check_expression, model.expression, variables)
    engine = TemplateEngine(is_mutating=isinstance(model, published.TemplateStep))
    for key, source in _list_templates(model):
        yield from _try(field, engine.compile, source, (*field, *key))


def _list_templates(model: Model) -> Iterator[tuple[FieldPath, str]]:
    match model:
        case published.TemplateStep() | published.GoTemplateText():
            yield ("template",), model.template
        case published.CopyNaming():
            patterns = {"name": model.name, "namespace": model.namespace}
            yield from (((key,), text) for key, text in patterns.items() if "{{" in text)
        case published.RelatedSelector():
            for key, label in model.match_labels.items():
                yield ("matchLabels", key), key
                yield ("matchLabels", key), label


def _list_ineffective(related: published.RelatedSpec, field: FieldPath) -> Iterator[Fault]:
    for name in ("watch", "cleanup", "cleanup_policy", "sync_status"):
        if getattr(related, name) is not None:
            key = published.RelatedSpec.model_fields[name].alias or name
            message = f"{key} has no effect here: it configures a live agent"
            yield Fault(MEANS_NOTHING, message, "", (*field, key))


def _try(field: FieldPath, use: Callable[..., object], *arguments: object) -> Iterator[Fault]:
    """Call `use` for the text at `field`, and yield the fault that it raises."""
    try:
        with errors_at(field):
            use(*arguments)
    except PublishingError as error:
        yield error.fault


def _check_regex(regex: published.RegexRewrite, field: FieldPath) -> Iterator[Fault]:
    if not regex.pattern:
        return
    faults = list(_try((*field, "pattern"), regexes.compile_pattern, regex.pattern))
    yield from faults
    if faults:
        return
    # Doubts only of valid patterns, whose groups are known.
    for doubt in regexes.compile_pattern(regex.pattern).find_doubts(regex.replacement):
        yield Fault(DOUBTFUL_REPLACEMENT, doubt, "write groups as ${1}", (*field, "replacement"))


def _check_path(
    path: str, field: FieldPath, use: Callable[[object, str], object]
) -> Iterator[Fault]:
    """Yield the faults that calling `use` with an empty object and `path` shows."""
    faults = list(_try((*field, "path"), use, {}, path))
    yield from faults
    if not faults and path.startswith((".", "$")):
        message = f"the path begins with {path[0]!r}, so it leads to nothing"
        yield Fault(BAD_PATH, message, "begin with a key: spec.field", (*field, "path"))

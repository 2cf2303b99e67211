"""fleet.yaml: the files of a project, and what is synced. Every field has a default.

A wing adds its own fields to the spec (`with_fields`).
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetJsonSchemaHandler,
    WithJsonSchema,
    create_model,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from spokerender.config import names
from spokerender.config.base import ApiVersion, Choice, Items, Model, later, refuse
from spokerender.findings.phrasing import did_you_mean, joined
from spokerender.model.shapes import Json

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

    from spokerender.config.policies import ControllerSettings, OcmSettings, PolicyKind
    from spokerender.config.rollout import Rollout
    from spokerender.config.suppressions import Suppression
    from spokerender.model.releases import BundledRelease
else:
    ControllerSettings = later("spokerender.config.policies", "ControllerSettings")
    OcmSettings = later("spokerender.config.policies", "OcmSettings")
    PolicyKind = later("spokerender.config.policies", "PolicyKind")
    Rollout = later("spokerender.config.rollout", "Rollout")
    Suppression = later("spokerender.config.suppressions", "Suppression")


def _inside(path: str) -> str:
    parts = PurePosixPath(path).parts
    if path.startswith("/") or ".." in parts:
        refuse("the output can't be outside the project", "name a folder in it, such as clusters/")
    if not parts or "\\" in path:
        refuse("the output must be a folder of its own", "name one, such as clusters/")
    if any(map(_is_gits, parts)):
        refuse("the output can't be in Git's own folder", "name another, such as clusters/")
    if not path.isprintable():
        refuse("the output has a character that nobody sees", "take it out")
    return path


def _is_gits(step: str) -> bool:
    """Return whether a file system may read a name as `.git` (git-config(1), core.protectNTFS)."""
    return step.partition(":")[0].rstrip(". ").casefold() in {".git", "git~1"}


def _several(value: Json) -> Json:
    return (value,) if isinstance(value, str) else value


_LIST = "`spokerender crds list` prints them all; write ./ before a path"


def _is_carried(entry: str) -> str:
    """Return an entry of `crds`; refuse a release that is not bundled or determines no channel."""
    if not _names_release(entry):
        return entry
    from spokerender.model.releases import (  # noqa: PLC0415  (few files name one)
        find_releases,
        list_releases,
        read_products,
    )

    product, _, rest = entry.partition("@")
    version, _, channel = rest.partition("/")
    products = read_products()
    if product not in products:
        hint = did_you_mean(product, products, "there are")
        refuse(f'spokerender carries no CRDs of "{product}"', f"{hint}\n{_LIST}".strip())
    title, carried = products[product].title, list_releases(product)
    same_version = find_releases(f"{product}@{version}")
    if not version or not same_version:
        versions = tuple(dict.fromkeys(release.version for release in carried))
        hint = did_you_mean(f"v{version.removeprefix('v')}", versions)
        hint = hint or f"the newest is {versions[-1]}"
        refuse(f'spokerender carries no release "{version}" of {title}', f"{hint}\n{_LIST}".strip())
    if len(find_releases(entry)) != 1:
        fault = f'no channel "{channel}"' if channel else "several channels"
        choice = f"write {joined(same_version).replace(' and ', ' or ')}"
        refuse(f"{title} {same_version[0].version} has {fault}", choice)
    return entry


def _names_release(entry: str) -> bool:
    """Return whether an entry of `crds` is a release, not a path: a word, then an @."""
    word, at, _ = entry.partition("@")
    return bool(at) and word.replace("-", "").replace("_", "").isalnum()


class _ReleaseNames:
    """Adds examples to the JSON Schema of `crds` entries; editors offer them as completions."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        from spokerender.model.releases import list_newest  # noqa: PLC0415  (a schema is seldom asked for)

        return {**handler(schema), "examples": ["crds/", *map(str, list_newest())]}


def _is_range(text: str) -> str:
    try:
        _specifiers(text)
    except ValueError:
        refuse("it is not a range of versions (PEP 440)", 'write one such as ">=0.1,<0.2"')
    return text


def _specifiers(text: str) -> SpecifierSet:
    from packaging import specifiers  # noqa: PLC0415  (15 ms, and few files have a range)

    return specifiers.SpecifierSet(text)


def allows_version(requires: str, version: str) -> bool:
    """Return whether a range allows a version (PEP 440); an invalid range allows all.

    A development version, such as 0.2.dev5, counts as the release that it precedes, unless the
    range names a development version itself.
    """
    if ".dev" not in requires:
        version, _, _ = version.partition(".dev")
    try:
        return _specifiers(requires).contains(version, prereleases=True)
    except ValueError:
        return True


_PATHS_SCHEMA = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}

_SOURCES = {"hub": "the hub", "crds": "the CRDs"}

MOST_HUB_BYTES = 20_000_000
"""The default limit; hubs that people write are rarely a tenth of it."""
_MOST_THAT_FITS = 1_000_000_000
"""The largest limit: a larger hub would take all memory of a build."""

OutputFolder = Annotated[names.FilePath, AfterValidator(_inside)]
Paths = Annotated[
    Items[names.FilePath],
    Field(min_length=1),
    BeforeValidator(_several),
    WithJsonSchema(_PATHS_SCHEMA),
]
TextList = Annotated[Items[names.Text], BeforeValidator(_several), WithJsonSchema(_PATHS_SCHEMA)]
Folders = Annotated[Items[names.FilePath], BeforeValidator(_several), WithJsonSchema(_PATHS_SCHEMA)]
CrdSource = Annotated[names.FilePath, AfterValidator(_is_carried), _ReleaseNames]
VersionRange = Annotated[names.Text, AfterValidator(_is_range)]


class SyncedKind(
    Choice, json_schema_extra={"oneOf": [{"required": ["kind"]}, {"required": ["resource"]}]}
):
    """A policy kind to sync, by kind (GVK) or by resource (GVR)."""

    alternatives = ("kind", "resource")

    group: names.Group = Field(default="", description="Its API group.")
    version: names.Text | None = Field(default=None, description="Its version; default: any.")
    kind: names.KindName | None = Field(default=None, description="Its kind.")
    resource: names.Resource | None = Field(default=None, description="Its resource: the plural.")

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, value: Json) -> Json:
        """Return the mapping for a bare kind or resource; its group is looked up later."""
        if not isinstance(value, str):
            return value
        kind, _, group = value.partition(".")
        if group:
            cure = f"write {{group: {group}, kind: {kind}}}"
            refuse(f'must be a mapping, but is the text "{value}"', cure)
        return {"resource" if kind.islower() else "kind": kind}


class ExternalObject(Model):
    """Objects on the spokes that are not on the hub; references to them are valid."""

    group: names.Group = Field(default="gateway.networking.k8s.io", description="Its API group.")
    kind: names.KindName = Field(description="Its kind.")
    namespace: names.Glob = Field(description="Its namespace, or a pattern: team-*.")
    name: names.Glob = Field(description="Its name, or a pattern.")
    listeners: Items[names.Text] = Field(
        default=(),
        description="The names of the listeners it has. A Gateway with a name of its own, and no "
        "pattern, can be placed by a rule with `mode: existing`, which may say more of them.",
    )
    gateways: Items[names.NamespacedName] = Field(
        default=(),
        description="The Gateways of the hub that it hangs on, as namespace/name. Policies on it "
        "ship with them.",
    )


class AcknowledgedDeletion(Model):
    """An accepted loss of objects, spokes or protection; valid only in the change that adds it."""

    ref: names.ObjectNameText | None = Field(
        default=None, description="The object, as Kind/namespace/name; default: the spokes."
    )
    spokes: Items[names.DnsLabel] = Field(
        default=(), description="The spokes that lose it; none for an object that is on no spoke."
    )
    lost: Literal["goes", "opens", "unserved"] = Field(
        default="goes",
        description="goes: it is deleted; opens: it stays, and asks less of callers than before; "
        "unserved: it stays, and requests get no answer any more.",
    )
    reason: names.Text = Field(description="Why it is accepted.")

    @model_validator(mode="after")
    def _names_something(self) -> Self:
        if self.ref is None and not self.spokes:
            refuse("a deletion requires a ref, spokes, or both", "add ref or spokes")
        if self.ref is None and self.lost != "goes":
            refuse("a spoke can only go", "add the ref of the object that stays")
        return self


class FleetSpec(Model):
    """The files of a project, what is synced, and its delivery."""

    hub: Annotated[Items[names.FilePath], Field(min_length=1)] = Field(
        default=("hub/",), description="Files and folders with the hub's manifests."
    )
    crds: Items[CrdSource] = Field(
        default=(),
        description="The CustomResourceDefinitions that the spokes' API servers have: files and "
        "folders, and releases that spokerender carries, such as gateway-api@v1.4.1/standard and "
        "kuadrant@1.5 (`spokerender crds list`). Files win over releases, and make kinds known.",
    )
    placement: Paths = Field(
        default=("placement.yaml",), description="The placement: a file, files, or a folder."
    )
    requests: Folders = Field(
        default=(), description="Tests of requests, which `check` runs: paths, or tests/*.yaml."
    )
    output: OutputFolder = Field(
        default="clusters/", description="The folder that the trees are written to."
    )
    layout: Literal["object", "spoke"] = Field(
        default="object", description="One file per object, or one per spoke."
    )
    templates: names.FilePath | None = Field(
        default=None, description="A folder with templates that replace the built-in ones."
    )
    policies_to_sync: Items[SyncedKind] = Field(
        default=(), description="Policy kinds to sync, beside the GatewayClass's own list."
    )
    policy_kinds: Items[PolicyKind] = Field(
        default=(), description="How policies of a kind are merged."
    )
    controllers: Items[ControllerSettings] = Field(
        default=(),
        description="How the controllers on the spokes are configured, where that decides about "
        "policies; what is not declared is Unknown.",
    )
    namespaces: Literal["require", "create"] = Field(
        default="require", description="create: render the namespaces of the spokes, too."
    )
    external: Items[ExternalObject] = Field(
        default=(),
        description="Objects on the spokes that are not on the hub; they are taken to be there.",
    )
    complete_kinds: Items[names.Kinds] = Field(
        default=(),
        description="Kinds of which the hub and `external` have all objects of the spokes: Secret, "
        'Backend.gateway.envoyproxy.io, or "*" for every kind. A reference to another one is an '
        "error, and what depends on it is judged; otherwise it is Unknown.",
    )
    deletions: Items[AcknowledgedDeletion] = Field(default=(), description="Intended deletions.")
    suppressions: Items[Suppression] = Field(
        default=(), description="Findings that are known and accepted."
    )
    rollout: Rollout | None = Field(
        default=None, description="The waves in which a change reaches the spokes; default: one."
    )
    exposure: bool = Field(
        default=False,
        description="Render who may call what: a file for each host, _fleet/exposure/<host>.yaml.",
    )
    max_hub_bytes: Annotated[int, Field(gt=0, le=_MOST_THAT_FITS)] = Field(
        default=MOST_HUB_BYTES,
        description="The size limit of the hub in bytes, and also of the CRDs, the placement, the "
        "publishing and a workspace.",
    )
    ocm: OcmSettings | None = Field(
        default=None, description="How Placements of Open Cluster Management are decided."
    )
    requires: VersionRange | None = Field(
        default=None, description='The versions of spokerender that may build: ">=0.1,<0.2".'
    )

    @property
    def crd_paths(self) -> tuple[str, ...]:
        """Return the entries of `crds` that are files and folders."""
        return tuple(entry for entry in self.crds if not _names_release(entry))

    @property
    def crd_releases(self) -> tuple[BundledRelease, ...]:
        """Return the bundled releases that entries of `crds` name."""
        named = [entry for entry in self.crds if _names_release(entry)]
        if not named:
            return ()
        from spokerender.model.releases import find_releases  # noqa: PLC0415  (few files name one)

        return tuple(release for entry in named for release in find_releases(entry))

    @model_validator(mode="after")
    def _reads_nothing_that_it_writes(self) -> Self:
        output = PurePosixPath(self.output)
        for key, paths in (("hub", self.hub), ("crds", self.crds)):
            for index, path in enumerate(paths):
                source = PurePosixPath(path)
                if output.is_relative_to(source) or source.is_relative_to(output):
                    cure = "move one out of the other"
                    refuse(f"{_SOURCES[key]} and the output overlap", cure, key, index)
        return self

    @model_validator(mode="after")
    def _configures_no_kind_twice(self) -> Self:
        if self.policy_kinds:
            from spokerender.config.policies import refuse_twice  # noqa: PLC0415  (start-up counts)

            refuse_twice(self.policy_kinds)
        return self


class FleetMetadata(Model):
    """The metadata of a fleet."""

    name: names.Subdomain | None = Field(default=None, description="Its name.")
    annotations: dict[str, str] = Field(
        default_factory=dict,
        description="Annotations for other tools: config.kubernetes.io/function makes the file a "
        "generator for kustomize.",
    )


class FleetFile(Model, title="Fleet"):
    """A project: its hub, its placement and its output."""

    api_version: ApiVersion = Field(
        default="spokerender.io/v1alpha1", description="The version of this file's format."
    )
    kind: Literal["Fleet"] = Field(default="Fleet", description="The kind of this file.")
    metadata: FleetMetadata = Field(
        default_factory=FleetMetadata, description="The metadata of this fleet."
    )
    spec: FleetSpec = Field(default_factory=FleetSpec, description="The settings of the project.")


def with_fields(settings: Iterable[type[Model]]) -> type[FleetFile]:
    """Return the model of fleet.yaml whose spec also has the fields of these models."""
    # Pydantic lists the fields of the last base first: ours, then those of the first wing.
    bases: tuple[type, ...] = (*reversed(tuple(settings)), FleetSpec)
    spec = type("FleetSpec", bases, {"__doc__": FleetSpec.__doc__})
    field = Field(default_factory=spec, description=FleetFile.model_fields["spec"].description)
    model: type[FleetFile] = create_model(
        "FleetFile", __base__=FleetFile, __doc__=FleetFile.__doc__, spec=(spec, field)
    )
    return model

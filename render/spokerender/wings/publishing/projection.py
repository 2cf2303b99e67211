"""A CRD as consumers see it: fewer versions, other names, another group or scope.

A projection does not change the schemas of versions. Source: internal/projection of
kcp-dev/api-syncagent; the API server's defaults for names, and its order of versions
(k8s.io/apimachinery, `CompareKubeAwareVersionStrings`).
"""

import re
from collections.abc import Mapping
from typing import Any

from spokerender.findings.codes.publishing import BAD_CRD, BAD_PROJECTION, NO_VERSION
from spokerender.findings.phrasing import did_you_mean
from spokerender.model.quantities import parse_int64
from spokerender.model.shapes import as_list, as_mapping
from spokerender.wings.publishing.config.published import ProjectionSpec, PublishedSpec
from spokerender.wings.publishing.errors import PublishingError

_Crd = Mapping[str, Any]
Version = dict[str, Any]


def project_crd(crd: _Crd, published: PublishedSpec) -> tuple[_Crd, dict[str, str]]:
    """Return the name and spec of the CRD as consumers see it, and the local name of each version.

    Raises `PublishingError` if a version does not exist, if no version is served, or if two
    versions get the same name.
    """
    spec = _read_spec(crd)
    selected = _select_versions(spec, published)
    new_names = _map_versions(selected, published.projection)
    versions = _rename_versions(selected, published.projection, new_names)
    local_names = (version["name"] for version in selected)
    names = _project_names(spec, published.projection)
    group = published.projection.group or spec["group"]
    scope = published.projection.scope or spec.get("scope") or ""
    projected = {**spec, "group": group, "names": names, "scope": scope, "versions": versions}
    return (
        {"metadata": {"name": f"{names['plural']}.{group}"}, "spec": projected},
        {new_names.get(name, name): name for name in local_names},
    )


def _read_spec(crd: _Crd) -> dict[str, Any]:
    spec = as_mapping(crd.get("spec"))
    names, versions = as_mapping(spec.get("names")), as_list(spec.get("versions"))
    required = (names.get("plural"), names.get("kind"), versions)
    texts = (names.get("singular", ""), names.get("listKind", ""), spec.get("scope", ""))
    version_names = (as_mapping(version).get("name") for version in versions)
    if (
        isinstance(crd.get("metadata"), Mapping)
        and all(required)
        and all(isinstance(text, str) for text in (spec.get("group"), *required[:2], *texts))
        and all(isinstance(name, str) for name in version_names)
    ):
        return dict(spec)
    message = "the CRD has no valid metadata, group, names or versions"
    raise PublishingError(BAD_CRD, message, "complete the CRD")


def _select_versions(spec: Mapping[str, Any], published: PublishedSpec) -> list[Version]:
    """Return the selected versions in the CRD's order; exactly one is stored."""
    resource = published.resource
    version_names = (resource.version,) if resource.version else resource.versions
    versions = [
        dict(v) for v in spec["versions"] if not version_names or v["name"] in version_names
    ]
    names = [version["name"] for version in spec["versions"]]
    if not versions:
        field = ("spec", "resource", "version" if resource.version else "versions")
        message = f"{resource.kind} has no version {' or '.join(map(str, version_names))}"
        cure = did_you_mean(str(version_names[0]), names, "it has")
        raise PublishingError(NO_VERSION, message, cure, field)
    served = [version for version in versions if version.get("served") is not False]
    if not served:
        message = f"no selected version of {resource.kind} is served"
        cure = f"select another one; it has {', '.join(names)}"
        raise PublishingError(NO_VERSION, message, cure, ("spec", "resource"))
    if not any(version.get("storage") for version in versions):
        served[-1]["storage"] = True  # upstream takes the last in the list, not the highest
    return versions


def _rename_versions(
    versions: list[Version], projection: ProjectionSpec, new_names: Mapping[str, str]
) -> list[Version]:
    renamed = [{**v, "name": new_names.get(v["name"], v["name"])} for v in versions]
    names = [version["name"] for version in renamed]
    duplicates = sorted({name for name in names if names.count(name) > 1})
    if duplicates:
        message = f"two versions are projected to {duplicates[0]}"
        cure = "give every version its own name"
        raise PublishingError(BAD_PROJECTION, message, cure, ("spec", "projection", "versions"))
    # Upstream sorts versions only if projection.versions is set.
    if projection.versions:
        return sorted(renamed, key=lambda version: _rank_version(version["name"]))
    return renamed


def _map_versions(versions: list[Version], projection: ProjectionSpec) -> Mapping[str, str]:
    if not projection.version:
        return projection.versions
    if len(versions) > 1:
        message = "projection.version renames one version, but several are selected"
        field = ("spec", "projection", "version")
        raise PublishingError(BAD_PROJECTION, message, "use projection.versions", field)
    return {versions[0]["name"]: projection.version}


def _rank_version(name: str) -> tuple[Any, ...]:
    """Return a sort key: stable versions last, before them beta, alpha and all other names."""
    match = re.fullmatch(r"v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?", name)
    numbers = [parse_int64(digits or "0") for digits in match.group(1, 3)] if match else [None]
    if match is None or None in numbers:  # as upstream: so is one that does not fit 64 bits
        return -1, 0, 0, [-ord(character) for character in name]
    stability = {"alpha": 0, "beta": 1, None: 2}[match[2]]
    return stability, *numbers, []


def _project_names(spec: Mapping[str, Any], projection: ProjectionSpec) -> dict[str, Any]:
    """Return the names with the API server's defaults and the projection's changes."""
    names = dict(spec["names"])
    names["singular"] = names.get("singular") or names["kind"].lower()
    names["listKind"] = names.get("listKind") or names["kind"] + "List"
    # Upstream derives the other names from the kind, with a plain "s" for the plural.
    if projection.kind:
        singular = projection.kind.lower()
        names["kind"], names["listKind"] = projection.kind, projection.kind + "List"
        names["singular"], names["plural"] = singular, singular + "s"
    if projection.plural:
        names["plural"] = projection.plural
    if projection.short_names is not None:
        names["shortNames"] = list(projection.short_names)
    if projection.categories is not None:
        names["categories"] = list(projection.categories)
    return {key: value for key, value in names.items() if value}

"""A CRD as consumers see it: fewer versions, other names, another group or scope.

The schemas stay as they are: a projection converts no content. Source: internal/projection of
kcp-dev/api-syncagent; the API server's defaults for names, and its order of versions
(k8s.io/apimachinery, `CompareKubeAwareVersionStrings`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from spokerender.findings.codes.publishing import BAD_CRD, BAD_PROJECTION, NO_VERSION
from spokerender.findings.phrasing import did_you_mean
from spokerender.wings.publishing.config.published import ProjectionSpec, PublishedSpec
from spokerender.wings.publishing.problems import Refused
from spokerender.wings.publishing.profiles import Profile

_VERSION = re.compile(r"v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?")
_STABILITY = {"alpha": 0, "beta": 1, None: 2}

Crd = Mapping[str, Any]


def projected(crd: Crd, published: PublishedSpec, profile: Profile, export: str = "") -> Crd:
    """The CRD's name and spec as consumers see it.

    Raises:
        Refused: a version that is not there, none that is served, two that become one.

    """
    spec = _spec(crd)
    selected = _selected(spec, published, profile)
    renamed = _renamed(selected, published.projection, profile)
    names = projected_names(spec, published.projection)
    group = published.projection.group or spec["group"]
    if profile.takes_exports_group and export:
        group = export
    scope = published.projection.scope or spec.get("scope") or ""
    name = f"{names['plural']}.{group}"
    return {
        "metadata": {"name": name},
        "spec": {**spec, "group": group, "names": names, "scope": scope, "versions": renamed},
    }


def _spec(crd: Crd) -> dict[str, Any]:
    spec = crd.get("spec")
    if isinstance(spec, Mapping) and isinstance(spec.get("versions"), list):
        names, group = spec.get("names"), spec.get("group")
        is_named = isinstance(names, Mapping) and _are_texts(names, spec)
        versions = spec["versions"]
        is_named = is_named and isinstance(crd.get("metadata"), Mapping)
        if is_named and isinstance(group, str) and versions and all(map(_is_version, versions)):
            return dict(spec)
    message = "the CRD lacks its metadata, group, names or versions"
    raise Refused(BAD_CRD, message, "mend the CRD")


def _are_texts(names: Mapping[str, Any], spec: Mapping[str, Any]) -> bool:
    """Whether what has to be a text is one; what may be left out as well, if it is there."""
    optional = (names.get("singular", ""), names.get("listKind", ""), spec.get("scope", ""))
    return all(
        isinstance(names.get(key), str) and names[key] for key in ("plural", "kind")
    ) and all(isinstance(each, str) for each in optional)


def _is_version(value: Any) -> bool:  # noqa: ANN401  (JSON of any shape)
    return isinstance(value, Mapping) and isinstance(value.get("name"), str)


def selected_version(crd: Crd, published: PublishedSpec, profile: Profile) -> dict[str, str]:
    """The published name of each selected version, by its local one. Raises `Refused`."""
    selected = _selected(_spec(crd), published, profile)
    renamed = _new_names(selected, published.projection, profile)
    return {version["name"]: renamed.get(version["name"], version["name"]) for version in selected}


def _selected(
    spec: Mapping[str, Any], published: PublishedSpec, profile: Profile
) -> list[dict[str, Any]]:
    """The selected versions in the CRD's order, one of them stored."""
    resource = published.resource
    wanted = (resource.version,) if resource.version else resource.versions
    versions = [dict(v) for v in spec["versions"] if not wanted or v["name"] in wanted]
    names = [version["name"] for version in spec["versions"]]
    if not versions:
        field = ("spec", "resource", "version" if resource.version else "versions")
        message = f"{resource.kind} has no version {' or '.join(map(str, wanted))}"
        raise Refused(NO_VERSION, message, did_you_mean(str(wanted[0]), names, "it has"), field)
    if profile.has_one_version:
        return [{**versions[0], "served": True, "storage": True}]
    served = [version for version in versions if version.get("served") is not False]
    if not served:
        message = f"no selected version of {resource.kind} is served"
        raise Refused(NO_VERSION, message, f"it has {', '.join(names)}", ("spec", "resource"))
    if not any(version.get("storage") for version in versions):
        served[-1]["storage"] = True  # the last in the list, whatever it is called
    return versions


def _renamed(
    versions: list[dict[str, Any]], projection: ProjectionSpec, profile: Profile
) -> list[dict[str, Any]]:
    new = _new_names(versions, projection, profile)
    made = [{**v, "name": new.get(v["name"], v["name"])} for v in versions]
    names = [version["name"] for version in made]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        message = f"two versions are projected to {twice[0]}"
        cure = "give each a name of its own"
        raise Refused(BAD_PROJECTION, message, cure, ("spec", "projection", "versions"))
    return sorted(made, key=_kube_order) if projection.versions and new else made


def _new_names(
    versions: list[dict[str, Any]], projection: ProjectionSpec, profile: Profile
) -> Mapping[str, str]:
    if not projection.version:
        return projection.versions
    if len(versions) > 1 and not profile.has_one_version:
        message = "projection.version renames one version, and several are selected"
        raise Refused(BAD_PROJECTION, message, "use versions", ("spec", "projection", "version"))
    return {versions[0]["name"]: projection.version}


def _kube_order(version: Mapping[str, Any]) -> tuple[Any, ...]:
    """Alpha, beta, then what is stable, each by its numbers; what is no such name comes first."""
    match = _VERSION.fullmatch(version["name"])
    if match is None:
        return -1, 0, 0, [-ord(character) for character in version["name"]]
    return _STABILITY[match[2]], int(match[1]), int(match[3] or 0), []


def projected_names(spec: Mapping[str, Any], projection: ProjectionSpec) -> dict[str, Any]:
    """The names with the API server's defaults, then with what is projected."""
    names = dict(spec["names"])
    names["singular"] = names.get("singular") or names["kind"].lower()
    names["listKind"] = names.get("listKind") or names["kind"] + "List"
    if projection.kind:
        word = projection.kind.lower()
        names["kind"], names["listKind"] = projection.kind, projection.kind + "List"
        names["singular"], names["plural"] = word, word + "s"
    if projection.plural:
        names["plural"] = projection.plural
    for key, value in (
        ("shortNames", projection.short_names),
        ("categories", projection.categories),
    ):
        if value is not None:
            names[key] = list(value)
    return {key: value for key, value in names.items() if value}

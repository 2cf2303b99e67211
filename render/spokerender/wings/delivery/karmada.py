"""Karmada: each object once, with the clusters that get it and the differences between them.

Karmada's API server has one object of a name (a resource template), and one propagation policy
claims it: so each object has a policy that names its spokes, and an override policy with what
differs between them.

Sources: Karmada f8fdd02, pkg/apis/policy/v1alpha1, pkg/util/names (GenerateBindingName,
IsReservedNamespace), pkg/apis/cluster/validation, pkg/detector (EventFilter), pkg/controllers
(namespace, execution), cmd/controller-manager (skipped-propagating-namespaces).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from operator import eq
from typing import TYPE_CHECKING, Any

from spokerender.findings.phrasing import listed
from spokerender.formats import yamlio
from spokerender.kinds.marks import weak_mark
from spokerender.model import Ref, grouped
from spokerender.model.shapes import Json, JsonObject, as_list, as_mapping, exact_text
from spokerender.rendering.values import engines as facts
from spokerender.rendering.values.trees import Shipped
from spokerender.wings.delivery.engine import DELETES, Delivered, DeliveryProblem, Engine, LazyFiles
from spokerender.wings.part import Texts

if TYPE_CHECKING:
    from spokerender.wings.delivery.config.karmada import Karmada

_Path = tuple[str, ...]

_COMPARED_ELSEWHERE = ("apiVersion", "kind", "metadata")
_KEYED = {"labels": "labelsOverrider", "annotations": "annotationsOverrider"}


def override_rules(objects: Mapping[str, JsonObject]) -> list[JsonObject]:
    """Return a rule for each variant of an object, with the spokes that have it.

    `objects` has the object as each spoke gets it, by the spoke's name; the first is the template.

    Each spoke has a rule for every path at which not all agree, also the spoke whose object is the
    template: so a rule stays right when another spoke's object becomes the template, and replacing
    never fails. Maps are compared key by key where all have the same keys, and replaced whole where
    they have not. Labels and annotations are set key by key, since Karmada adds its own to them.

    Source: Karmada f8fdd02, pkg/util/overridemanager (a JSON patch; labels and annotations first).
    """
    spokes = grouped((exact_text(value), name) for name, value in objects.items())
    ways = [objects[names[0]] for names in spokes.values()]
    overriders = zip(spokes.values(), _overriders(ways), strict=True)
    return [
        {"targetCluster": {"clusterNames": names}, "overriders": overrider}
        for names, overrider in overriders
        if overrider
    ]


def _overriders(ways: Sequence[JsonObject]) -> list[JsonObject]:
    overriders: list[JsonObject] = [{} for _ in ways]
    metadata = [way.get("metadata") or {} for way in ways]
    for field, key in _KEYED.items():
        changes = _keyed([item.get(field) or {} for item in metadata])
        for overrider, operations in zip(overriders, changes, strict=True):
            if operations:
                overrider[key] = operations
    plain = [*_places(ways, (), _COMPARED_ELSEWHERE)]
    plain += _places(metadata, ("metadata",), _KEYED)
    for overrider, way in zip(overriders, ways, strict=True):
        patches = [patch for path in plain for patch in _patch(path, way, ways)]
        if patches:
            overrider["plaintext"] = patches
    return overriders


def _keyed(maps: Sequence[Mapping[str, str]]) -> Iterator[list[JsonObject]]:
    """Yield what each variant adds to labels or annotations, and removes from the template's."""
    keys = [
        key
        for key in dict.fromkeys(key for pairs in maps for key in pairs)
        if len({pairs.get(key) for pairs in maps}) > 1
    ]
    for pairs in maps:
        added = {key: pairs[key] for key in keys if key in pairs}
        removed = {key: maps[0][key] for key in keys if key not in pairs and key in maps[0]}
        operations = (("add", added), ("remove", removed))
        yield [{"operator": operator, "value": value} for operator, value in operations if value]


def _places(maps: Sequence[JsonObject], path: _Path, but: Collection[str]) -> Iterator[_Path]:
    """Yield the paths at which maps differ; a key may be missing in some of them."""
    for key in dict.fromkeys(key for mapping in maps for key in mapping):
        if key not in but:
            yield from _differing([mapping.get(key) for mapping in maps], (*path, key))


def _differing(values: Sequence[Any], path: _Path) -> Iterator[_Path]:
    first = values[0]
    if len({exact_text(value) for value in values}) == 1:
        return
    if all(
        isinstance(value, dict) and value.keys() == first.keys() and None not in value.values()
        for value in values
    ):
        for key in first:
            yield from _differing([value[key] for value in values], (*path, key))
    else:
        yield path


def _patch(path: _Path, way: JsonObject, ways: Sequence[JsonObject]) -> Iterator[JsonObject]:
    place = "".join(f"/{part.replace('~', '~0').replace('/', '~1')}" for part in path)
    value = _at(way, path)
    if value is not None:
        operator = "add" if any(_at(item, path) is None for item in ways) else "replace"
        yield {"path": place, "operator": operator, "value": value}
    elif _at(ways[0], path) is not None:
        yield {"path": place, "operator": "remove"}


def _at(value: Json, path: _Path) -> Json:
    for part in path:
        value = value.get(part)
    return value


Sharers = Mapping[str, Shipped]
"""An object as each spoke gets it, by the spoke's name."""

_API = "policy.karmada.io/v1alpha1"
_LONGEST_CLUSTER = 48
_LONGEST_NAME = 253
_LEFT_ALONE = re.compile(r"kube-.*|karmada-system|karmada-cluster|karmada-es-.*", re.DOTALL)
"""Namespaces from which Karmada propagates nothing."""


def _files(settings: Karmada, fleet: Delivered) -> Texts:
    """Return a file for each object, at its path in the spokes' folders."""
    long = [spoke.name for spoke in fleet.spokes if len(spoke.name) > _LONGEST_CLUSTER]
    if long:
        message = f"names of Karmada's clusters have at most {_LONGEST_CLUSTER} characters: "
        raise DeliveryProblem(message + listed(long), "give the spokes shorter names")
    shared: dict[str, dict[str, Shipped]] = {}
    for spoke in fleet.spokes:
        for shipped in fleet.objects(spoke.name):
            shared.setdefault(shipped.path, {})[spoke.name] = shipped
    _check(shared)
    makers: dict[str, Callable[[], str]] = {
        f"karmada/{path}": partial(_text, settings, sharers) for path, sharers in shared.items()
    }
    return LazyFiles(makers)


def _check(shared: Mapping[str, Sharers]) -> None:
    names: dict[tuple[str, str], Ref] = {}
    for sharers in shared.values():
        (spoke, first), *others = sharers.items()
        ref = first.ref
        if _LEFT_ALONE.fullmatch(ref.namespace):
            message = f"{ref}: Karmada propagates nothing from namespace {ref.namespace}"
            raise DeliveryProblem(message, "place it in another namespace")
        name = _name(ref)
        other = names.setdefault((ref.namespace, name), ref)
        if other != ref:
            groups = f"{other.group} and {ref.group}"
            message = f'Karmada would name the bindings of {ref} of {groups} both "{name}"'
            raise DeliveryProblem(message, "rename one of them")
        if len(name) > _LONGEST_NAME:
            message = f"the name of {ref} is too long for Karmada's binding of it"
            raise DeliveryProblem(message, "give it a shorter name")
        version = first.data.get("apiVersion")
        for other_spoke, shipped in others:
            other_version = shipped.data.get("apiVersion")
            if other_version != version:
                message = (
                    f"{ref} is of {version} on {spoke} and of {other_version} on {other_spoke}: "
                    "Karmada has the object once, and no override can change its apiVersion"
                )
                raise DeliveryProblem(message, "use one version, or another name on one spoke")


def _text(settings: Karmada, sharers: Sharers) -> str:
    """Return the file of an object: its policies, and the object as the first spoke gets it."""
    template = next(iter(sharers.values()))
    policies = [*_override(template.ref, sharers)]
    # Karmada itself takes Namespaces to every cluster that has joined.
    if (template.ref.group, template.ref.kind) != ("", "Namespace"):
        spec: JsonObject = {
            "placement": {
                "clusterAffinity": {"clusterNames": list(sharers)},
                "clusterTolerations": [{"operator": "Exists"}],
            },
            "conflictResolution": settings.conflict_resolution,
            "preserveResourcesOnDeletion": settings.deletion == "orphan",
        }
        if policies:  # Karmada waits for them: no spoke gets the object of another one
            spec["dependentOverrides"] = [override["metadata"]["name"] for override in policies]
        policies.append(_policy("PropagationPolicy", template.ref, template, spec))
    return "---\n".join((*map(yamlio.proven, policies), template.text().decode()))


def _override(ref: Ref, sharers: Sharers) -> list[JsonObject]:
    first = next(iter(sharers.values()))
    if all(item.key == first.key and item.object() is item.data for item in sharers.values()):
        return []
    rules = override_rules({name: shipped.object() for name, shipped in sharers.items()})
    return [_policy("OverridePolicy", ref, first, {"overrideRules": rules})] if rules else []


def _policy(kind: str, ref: Ref, template: Shipped, spec: JsonObject) -> JsonObject:
    """Return a policy about one object; it is in the object's namespace, if that has one."""
    place = {"namespace": ref.namespace} if ref.namespace else {}
    selector = {
        "apiVersion": template.data["apiVersion"],
        "kind": ref.kind,
        **place,
        "name": ref.name,
    }
    return {
        "apiVersion": _API,
        "kind": kind if ref.namespace else f"Cluster{kind}",
        "metadata": {"name": _name(ref), **place},
        "spec": {"resourceSelectors": [selector], **spec},
    }


def _name(ref: Ref) -> str:
    """Return the name of a policy about an object, which is that of Karmada's own binding."""
    return f"{ref.name}-{ref.kind}".lower().replace(":", ".")


_OF_POLICIES = frozenset(
    f"{kind}.karmada.io/{key}"
    for kind in ("propagationpolicy", "clusterpropagationpolicy")
    for key in ("name", "namespace", "permanent-id")
)
_MARKS = (
    # Karmada f8fdd02, pkg/apis/work/v1alpha2/well_known_constants.go.
    weak_mark(
        "work.karmada.io/conflict-resolution",
        "Karmada leaves alone what a spoke already has under its name",
        acts=partial(eq, "abort"),
    ),
    weak_mark(
        "resourcetemplate.karmada.io/deletion-protected",
        "Karmada lets nobody delete the object, so that it stays when it has left the tree",
        is_label=True,
        acts=partial(eq, "Always"),
    ),
)


def _clusters(policy: Mapping[str, Any], _: object) -> Iterator[facts.EngineReach]:
    placement = as_mapping(as_mapping(policy.get("spec")).get("placement"))
    names = as_list(as_mapping(placement.get("clusterAffinity")).get("clusterNames"))
    return ((str(name), str(name)) for name in names)


_FIELDS = (
    # Karmada's docs, reference/karmada-api/policy-resources.
    facts.DeliveryField(
        "suspension.", "Karmada applies no changes of the trees", loses=facts.loses_if_set
    ),
    facts.DeliveryField("preserveResourcesOnDeletion", DELETES),
    facts.DeliveryField("conflictResolution", "it decides about what a spoke has"),
    facts.DeliveryField("placement. resourceSelectors. dependentOverrides overrideRules labels."),
)
ENGINE = Engine(
    name="karmada",
    files=_files,
    objects=facts.EngineObjects(
        # Karmada's docs, userguide/scheduling/resource-propagating.
        carriers=(
            facts.Carrier("policy.karmada.io", "PropagationPolicy", reaches=_clusters),
            facts.Carrier("policy.karmada.io", "ClusterPropagationPolicy", reaches=_clusters),
        ),
        groups=frozenset({"policy.karmada.io"}),
        fields=_FIELDS,
    ),
    annotations=_OF_POLICIES,
    labels=_OF_POLICIES,
    marks=_MARKS,
)

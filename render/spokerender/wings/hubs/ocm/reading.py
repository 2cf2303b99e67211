"""The inventory of a hub for the sources of decisions, and the values that no hub has.

The latter are refused by the CRDs and webhooks of OCM. Source: open-cluster-management-io/api
1845fd8032e4, the CRDs of `cluster/`, which a test compares with the schemas in `admission.json`.
They are as people write objects: of a status, which nobody writes by hand, there is what decisions
are made of; it may have anything else. OCM `pkg/registration/webhook` for the name of a binding. A
negative number of clusters passes the CRD, and ends the scheduler.
"""

import base64
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from msgspec import Struct

from spokerender.findings.codes.attachment import UNKNOWN_FIELD
from spokerender.findings.codes.placement import LIVENESS_TAINT, REFUSED_BY_CRD
from spokerender.findings.phrasing import describe, did_you_mean, listed, on_spokes
from spokerender.findings.results import Result, Severity
from spokerender.model import FieldPath, Manifest, Origin, Ref, identity
from spokerender.model.memo import memoised
from spokerender.model.refs import OCM, shown
from spokerender.model.shapes import Json, as_mapping
from spokerender.model.times import read_time
from spokerender.rendering.placement.asking import HubObjects, HubQuestion
from spokerender.rendering.values.decisions import HubCluster
from spokerender.topology.places import hub_line
from spokerender.wings.hubs.ocm.inventory import (
    KINDS,
    HubObject,
    Inventory,
    read_inventory,
)
from spokerender.wings.hubs.ocm.objects import FieldPlace

FieldSchema = Mapping[str, Any]

KEY = (
    r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
    r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"
)
TOPOLOGY_KEY = KEY.replace("(([A-Z", "([A-Z").replace("[A-Za-z0-9])$", "[A-Za-z0-9]$")
GROUP_NAME = "^[a-zA-Z0-9][-A-Za-z0-9_.]{0,61}[a-zA-Z0-9]$"
GROUP_LENGTH = "^((100|[1-9][0-9]{0,1})%|[1-9][0-9]*)$"
NAMESPACE = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
RATE = "^[0-9]+[hms]$"
_DIGITS = r"(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
QUANTITY = rf"^(\+|-)?{_DIGITS}(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?{_DIGITS}))?$"

INT_OR_TEXT = "x-kubernetes-int-or-string"
MAP_KEYS = "x-kubernetes-list-map-keys"
OPEN = "x-kubernetes-preserve-unknown-fields"
VERSIONS = {
    "Placement": "v1beta1",
    "ManagedCluster": "v1",
    "ManagedClusterSet": "v1beta2",
    "ManagedClusterSetBinding": "v1beta2",
    "PlacementDecision": "v1beta1",
    "AddOnPlacementScore": "v1alpha1",
}
"""The only version of each kind that its CRD serves."""
DEFAULTED = frozenset({"type", "selectorType"})
"""The required fields that have a default, so that nobody has to write them."""


_TYPES: Mapping[str, tuple[str, type]] = {
    "object": ("a mapping", Mapping),
    "array": ("a list", list),
    "string": ("a text", str),
    "integer": ("a whole number", int),
    "boolean": ("true or false", bool),
}
"""The types of schemas in words, and what Python has for them."""
_PATTERNS = {
    KEY: '"{}" is no key of a taint; a toleration without a key is for all of them',
    TOPOLOGY_KEY: '"{}" is no key',
    GROUP_NAME: '"{}" is no name of a group, which has two characters or more',
    GROUP_LENGTH: '"{}" is not 1 or more, nor 1% to 100%',
    NAMESPACE: '"{}" is no name of a namespace',
    QUANTITY: '"{}" is not a quantity',
    RATE: '"{}" is not a time such as 30s, 5m or 1h',
}
"""Messages for texts that have not the pattern."""
_BITS = {"int32": 31, "int64": 63}


@cache
def read_admission_schemas() -> Mapping[str, FieldSchema]:
    """Read the schema of each kind, in the form that CRDs have them."""
    text = resources.files(__package__).joinpath("admission.json").read_text(encoding="utf-8")
    schemas: dict[str, FieldSchema] = json.loads(text)
    return schemas


class AdmissionFault(Struct, frozen=True):
    """A field that an API server would refuse. `is_unknown` is one that its kind does not have."""

    path: FieldPath
    message: str
    cure: str = "correct the field: no hub has such an object"
    is_unknown: bool = False


def find_refused(kind: str, data: Mapping[str, Any]) -> Iterator[AdmissionFault]:
    """Yield what an API server would refuse in an object of OCM, by its kind."""
    version = str(data.get("apiVersion", "")).partition("/")[2]
    if version != VERSIONS.get(kind, version):
        message = f"OCM has no {kind} of the version {version}"
        yield AdmissionFault(("apiVersion",), message, f"write {OCM}/{VERSIONS[kind]}")
        return
    if kind in VERSIONS:
        yield from _find_in(read_admission_schemas()[kind], data, ())
    if kind in _CHECKS:
        yield from _CHECKS[kind](data)


def _find_in(schema: FieldSchema, value: Json, path: FieldPath) -> Iterator[AdmissionFault]:
    """Yield the faults of a value, and of all below it."""
    if not schema:
        return
    if schema.get(INT_OR_TEXT):
        # A schema with this mark has no `type` in a CRD: structural schemas forbid it.
        is_type, expected = isinstance(value, (int, str)), "a whole number or a text"
    else:
        expected, of_type = _TYPES[schema["type"]]
        is_type = isinstance(value, of_type)
    # True is an int in Python, and none in JSON.
    if not is_type or (isinstance(value, bool) and schema.get("type") != "boolean"):
        yield AdmissionFault(path, f"it must be {expected}, but is {describe(value)}")
    elif isinstance(value, Mapping):
        yield from _find_in_object(schema, value, path)
    elif isinstance(value, list):
        yield from _find_in_list(schema, value, path)
    elif len(schema) > 1 or not isinstance(value, str):  # else the type is all that is asked
        find = _find_wrong_text if isinstance(value, str) else _find_wrong_number
        if message := find(schema, value):
            yield AdmissionFault(path, message)


def _find_in_list(
    schema: FieldSchema, value: Sequence[Json], path: FieldPath
) -> Iterator[AdmissionFault]:
    most = schema.get("maxItems", len(value))
    if len(value) > most:
        yield AdmissionFault(path, f"there are {len(value)} items, and at most {most} may be")
    seen = set[str]()
    for index, item in enumerate(value):
        yield from _find_in(schema["items"], item, (*path, index))
        for key in schema.get(MAP_KEYS, ()):
            name = str(as_mapping(item).get(key))
            if name in seen:
                yield AdmissionFault((*path, index, key), f'"{name}" is there twice')
            seen.add(name)


def _find_in_object(
    schema: FieldSchema, value: Mapping[str, Json], path: FieldPath
) -> Iterator[AdmissionFault]:
    fields: Mapping[str, FieldSchema] = schema.get("properties", {})
    for name in schema.get("required", ()):
        # The API server sets defaults before it validates.
        if value.get(name) is None and name not in DEFAULTED:
            yield AdmissionFault((*path, name), "it is missing", "add the field: it is required")
    for key, item in value.items():
        if key not in fields and "additionalProperties" not in schema and not schema.get(OPEN):
            place = (*path, key)
            cure = did_you_mean(str(key), fields, "the fields here are")
            yield AdmissionFault(place, f'unknown field "{shown(place)}"', cure, is_unknown=True)
        elif item is not None:  # a null stands for an absent field
            below = fields.get(key, schema.get("additionalProperties", {}))
            yield from _find_in(below, item, (*path, key))


def _find_wrong_text(schema: FieldSchema, value: Json) -> str:
    """Return what is wrong with a text; empty if nothing is."""
    most = schema.get("maxLength", len(value))
    if not schema.get("minLength", 0) <= len(value) <= most:
        return f"it has {len(value)} characters, and may have {most}" if value else "it is empty"
    if value not in schema.get("enum", (value,)):
        return f'"{value}" is none of {", ".join(schema["enum"])}'
    pattern = schema.get("pattern", "")
    if pattern and not _compile(pattern).search(value):
        return _PATTERNS[pattern].format(value)
    try:
        if schema.get("format") == "date-time":
            read_time(value)
        if schema.get("format") == "byte":
            base64.b64decode(value, validate=True)
    except ValueError as error:
        return str(error)
    return ""


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.removesuffix("$") + r"\Z")  # in Go, `$` is `\Z`


def _find_wrong_number(schema: FieldSchema, value: Json) -> str:
    """Return what is wrong with a number; empty if nothing is."""
    size = 1 << _BITS.get(schema.get("format", ""), 63)
    low, high = schema.get("minimum", -size), schema.get("maximum", size - 1)
    if low <= value <= high:
        return ""
    if value < low and "maximum" not in schema:
        return f"{value} is less than {low}"
    return f"{value} is not between {low} and {high}"


def _check_placement(data: Mapping[str, Any]) -> Iterator[AdmissionFault]:
    number = as_mapping(data.get("spec")).get("numberOfClusters")
    # Not of the CRD: it has no minimum, and the scheduler slices a list with the number.
    if isinstance(number, int) and number < 0:
        message = f"{number} is negative: OCM's scheduler would end"
        yield AdmissionFault(("spec", "numberOfClusters"), message)


def _check_binding(data: Mapping[str, Any]) -> Iterator[AdmissionFault]:
    name = as_mapping(data.get("metadata")).get("name")
    named = as_mapping(data.get("spec")).get("clusterSet")
    # pkg/registration/webhook; the scheduler itself reads the name alone.
    if named != name:
        message = f'"{named}" must be the name of the binding, {name}'
        yield AdmissionFault(("spec", "clusterSet"), message)


_CHECKS: Mapping[str, Callable[[Mapping[str, Any]], Iterator[AdmissionFault]]] = {
    "Placement": _check_placement,
    "ManagedClusterSetBinding": _check_binding,
}


_STEP = re.compile(r"([^.\[\]]+)(?=[.\[]|$)|\[([0-9]+)\]")
"""A key or an index in a field such as `spec.tolerations[0].key`."""


@memoised
def inventory_of(hub: HubObjects) -> Inventory:
    """Read the objects of OCM in a hub."""
    objects = (HubObject(item.object, written_at(item)) for item in _manifests(hub))
    return read_inventory(objects, honours_liveness=hub.honours_liveness)


def _manifests(hub: HubObjects) -> Iterator[Manifest]:
    for manifest in hub.manifests:
        if (manifest.ref.group, manifest.ref.kind) in KINDS:
            yield manifest


def written_at(manifest: Manifest) -> FieldPlace:
    """Return where an object and each of its fields is written."""

    def find(field: str = "", *below: str) -> Origin:
        steps = (int(number) if number else key for key, number in _STEP.findall(field))
        return hub_line(manifest, (*steps, *below))

    return find


def clusters_of(inventory: Inventory) -> dict[str, HubCluster]:
    """Return the clusters of a hub as expressions and selectors see them.

    Labels of OCM's own are left out: the hub sets them, for its sets and for add-ons that come and
    go, and delivery engines would get a change with each.
    """
    clusters = {}
    for name, cluster in inventory.clusters.items():
        labels = {
            key: value
            for key, value in cluster.labels.items()
            if not key.partition("/")[0].endswith("open-cluster-management.io")
        }
        clusters[name] = HubCluster(name, labels, cluster.claims, cluster.place)
    return clusters


def check_objects(question: HubQuestion) -> Iterator[Result]:
    """Yield what the API server would refuse; of a Placement that nobody uses it is a warning."""
    unused, refused = {"Placement": Severity.WARNING}, set[Ref]()
    for manifest in _manifests(question.objects):
        ref = manifest.ref
        is_used = f"{ref.namespace}/{ref.name}" in question.used
        # Clusters, sets and bindings count for all Placements, used or not.
        severity = None if is_used else unused.get(ref.kind)
        for fault in find_refused(ref.kind, manifest.object):
            refused.add(ref)
            kind = UNKNOWN_FIELD if fault.is_unknown else REFUSED_BY_CRD
            yield kind.result(
                fault.message,
                cure=fault.cure,
                resource=ref,
                field=shown(fault.path),
                origin=hub_line(manifest, fault.path),
                severity=severity,
            )
    for item in inventory_of(question.objects).misread:
        about = identity(item.data)
        if about not in refused:  # nobody knows of such an object
            cure = "write its fields as the CRD of its kind has them"
            yield REFUSED_BY_CRD.result(
                "it can't be read", cure=cure, resource=about, origin=item.place()
            )


def report_liveness(question: HubQuestion) -> Iterator[Result]:
    """Yield a finding where taints do not count that the hub sets and lifts by itself."""
    inventory = inventory_of(question.objects)
    if not inventory.dropped:
        return
    keys = sorted({key for keys in inventory.dropped.values() for key in keys})
    names = sorted(inventory.dropped)
    yield LIVENESS_TAINT.result(
        f"the taint {listed(keys)} does not count {on_spokes(names)}: the hub sets it by itself",
        cure="set spec.ocm.livenessTaints: honour in fleet.yaml if it is to count",
        origin=inventory.clusters[names[0]].place(),
        spokes=tuple(names),
    )

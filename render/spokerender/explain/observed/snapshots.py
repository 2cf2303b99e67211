"""Exports of a spoke: its objects as `kubectl get -o yaml` prints them, or ManifestWorks.

ManifestWorks: open-cluster-management-io/api 1845fd8, work/v1 (`resourceStatus`).
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.codes.hub import EMPTY_HUB, MISSPELT_KIND, NOT_AN_OBJECT
from spokerender.findings.results import Result, Severity
from spokerender.model import SECRET, Ref
from spokerender.model.refs import GroupKind
from spokerender.model.shapes import as_mapping, as_mappings
from spokerender.topology.hub import Hub

LiveObject = Mapping[str, Any]
_WORK = ("work.open-cluster-management.io", "ManifestWork")
_FIELDS = ("status", "reason")
EXPORT_AGAIN = "export the spoke again"


class Snapshot(Struct, frozen=True, eq=False):
    """The objects of an exported spoke, by identity.

    `reported` are objects of which a ManifestWork reports only some conditions. `kinds` are the
    groups and kinds of the exported objects; nothing is known about other kinds.
    """

    objects: Mapping[Ref, LiveObject]
    reported: Mapping[Ref, LiveObject]
    kinds: frozenset[GroupKind]

    def find(self, ref: Ref) -> LiveObject | None:
        """Return an object, or its reported conditions; None if the export has neither."""
        # A whole object says more than the report about it.
        return self.objects.get(ref) or self.reported.get(ref)


def collect_objects(exported: Iterable[tuple[Ref, LiveObject]]) -> Snapshot:
    """Return the exported objects without Secrets; of a ManifestWork, the objects in it."""
    objects: dict[Ref, LiveObject] = {}
    reported: dict[Ref, LiveObject] = {}
    kinds: set[GroupKind] = set()
    for ref, data in exported:
        if (ref.group, ref.kind) == _WORK:
            works = dict(_read_work(data))
            kinds |= {(work.group, work.kind) for work in works}
            reported |= {work: status for work, status in works.items() if status is not None}
        # Secrets are dropped unseen: nothing of them may get into a report.
        elif (ref.group, ref.kind) != SECRET:
            objects[ref] = data
    kinds |= {(ref.group, ref.kind) for ref in objects}
    return Snapshot(objects, reported, frozenset(kinds))


def list_errors(hub: Hub) -> Iterator[Result]:
    """Yield the errors in the files of an export.

    An export may be empty, and may have objects of kinds that only its cluster knows.
    """
    passed = (EMPTY_HUB.code, MISSPELT_KIND.code)
    for result in hub.results:
        if result.severity is Severity.ERROR and result.code not in passed:
            is_other = result.code == NOT_AN_OBJECT.code
            yield replace(result, cure=EXPORT_AGAIN) if is_other else result


def _read_work(work: LiveObject) -> Iterator[tuple[Ref, LiveObject | None]]:
    """Yield each object of a ManifestWork with its reported status, or None if not applied."""
    status = as_mapping(as_mapping(work.get("status")).get("resourceStatus"))
    for entry in as_mappings(status.get("manifests")):
        meta = as_mapping(entry.get("resourceMeta"))
        names = [str(meta.get(key) or "") for key in ("group", "kind", "namespace", "name")]
        applied = [
            condition.get("status")
            for condition in as_mappings(entry.get("conditions"))
            if condition.get("type") == "Applied"
        ]
        if not (names[1] and names[3]):
            continue
        # The object is counted as exported, and as absent.
        if "False" in applied:
            yield Ref(*names), None
            continue
        feedback = as_mappings(as_mapping(entry.get("statusFeedback")).get("values"))
        yield Ref(*names), {"status": _read_feedback(feedback)}


def _read_feedback(values: Iterable[LiveObject]) -> LiveObject:
    """Return the status in a ManifestWork's feedback: fields of conditions, or parts as JSON."""
    # Single values are named `<condition>-status` and `-reason`. JSON may be the conditions, the
    # ancestors or the whole status, under any name.
    status: dict[str, Any] = {}
    conditions: dict[str, dict[str, Any]] = {}
    for value in values:
        name, _, field = str(value.get("name")).rpartition("-")
        of_field = as_mapping(value.get("fieldValue"))
        text = of_field.get("string")
        if field in _FIELDS and isinstance(text, str):
            conditions.setdefault(name, {"type": name})[field] = text
        raw = _parse(of_field.get("jsonRaw"))
        if isinstance(raw, dict):
            status |= raw
        for item in as_mappings(raw):
            status.setdefault("ancestors" if "ancestorRef" in item else "conditions", []).append(
                item
            )
    single = {"conditions": list(conditions.values())} if conditions or not status else {}
    return {**single, **status}


def _parse(text: object) -> Any:  # noqa: ANN401  (JSON of any shape)
    """Return the value of a JSON text; None if it is invalid, as agents cut long texts off."""
    try:
        return json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None

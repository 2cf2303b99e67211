"""Changes of settings that decide about findings, since such a change may hide findings.

Assertions, suppressions, declared objects and kinds, and CRDs decide about what is reported. Each
change by which less may be reported gets a finding with the old and the new value; for CRDs, with
the keywords of their schemas that became laxer (Kubernetes' docs, custom-resource-definitions:
structural schemas, validation rules).
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.codes.publishing import IMMUTABLE_CHANGED
from spokerender.findings.codes.shipping import LOOSENED, NARROWED
from spokerender.findings.phrasing import joined
from spokerender.findings.results import INFO, Result
from spokerender.kinds.fields import read_value, split_pattern
from spokerender.kinds.needs import read_requirements
from spokerender.kinds.table import find_row
from spokerender.model import Origin, shown
from spokerender.model.refs import DataByRef
from spokerender.model.shapes import Json, JsonObject, as_list, as_mapping, as_mappings, exact_text
from spokerender.review.meaning.drafts import write_change, write_value
from spokerender.topology.hub import Hub

_LISTED = 5
_MISSES = "it may report less than before"
_PLACE = ("spec", "declarative", "checks")
_CURE = "take the change back, unless less is to be reported from now on"
At = Callable[..., Origin]
"""Returns the line of a field of the fleet file."""
_CLOSED: JsonObject = {
    "spec": {"versions": [{"schema": {"openAPIV3Schema": {"properties": {"spec": {}}}}}]}
}
"""A CRD whose objects and specs have no fields: new CRDs are compared with it."""
_RULES, _EXTENSION = "x-kubernetes-validations", "x-kubernetes-"
# Keywords that let more pass if they are set, and keywords that let less pass.
_OPENING = {"preserve-unknown-fields", "embedded-resource", "int-or-string", "nullable"}
_CLOSING = {
    *("required", "enum", "pattern", "format", "type", "multipleOf", "uniqueItems", _RULES),
    *("minimum", "minLength", "minItems", "minProperties", "exclusiveMinimum"),
    *("maximum", "maxLength", "maxItems", "maxProperties", "exclusiveMaximum"),
    *("not", "oneOf", "anyOf", "allOf", "x-kubernetes-list-type"),
}


class Control(Struct, frozen=True):
    """A list in `spec` of fleet.yaml, and what it means to add, remove or change an entry.

    The texts `added`, `gone` and `changed` say so; an empty one is not reported. Entries are the
    same if their fields `names` are equal, or without `names` all fields. `by_field` reports each
    changed field alone; fields in `silent` are ignored. A new entry gets an info, or a warning if
    `is_wide`. With `changed`, without `names`, a new entry in place of a removed one is its change.
    """

    field: str
    added: str = ""
    gone: str = ""
    changed: str = ""
    names: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    # A wildcard in an entry covers objects that nobody has looked at.
    is_wide: Callable[[Json], bool] = lambda entry: not {"*", "?"}.isdisjoint(exact_text(entry))
    by_field: bool = False

    def index(self, spec: JsonObject) -> dict[str, tuple[int, Json]]:
        """Return the position and content of each entry by its name."""
        index = {}
        for number, entry in enumerate(as_list(spec.get(self.field))):
            own = [entry[key] for key in self.names] or [exact_text(self.read(entry))]
            index[".".join(own)] = number, entry
        return index

    def read(self, entry: Json) -> Json:
        """Return an entry without its name and without fields that are ignored."""
        ignored = (*self.names, *self.silent)
        return {k: v for k, v in entry.items() if k not in ignored} if ignored else entry

    def write(self, was: Json, now: Json) -> Iterator[str]:
        """Yield the differences of an entry's contents as text; None: that side has no entry."""
        if None in (was, now):
            yield write_value(was or now) or "nothing"
        elif was != now:
            keys = [key for key in was | now if was.get(key) != now.get(key)]
            for part in [[key] for key in keys] if self.by_field else [keys]:
                sides = ({key: side[key] for key in part if key in side} for side in (was, now))
                yield " -> ".join(text or "nothing" for text in write_change(*sides))


_DECLARED = "its policies are judged by this, whatever their controller does"
_SETTINGS = "its policies are judged by this, whatever is set on the spokes"
_CONTROLS = (
    Control(
        "assertions",
        gone="nobody checks it any more",
        changed=_MISSES,
        names=("name",),
        silent=("message", "cure"),
    ),
    Control(
        "suppressions",
        "such a finding is an info from now on",
        silent=("reason",),
        is_wide=lambda entry: "resource" not in entry,
    ),
    Control(
        "external",
        "such objects count as being on the spokes, whatever is there",
    ),
    Control(
        "completeKinds",
        "an object that no file has counts as missing",
        "a reference to a missing one is no error any more",
    ),
    Control(
        "policyKinds",
        _DECLARED,
        "its policies are judged as if nothing had been declared",
        _DECLARED,
        names=("kind", "group"),
        is_wide=lambda entry: find_row(entry["group"], entry["kind"]) is not None,
        by_field=True,
    ),
    Control("controllers", _SETTINGS, _SETTINGS, _SETTINGS, names=("name",)),
    Control("crds", gone="it validates no object any more"),
)
_CHECKS = Control(
    "checks",
    gone="nothing reports it any more",
    changed=_MISSES,
    silent=("message", "cure", "field"),
)


def compare_controls(before: JsonObject, after: JsonObject, at: At) -> Iterator[Result]:
    """Yield findings about changed settings of fleet.yaml that decide what is checked, and how."""
    for row in _CONTROLS:
        yield from _compare(row, before, after, at)
    was, now = before.get("requires"), after.get("requires")
    if was and was != now:
        yield LOOSENED.result(
            f"requires: {was} -> {now or 'nothing'}: other versions may build",
            cure=_CURE,
            field="spec.requires",
            origin=at("spec", "requires"),
        )


def compare_checks(before: DataByRef, after: DataByRef, at: At) -> Iterator[Result]:
    """Yield findings about checks that are removed from or changed in metapolicy definitions."""
    for ref, definition in before.items():
        checks = (read_value(it, _PLACE) for it in (definition, after.get(ref, {})))
        old, new = ({"checks": list(as_mappings(it))} for it in checks)
        for result in _compare(_CHECKS, old, new, lambda *_: at("spec", "metapolicies")):
            yield replace(result, resource=ref, field=shown(_PLACE))


def _compare(row: Control, before: JsonObject, after: JsonObject, at: At) -> Iterator[Result]:
    old, new = row.index(before), row.index(after)
    contents = [row.read(entry) for _, entry in new.values()]
    # An entry without a name is identified by its content.
    # A new entry at the position of a removed one counts as a change of it.
    changed = {number: name for name, (number, _) in new.items() if name not in old and row.changed}
    for name in {**old, **new}:
        other = name if name in new or row.names else changed.get(old[name][0], name)
        was, now = (
            row.read(side[at_][1]) if at_ in side else None
            for side, at_ in ((old, name), (new, other))
        )
        effect = row.added if was is None else row.gone if now is None else row.changed
        # An entry that moved in the list is neither gone nor new.
        if not effect or was == now or (now is None and was in contents):
            continue
        is_info = was is None and not row.is_wide(new[name][1])
        for change in row.write(was, now):
            yield LOOSENED.result(
                f"{row.field}: {f'{name}: ' if row.names else ''}{change}: {effect}",
                severity=INFO if is_info else None,
                cure=_CURE,
                field=f"spec.{row.field}",
                origin=at("spec", row.field, *new.get(other, ())[:1]),
            )


def compare_crds(before: DataByRef, after: DataByRef, at: At) -> Iterator[Result]:
    """Yield findings about CRDs that are removed or accept more objects than before."""
    for ref in {**before, **after}:
        fields = [*find_laxer(before.get(ref, _CLOSED), after.get(ref, {}))]
        more = "more than before" if ref in before else "anything"
        if ref not in before and not _is_of_known_kind(after[ref]):
            continue  # its objects were not validated before
        message = f"it takes {more} in {joined(fields, _LISTED)}" if fields else ""
        if ref not in after:
            message = "it is gone, and validates no object any more"
        if message:
            yield LOOSENED.result(message, cure=_CURE, resource=ref, origin=at("spec", "crds"))


def _is_of_known_kind(crd: Mapping[str, Any]) -> bool:
    group, kind = (read_value(crd, ("spec", *path)) for path in (("group",), ("names", "kind")))
    return find_row(str(group), str(kind)) is not None


def find_laxer(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """Yield the fields in which a CRD accepts more than before, each with the changed keyword.

    A new version is compared with the first old version. A change that can't be ranked, such as a
    new pattern, counts as laxer.
    """
    old, new = (as_mappings(as_mapping(crd.get("spec")).get("versions")) for crd in (before, after))
    by_name = {version.get("name"): version for version in old}
    for version in new if old else ():
        earlier = by_name.get(version.get("name"), old[0])
        schemas = [as_mapping(item.get("schema")) for item in (earlier, version)]
        was, now = (as_mapping(schema.get("openAPIV3Schema")) for schema in schemas)
        yield from _compare_schemas(was, now, "")


def _compare_schemas(old: Mapping[str, Any], new: Mapping[str, Any], path: str) -> Iterator[str]:
    if old == new:
        return
    for key in sorted({*old, *new}):
        keyword = key if key in _CLOSING else key.removeprefix(_EXTENSION)
        if old.get(key) != new.get(key) and _is_laxer(keyword, old.get(key), new.get(key)):
            yield f"{path[1:] or 'the object'} ({keyword})"
    fields, others = (as_mapping(schema.get("properties")) for schema in (old, new))
    # New and removed fields are judged by the keywords of their parent.
    for name in sorted(fields.keys() & others.keys()):
        yield from _compare_schemas(
            as_mapping(fields[name]), as_mapping(others[name]), f"{path}.{name}"
        )
    for name in ("items", "additionalProperties"):
        yield from _compare_schemas(
            as_mapping(old.get(name)), as_mapping(new.get(name)), f"{path}[]"
        )


def _is_laxer(keyword: str, was: Json, now: Json) -> bool:
    """Return whether the new value of a keyword may let more objects pass."""
    if keyword not in _CLOSING or was is None or was is False:
        return keyword in _OPENING and bool(now)
    if keyword == _RULES:
        was, now = ([rule.get("rule") for rule in as_mappings(side)] for side in (was, now))
    if keyword in ("required", _RULES):
        return any(item not in as_list(now) for item in as_list(was))
    if keyword == "enum":
        return now is None or any(item not in as_list(was) for item in as_list(now))
    if isinstance(was, int | float) and isinstance(now, int | float) and keyword != "multipleOf":
        return now > was if keyword.startswith("max") else now < was
    # Patterns and the like can't be compared, so they count as laxer.
    return True


def compare_believed(hub: Hub, before: DataByRef, after: DataByRef) -> Iterator[Result]:
    """Yield a warning for each changed object that a security policy, or a field `tls`, refers to.

    `before` and `after` are the objects that differ. The changed data decides which callers or
    backends are trusted; if spokes get the object from elsewhere, no tree shows the change.
    """
    # A changed label or annotation does not change a certificate.
    old, new = ({ref: {**it[ref], "metadata": {}} for ref in it} for it in (before, after))
    changed = {ref for ref in old if ref in new and old[ref] != new[ref]}
    for manifest in hub.manifests if changed else ():
        kind = hub.catalogue.kind(manifest.ref.group, manifest.ref.kind)
        for need in read_requirements(kind, manifest.object, manifest.ref.namespace):
            is_believed = (kind.security and not need.row.or_bytes) or "tls" in need.path
            if need.ref in changed and is_believed:
                yield NARROWED.result(
                    f"{need.ref} has other data, and decides who is believed",
                    cure=f"read the change of {need.ref}, unless others are to be believed",
                    resource=manifest.ref,
                    field=shown(need.path),
                    origin=manifest.origin,
                )


def compare_immutable(hub: Hub, before: DataByRef, after: DataByRef) -> Iterator[Result]:
    """Yield a finding for each changed field that the object's controller considers immutable.

    `before` and `after` are the objects that differ.
    """
    origins = {manifest.ref: manifest.origin for manifest in hub.manifests}
    for ref in sorted(before.keys() & after.keys() & origins.keys()):
        for field in hub.catalogue.kind(ref.group, ref.kind).immutable:
            path = split_pattern(field)
            was, now = (as_mapping(read_value(it[ref], path)) for it in (before, after))
            if was != now:
                change = " -> ".join(text or "nothing" for text in write_change(was, now))
                yield IMMUTABLE_CHANGED.result(
                    f"{change}: it is immutable, and what has been made by the earlier value is "
                    "neither renamed nor cleaned up",
                    cure=f"take the change back, and add a {ref.kind} of another name",
                    resource=ref,
                    field=field,
                    origin=origins[ref],
                )

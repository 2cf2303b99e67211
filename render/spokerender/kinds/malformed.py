"""Checks for references that are malformed or that the kind forbids, and for long lists."""

from collections.abc import Iterator, Mapping
from typing import Any

from spokerender.findings.codes.attachment import UNHEARD_VERSION
from spokerender.findings.codes.hub import MALFORMED_REFERENCE, TOO_LONG
from spokerender.findings.results import Fault
from spokerender.kinds.fields import EACH_ITEM, find_mismatches, find_values
from spokerender.kinds.kind import SECTIONS, Kind, NamespaceRule, ReferencePath, Role
from spokerender.kinds.references import is_of_gateway_api
from spokerender.model.refs import GATEWAY_API, FieldPath, Ref, kind_name

_CHECKED = (Role.TARGET, Role.PARENT, Role.SELECTOR)


def find_malformed_references(
    kind: Kind, data: Mapping[str, Any], namespace: str
) -> tuple[Fault, ...]:
    """Return the faults of an object's attaching references, and of lists that are too long.

    Only fields that are needed to resolve a reference are checked, not the fields that are only
    assumed; the API server checks the rest. `namespace` is the object's namespace.
    """
    rules = [rule for rule in kind.references if rule.role in _CHECKED and not rule.assumed]
    problems = (problem for rule in rules for problem in _problems(rule, data, namespace))
    return (*problems, *find_long_lists(kind, data))


def report_unheard_version(version: str, ref: Ref, versions: tuple[str, ...]) -> Fault:
    """Return the fault that `version` is unknown for a kind, though a newer release may have it."""
    message = f"{version} is not a version of {kind_name(ref.group, ref.kind)} that is known here "
    message += f"({', '.join(versions)})"
    newest = f"{ref.group}/{versions[0]}" if ref.group else versions[0]
    cure = f"write {newest}, or add the CRD that has {version} with `spokerender crds add`"
    return Fault(UNHEARD_VERSION, message, cure, ("apiVersion",))


def find_long_lists(kind: Kind, data: Mapping[str, Any]) -> Iterator[Fault]:
    """Yield a fault for each list that is longer than all releases of the CRD, or GEP-713, allow.

    Call it first: the cost of finding attachments grows with the length of these lists.
    """
    limits = [(path, most, False) for path, most in kind.limits]
    limits += [
        (rule.path, rule.max_items, rule.assumed)
        for rule in kind.references
        if rule.max_items is not None
    ]
    for pattern, most, is_assumed in limits:
        for path, value in find_values(data, pattern.removesuffix(EACH_ITEM)):
            if isinstance(value, list) and len(value) > most:
                who, more = ("GEP-713", ", or add its CRD") if is_assumed else ("its CRD", "")
                message = f"has {len(value):,} entries, and {who} allows {most:,}"
                yield Fault(TOO_LONG, message, f"split the object{more}", path)


def _problems(rule: ReferencePath, data: Mapping[str, Any], own: str) -> Iterator[Fault]:
    for path, expected in find_mismatches(data, rule.path):
        yield _fault(f"is not a {expected}", f"make it a {expected}", path)
    entries = [
        (path, item) for path, item in find_values(data, rule.path) if isinstance(item, Mapping)
    ]
    for path, entry in entries:
        wrong = list(_no_texts(rule, path, entry))
        yield from wrong
        # Nothing else can be checked of a value that is not a text.
        if not wrong:
            yield from _identity_problems(rule, path, entry)
            yield from _namespace_problems(rule, path, entry, own)


def _no_texts(rule: ReferencePath, path: FieldPath, entry: Mapping[str, Any]) -> Iterator[Fault]:
    for key in ("group", "kind", "namespace", "name", rule.section):
        value = entry.get(key) if key else None
        for text in value if key == SECTIONS and isinstance(value, list) else [value]:
            # YAML makes numbers and booleans of names such as 1 or on.
            if not isinstance(text, str | None):
                yield _fault(f"is {text!r}, not a string", "put it in quotes", (*path, key))


def _identity_problems(
    rule: ReferencePath, path: FieldPath, entry: Mapping[str, Any]
) -> Iterator[Fault]:
    # Google's kinds name a Gateway, but find Pods by a selector in the same place.
    if not entry.get("name") and rule.role is not Role.SELECTOR and "selector" not in entry:
        yield _fault("is missing", "name the object", (*path, "name"))
    kind = entry.get("kind") or rule.default_kind
    if not kind:
        yield _fault("is missing", "write the kind, as in `kind: Gateway`", (*path, "kind"))
    group = rule.default_group if entry.get("group") is None else entry["group"]
    # GEP-713's own examples write it so, and API servers refuse it.
    if "/" in group:
        cure = f"write `group: {group.partition('/')[0]}`"
        yield _fault(f"is {group}, with a version in it", cure, (*path, "group"))
    if not group and is_of_gateway_api(kind) and not rule.infers_group:
        what = f"is not set, and the core group has no {kind}"
        yield _fault(what, f"write `group: {GATEWAY_API}`", (*path, "group"))


def _namespace_problems(
    rule: ReferencePath, path: FieldPath, entry: Mapping[str, Any], own: str
) -> Iterator[Fault]:
    namespace = entry.get("namespace") or ""
    place = (*path, "namespace")
    if namespace and rule.namespace is NamespaceRule.EMPTY:
        yield _fault(f"is {namespace}, but must be empty", "leave it out", place)
    elif namespace not in ("", own) and rule.namespace in (NamespaceRule.NONE, NamespaceRule.OWN):
        yield _fault(
            f"is {namespace}, but this kind can only refer to its own namespace {own}",
            f"put the object in namespace {namespace}, or refer to an object in {own}",
            place,
        )


def _fault(message: str, cure: str, field: FieldPath) -> Fault:
    """Return a fault; its message completes a sentence that begins with the field's name."""
    return Fault(MALFORMED_REFERENCE, message, cure, field)

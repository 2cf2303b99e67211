"""CA certificates that policies for TLS to backends name (P17; GEP-1897, BackendTLSPolicy)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from render.findings.codes import attachment as codes
from render.findings.faults import Fault
from render.judging.attachment.case import Case
from render.judging.attachment.model import Truth
from render.kinds import found, read
from render.kinds.kind import Authorities
from render.kinds.paths import segments
from render.kinds.references import spelled_group
from render.kinds.table import is_cluster_scoped
from render.model import FieldPath, Ref, kind_name

INVALID_KIND = "InvalidKind"
INVALID_REFERENCE = "InvalidCACertificateRef"


@dataclass(frozen=True, slots=True)
class Authority:
    """One CA certificate that is named; `reason` is that of `ResolvedRefs` where it is no good."""

    path: FieldPath
    state: Truth
    reason: str = ""
    why: str = ""


def authorities(case: Case) -> tuple[Authority, ...]:
    """The CA certificates that the policy names, in order; none for kinds that name none."""
    row = case.subject.kind.authorities
    if row is None:
        return ()
    entries = found(case.subject.object, row.refs)
    return tuple(
        _authority(path, entry, row, case) for path, entry in entries if isinstance(entry, Mapping)
    )


def _authority(
    path: FieldPath, entry: Mapping[str, Any], row: Authorities, case: Case
) -> Authority:
    group, kind, name = (str(entry.get(key) or "") for key in ("group", "kind", "name"))
    group = spelled_group(group)
    clusterwide = is_cluster_scoped(group, kind)
    ref = Ref(group, kind, "" if clusterwide else case.subject.ref.namespace, name)
    if (group, kind) in row.others:
        why = f"its controller has to read CA certificates from a {kind}, and the spoke has to "
        return Authority(path, Truth.UNKNOWN, why=f"{why}have {ref}")
    if (group, kind) != (row.group, row.kind):
        what = kind_name(group, kind)
        why = f"{what} is no kind that CA certificates are read from; {row.kind} is"
        return Authority(path, Truth.FALSE, INVALID_KIND, why)
    data = case.around.objects.get(ref)
    if data is not None:
        if read(data, ("data", row.key)):
            return Authority(path, Truth.TRUE)
        return Authority(path, Truth.FALSE, INVALID_REFERENCE, f"{ref} has no key {row.key}")
    if ref in case.around.topology.nodes or ref in case.around.unseen:
        return Authority(path, Truth.UNKNOWN, why=f"the spoke has to have {ref}")
    return Authority(path, Truth.FALSE, INVALID_REFERENCE, f"{ref} is not there")


def names_authorities(case: Case) -> Iterator[Fault]:
    """P17: either CA certificates are named, or a set of them that is well known."""
    row = case.subject.kind.authorities
    if row is None:
        return
    listed = found(case.subject.object, row.refs)
    place = segments(row.well_known)
    well_known = read(case.subject.object, place)
    names = row.refs.removesuffix("[]"), row.well_known
    if bool(listed) == bool(well_known):
        which = "both" if listed else "neither"
        message = f"has {which} of {names[0]} and {names[1]}, and needs one"
        yield Fault(codes.BAD_AUTHORITIES, message, "set one of them", place[:-1])
    elif well_known and well_known not in row.known:
        message = f"{well_known} is no well-known set of CA certificates"
        yield Fault(codes.BAD_AUTHORITIES, message, f"write {' or '.join(row.known)}", place)


def has_good_authorities(case: Case) -> Iterator[Fault]:
    """P17: each CA certificate that is named can be read."""
    for authority in authorities(case):
        if authority.state is Truth.FALSE:
            yield Fault(
                codes.BAD_AUTHORITY,
                authority.why,
                "name a ConfigMap of the policy's own namespace that has the key ca.crt",
                authority.path,
            )


def has_one_target(case: Case) -> Iterator[Fault]:
    """P17: there is a single target, where the API asks for one."""
    row = case.subject.kind.authorities
    links = {target.link.path for target in case.targets}
    if row is not None and row.one_target and len(links) > 1:
        yield Fault(
            codes.SEVERAL_TARGETS,
            f"has {len(links)} targets; since v1.4.1 its API promises support for one only",
            "write one policy for each",
            max(links)[:-1],
        )


def has_none_left(case: Case) -> str:
    """Why no CA certificate at all can be used; empty where one can, or none is named."""
    every = authorities(case)
    if every and all(authority.state is Truth.FALSE for authority in every):
        return "; ".join(authority.why for authority in every)
    return ""

"""CA certificates that policies for TLS to backends name (P17; GEP-1897, BackendTLSPolicy)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from spokerender.findings.codes import attachment as codes
from spokerender.findings.faults import Fault
from spokerender.judging.attachment.case import Case
from spokerender.judging.attachment.model import Truth
from spokerender.kinds import found, read
from spokerender.kinds.controllers import Trust
from spokerender.kinds.paths import segments
from spokerender.kinds.references import spelled_group
from spokerender.kinds.table import is_cluster_scoped
from spokerender.model import FieldPath, Ref, kind_name

CONFIG_MAP = "ConfigMap"
INVALID_KIND = "InvalidKind"
INVALID_REFERENCE = "InvalidCACertificateRef"


class Authority(Struct, frozen=True):
    """One CA certificate that is named; `reason` is that of `ResolvedRefs` where it is no good.

    `is_told` is set where some file has the object, and only its content is not known.
    """

    path: FieldPath
    state: Truth
    reason: str = ""
    why: str = ""
    is_told: bool = False


def authorities(case: Case) -> tuple[Authority, ...]:
    """The CA certificates that the policy names, in order; none for kinds that name none."""
    row = case.subject.kind.authorities
    if row is None:
        return ()
    entries = found(case.subject.object, row.refs)
    return tuple(
        _authority(path, entry, case) for path, entry in entries if isinstance(entry, Mapping)
    )


def _trust(case: Case) -> Trust | None:
    """What its gateways' controller reads certificates from, if that is one and known."""
    trusts = {case.around.controller(gateway).trust for gateway in case.gateways}
    return trusts.pop() if len(trusts) == 1 else None


def _authority(path: FieldPath, entry: Mapping[str, Any], case: Case) -> Authority:
    row, trust = case.subject.kind.authorities, _trust(case)
    assert row is not None  # noqa: S101  (whoever asks has looked)
    group, kind, name = (str(entry.get(key) or "") for key in ("group", "kind", "name"))
    group = spelled_group(group)
    clusterwide = is_cluster_scoped(group, kind)
    ref = Ref(group, kind, "" if clusterwide else case.subject.ref.namespace, name)
    kinds = trust.kinds if trust is not None else ((row.group, row.kind),)
    if (group, kind) not in kinds and (trust is not None or (group, kind) not in row.others):
        what, known = kind_name(group, kind), " or ".join(known for _, known in kinds)
        why = f"{what} is no kind that CA certificates are read from; {known} is"
        return Authority(path, Truth.FALSE, INVALID_KIND, why)
    if (group, kind) not in kinds:
        why = f"its controller has to read CA certificates from a {kind}, and the spoke has to "
        return Authority(path, Truth.UNKNOWN, why=f"{why}have {ref}")
    return _content(path, ref, trust or Trust(kinds, (row.key,)), case)


def _content(path: FieldPath, ref: Ref, trust: Trust, case: Case) -> Authority:
    around = case.around
    data = around.objects.get(ref)
    if data is not None and ref.kind == CONFIG_MAP:
        held = data.get("data")
        keys = held.keys() if isinstance(held, Mapping) else ()
        if any(key in keys for key in trust.keys) or (trust.only_key and len(keys) == 1):
            return Authority(path, Truth.TRUE)
        why = f"{ref} has no key {' or '.join(trust.keys)}"
        return Authority(path, Truth.FALSE, INVALID_REFERENCE, why)
    if ref in around.topology.nodes or ref in around.unseen:
        on_hub = around.namespaces is not None and ref in around.namespaces.nodes
        why = f"the spoke has to have {ref}"
        # Nobody looks into other kinds: a Secret may just name a server of secrets (Envoy Gateway).
        is_told = ref.kind == CONFIG_MAP and (on_hub or ref in around.topology.nodes)
        return Authority(path, Truth.UNKNOWN, why=why, is_told=is_told)
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
    every, trust = authorities(case), _trust(case)
    bad = [authority for authority in every if authority.state is Truth.FALSE]
    if bad and (len(bad) == len(every) or (trust is not None and trust.every)):
        return "; ".join(authority.why for authority in bad)
    return ""


def untold(case: Case) -> str:
    """What the spoke has to have for a CA certificate to be read, where none can be for sure."""
    every, trust = authorities(case), _trust(case)
    open_ones = [each for each in every if each.state is Truth.UNKNOWN and not each.is_told]
    is_enough = trust is None or not trust.every
    if is_enough and any(each.state is Truth.TRUE or each.is_told for each in every):
        return ""
    return "; ".join(each.why for each in open_ones)

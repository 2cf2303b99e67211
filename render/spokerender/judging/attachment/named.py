"""What a policy names besides its targets: Secrets, ConfigMaps, backends, issuers.

A file can tell that one may not be named, or that a Service lacks the port. Whether the spoke has
what is not rendered, no file can.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from spokerender.findings.codes import attachment as codes
from spokerender.findings.faults import Fault
from spokerender.judging.attachment.case import Case
from spokerender.judging.attachment.model import Truth
from spokerender.kinds import Requirement, found, needs, read
from spokerender.kinds.identities import BACKEND_TLS
from spokerender.model import FieldPath, Ref
from spokerender.topology.node import Node

_SERVICES = (("", "Service"), ("multicluster.x-k8s.io", "ServiceImport"))
_CONFIG_MAP = ("", "ConfigMap")


class Named(Struct, frozen=True):
    """One thing that is named; `reason` is that of `ResolvedRefs` where it can't be.

    `is_on_hub` is set where the hub's files have it: a spoke is to have it as well.
    """

    path: FieldPath
    state: Truth
    reason: str = ""
    why: str = ""
    is_on_hub: bool = False


def named(case: Case) -> tuple[Named, ...]:
    """All of it, in order, but for CA certificates; what is there for certain is left out."""
    subject = case.subject
    authorities = subject.kind.authorities
    told = {path for path, _ in found(subject.object, authorities.refs)} if authorities else set()
    every = (
        _named(case, each)
        for each in needs(subject.kind, subject.object, subject.ref.namespace)
        if each.selector is None and each.path not in told
    )
    return tuple(each for each in every if each.state is not Truth.TRUE)


def _named(case: Case, wanted: Requirement) -> Named:
    around, ref = case.around, wanted.ref
    here = around.topology.nodes.get(ref)
    on_hub = around.namespaces.nodes.get(ref) if around.namespaces is not None else None
    reason, why = _wrong(case, wanted, here or on_hub)
    if why:
        return Named(wanted.path, Truth.FALSE, reason, why)
    where = f" {wanted.note}" if wanted.note else ""
    if here is not None:
        unknown = _untrusted(case, ref)
        return Named(wanted.path, Truth.UNKNOWN if unknown else Truth.TRUE, why=unknown)
    if ref in around.unseen or ref in around.objects or wanted.note:
        why = f"the spoke has to have {ref}{where}"
        return Named(wanted.path, Truth.UNKNOWN, why=why, is_on_hub=on_hub is not None)
    return Named(wanted.path, Truth.FALSE, "NotFound", f"{ref} is not there")


def _wrong(case: Case, wanted: Requirement, known: Node | None) -> tuple[str, str]:
    """Why files tell that it can't be what is wanted, after the reason; empty where they don't."""
    ref = wanted.ref
    is_crossing = wanted.explicit_namespace and wanted.is_granted
    if is_crossing and not case.around.topology.permits(case.subject.ref, ref):
        return "RefNotPermitted", f"no ReferenceGrant in {ref.namespace} lets it name {ref}"
    if (ref.group, ref.kind) in _SERVICES:
        return "BackendNotFound", _elsewhere(case, ref) or _without_port(case, wanted, known)
    if (ref.group, ref.kind) == _CONFIG_MAP:
        return "NotFound", _is_empty(case, ref)
    return "NotFound", _without_key(wanted, known) or _barred(case, known)


def _barred(case: Case, known: Node | None) -> str:
    """What another object that it names may not name in turn."""
    if known is None:
        return ""
    for referent, field in known.crossing:
        if not case.around.topology.permits(known.ref, referent):
            where = f"no ReferenceGrant in {referent.namespace} lets {known.ref}"
            return f"{where} name {referent} ({field})"
    return ""


def _untrusted(case: Case, backend: Ref) -> str:
    """What TLS to a backend wants and no file has, where its controller needs all of it."""
    around = case.around
    policies = around.topology.of_kind(*BACKEND_TLS, backend.namespace)
    wanting = (
        link.ref
        for policy in policies
        if any(link.ref.whole == backend for link in policy.references)
        for link in policy.needs
    )
    known = (around.topology, *((around.namespaces,) if around.namespaces is not None else ()))
    missing = {str(ref) for ref in wanting if not any(ref in each.nodes for each in known)}
    return (
        f"the spoke has to have {', '.join(sorted(missing))} for TLS to {backend}"
        if missing
        else ""
    )


def _is_empty(case: Case, ref: Ref) -> str:
    """What is wrong with a ConfigMap that is there and has nothing in it."""
    data = case.around.objects.get(ref)
    is_asked = case.subject.kind.controller.needs_all
    return f"{ref} has no data" if is_asked and data is not None and not data.get("data") else ""


def _without_key(wanted: Requirement, secret: Node | None) -> str:
    """What a Secret lacks that the hub's files have in clear; other Secrets are on the spoke."""
    keys = secret.keys if secret is not None else ()
    is_single = wanted.or_single and len(keys) == 1
    if not keys or not wanted.keys or is_single or any(key in keys for key in wanted.keys):
        return ""
    return f"{wanted.ref} has no key {' or '.join(wanted.keys)}"


def _elsewhere(case: Case, ref: Ref) -> str:
    """Why a Service can't be a backend at all, where its controller wants addresses of pods."""
    spec = case.around.objects.get(ref, {}).get("spec")
    is_alias = isinstance(spec, Mapping) and spec.get("type") == "ExternalName"
    if not is_alias or not case.subject.kind.controller.needs_all:
        return ""
    return f"{ref} is of type ExternalName, which is no backend"


def _without_port(case: Case, wanted: Requirement, service: Node | None) -> str:
    """What is wrong with the port of a Service that is named, as far as it is known."""
    entry = read(case.subject.object, wanted.path)
    port = entry.get("port") if isinstance(entry, Mapping) else None
    if port is None:
        is_asked = case.subject.kind.controller.needs_all
        return f"no port of {wanted.ref} is named" if is_asked else ""
    ports = [number for _, number in service.ports] if service is not None else []
    if not ports or port in ports:
        return ""
    return f"{wanted.ref} has no port {port} (it has {', '.join(map(str, ports))})"


def can_be_named(case: Case) -> Iterator[Fault]:
    """P9: what a policy names may be named, and has the port, where its controller asks for it."""
    if not case.subject.kind.controller.needs_all:
        return
    for each in named(case):
        if each.state is Truth.FALSE:
            yield Fault(
                codes.UNRESOLVED,
                f"{each.why}: {case.subject.kind.controller.id} does not accept the policy, and "
                "answers requests on its targets with 500",
                "correct the reference, or add what it needs",
                each.path,
            )


def unresolved(case: Case) -> str:
    """Why a policy is not accepted for what it names; empty where it is, or nobody can tell."""
    if not case.subject.kind.controller.needs_all:
        return ""
    return "; ".join(each.why for each in named(case) if each.state is Truth.FALSE)


def unverified(case: Case) -> str:
    """What the spoke has to have, of which no file tells, for a policy to be accepted."""
    if not case.subject.kind.controller.needs_all:
        return ""
    unknown = (each for each in named(case) if each.state is Truth.UNKNOWN and not each.is_on_hub)
    return "; ".join(dict.fromkeys(each.why for each in unknown))

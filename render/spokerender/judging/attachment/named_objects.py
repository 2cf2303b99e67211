"""The objects that a policy names besides its targets: Secrets, backends, CA certificates.

Files show whether a policy may name an object, and which ports a Service has, but not whether a
spoke has an object that is not rendered.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.codes import attachment as codes
from spokerender.findings.results import Fault
from spokerender.judging.attachment.case import Case
from spokerender.judging.attachment.statuses import FailingField, Truth
from spokerender.judging.attachment.target_listeners import list_protocols
from spokerender.kinds.columns import Need, Trust
from spokerender.kinds.fields import find_values, read_value
from spokerender.kinds.kind import BACKEND_TLS
from spokerender.kinds.merging import Names, Precedence
from spokerender.kinds.needs import Requirement, read_requirements
from spokerender.kinds.references import normalize_group
from spokerender.kinds.table import is_cluster_scoped
from spokerender.model import CONFIG_MAP, SECRET, SERVICE, SERVICE_IMPORT, FieldPath, Ref, kind_name
from spokerender.topology.node import Node
from spokerender.topology.precedence import find_orders
from spokerender.topology.presented import explain_presented

_THEN = ("answers requests on its targets with 500", "lets requests pass without")
_SERVICES = (SERVICE, SERVICE_IMPORT)
_AUTHORITIES = "spec.validation.caCertificateRefs[]"
_WELL_KNOWN = ("spec", "validation", "wellKnownCACertificates")
_SYSTEM = "System"
# Envoy Gateway takes both, NGINX Gateway Fabric and Kong Secrets.
_OTHERS = (SECRET, ("certificates.k8s.io", "ClusterTrustBundle"))


class NamedObject(Struct, frozen=True):
    """An object that a policy names, with the status and reason that result for `ResolvedRefs`.

    `is_in_files` is True for an UNKNOWN object in the files of hub or spoke: only its content on
    the spoke is unknown. `row` describes the field that names the object.
    """

    path: FieldPath
    state: Truth
    reason: str = ""
    why: str = ""
    is_in_files: bool = False
    row: Need = Need("", "")


def find_named_objects(case: Case) -> tuple[NamedObject, ...]:
    """Return the named objects that are unusable or UNKNOWN, except CA certificates."""
    subject = case.subject
    certificates = {path for path, _ in _list_authorities(case)}
    named = (
        replace(_check_named(case, need), row=need.row)
        for need in read_requirements(subject.kind, subject.object, subject.ref.namespace)
        if need.selector is None and need.path not in certificates
    )
    return tuple(item for item in named if item.state is not Truth.TRUE)


def _check_named(case: Case, need: Requirement) -> NamedObject:
    around, ref = case.around, need.ref
    on_spoke = around.topology.nodes.get(ref)
    on_hub = around.topology.around.nodes.get(ref)
    reason, why = _explain_unusable(case, need, on_spoke or on_hub)
    if why:
        return NamedObject(need.path, Truth.FALSE, reason, why)
    missing = _explain_missing_tls(case, need)
    if missing:
        return NamedObject(need.path, Truth.UNKNOWN, why=missing)
    if on_spoke is not None or around.declared(ref):
        return NamedObject(need.path, Truth.TRUE)
    if ref in around.unseen or ref in around.objects or need.row.elsewhere:
        why = f"the spoke has to have {ref} {need.row.elsewhere}".rstrip()
        is_in_files = on_hub is not None
        return NamedObject(need.path, Truth.UNKNOWN, why=why, is_in_files=is_in_files)
    return NamedObject(need.path, Truth.FALSE, "NotFound", f"{ref} is not there")


def _explain_unusable(case: Case, need: Requirement, node: Node | None) -> tuple[str, str]:
    """Return reason and message if `node` does not meet `need`; no message if it may meet it."""
    ref = need.ref
    is_crossing = need.explicit_namespace and need.row.is_granted
    if is_crossing and not case.around.topology.permits(case.subject.ref, ref):
        return "RefNotPermitted", f"no ReferenceGrant in {ref.namespace} lets it name {ref}"
    if (ref.group, ref.kind) in _SERVICES:
        why = _explain_external_name(case, ref) or _explain_missing_port(case, need, node)
        why = why or _explain_bad_tls(case, need)
        return "BackendNotFound", why
    has_bytes = need.row.or_bytes and node is not None and node.has_bytes
    missing = "" if has_bytes else _explain_empty(case, node)
    if not (has_bytes or missing) and node is not None and need.lacks_keys(node.keys):
        missing = f"{ref} has no key {' or '.join(need.row.keys)}"
    return "NotFound", missing or _explain_ungranted(case, node)


def _explain_ungranted(case: Case, node: Node | None) -> str:
    """Return which reference of the named object `node` lacks a ReferenceGrant; else empty."""
    if node is None:
        return ""
    for referent, field in node.crossing:
        if not case.around.topology.permits(node.ref, referent):
            grant = f"no ReferenceGrant in {referent.namespace} lets {node.ref}"
            return f"{grant} name {referent} ({field})"
    return ""


def _find_tls_policies(case: Case, need: Requirement) -> list[Node]:
    """Return the BackendTLSPolicies of a backend's port; several if the creation times decide."""
    topology, backend = case.around.topology, case.around.topology.find(need.ref)
    names = {str(port): name for name, port in backend.ports} if backend is not None else {}
    sections = {str(need.port), names.get(str(need.port), "")} - {""}
    policies = topology.of_kind(*BACKEND_TLS, need.ref.namespace)
    # Envoy Gateway, getBackendTLSPolicy: a policy for the port comes before one for the backend,
    # and among these the oldest.
    for about in (sections, {""}):
        on_it = [
            policy
            for policy in policies
            for link in policy.attachments
            if link.ref.whole == need.ref and about.intersection(link.sections or ("",))
        ]
        if on_it:
            refs = [policy.ref for policy in on_it]
            firsts = find_orders(refs, topology.ages, Precedence(names=Names.PAIR)).firsts
            return [policy for policy in on_it if policy.ref in firsts]
    return []


def _explain_bad_tls(case: Case, need: Requirement) -> str:
    """Return why TLS to a backend's port certainly can't work; empty if it may work."""
    policies = _find_tls_policies(case, need)
    reasons = [_explain_empty_authority(case, policy) for policy in policies]
    if not reasons or not all(reasons):
        shown = explain_presented(case.around.topology, case.gateways if reasons else ())
        return f"{shown[0]}, for TLS to {need.ref} ({policies[0].ref})" if shown[1] else ""
    return f"{reasons[0]} for TLS to {need.ref} ({policies[0].ref})"


def _explain_missing_tls(case: Case, need: Requirement) -> str:
    """Return what the spoke must have for TLS to a backend's port; empty if files suffice."""
    around, policies = case.around, _find_tls_policies(case, need)
    missing = {
        str(link.ref)
        for policy in policies
        for link in policy.needs
        if around.topology.find(link.ref) is None
        and not around.declared(link.ref)
        and not around.topology.is_absent(link.ref)
    }
    if missing:
        return f"the spoke has to have {', '.join(sorted(missing))} for TLS to {need.ref}"
    if why := explain_presented(around.topology, case.gateways if policies else ())[0]:
        return f"{why}, for TLS to {need.ref}"
    empty = next(filter(None, (_explain_empty_authority(case, policy) for policy in policies)), "")
    return f"{empty}, which TLS to {need.ref} needs if its policy is the oldest" if empty else ""


def _explain_empty_authority(case: Case, policy: Node) -> str:
    around = case.around
    for link in policy.needs:
        node = around.topology.find(link.ref)
        if around.topology.is_absent(link.ref):
            return f"{link.ref} is not there"
        if empty := _explain_empty(case, node):
            return empty
    return ""


def _explain_empty(case: Case, node: Node | None) -> str:
    """Return the problem if a ConfigMap has no data and the controller needs some, else empty."""
    # A Secret in the hub's files may get its data on the spoke.
    if node is None or (node.ref.group, node.ref.kind) != CONFIG_MAP or node.keys:
        return ""
    return f"{node.ref} has no data" if case.subject.kind.controller.needs_all else ""


def _explain_external_name(case: Case, ref: Ref) -> str:
    """Return the problem if a Service is of type ExternalName and the controller needs pods."""
    spec = case.around.objects.get(ref, {}).get("spec")
    is_alias = isinstance(spec, Mapping) and spec.get("type") == "ExternalName"
    if not is_alias or not case.subject.kind.controller.needs_all:
        return ""
    return f"{ref} is of type ExternalName, which can't be a backend"


def _explain_missing_port(case: Case, need: Requirement, service: Node | None) -> str:
    """Return the problem if a Service certainly lacks the port that the policy names, or empty."""
    entry = read_value(case.subject.object, need.path)
    port = entry.get("port") if isinstance(entry, Mapping) else None
    if port is None:
        is_required = case.subject.kind.controller.needs_all
        return f"no port of {need.ref} is named" if is_required else ""
    ports = [number for _, number in service.ports] if service is not None else []
    is_closed = case.subject.kind.controller.needs_all and case.around.lacks_tcp(need.ref, port)
    if not ports or (port in ports and not is_closed):
        return ""
    lacking = f"TCP port {port}" if is_closed else f"port {port}"
    return f"{need.ref} has no {lacking} (it has {', '.join(map(str, ports))})"


def _list_required(case: Case) -> tuple[NamedObject, ...]:
    """Return the absent or UNKNOWN objects that a policy names, unless it works without them."""
    if not case.subject.kind.controller.needs_all:
        return ()
    protocols = {*list_protocols(case)}
    return tuple(
        item
        for item in find_named_objects(case)
        if not item.row.protocols or not protocols.isdisjoint(item.row.protocols)
    )


def find_unresolved(case: Case) -> tuple[NamedObject, ...]:
    """Return the absent or unusable objects because of which the policy is refused."""
    return tuple(item for item in _list_required(case) if item.state is Truth.FALSE)


def check_named_objects(case: Case) -> Iterator[Fault]:
    """Check that all objects exist and may be named without which the policy is refused (P9)."""
    unresolved = find_unresolved(case)
    then = _THEN[case.leaves_out(item.path for item in unresolved)]
    for item in unresolved:
        yield report_unresolved(case, item, f", and {then}")


def report_unresolved(case: Case, item: NamedObject, then: str = "") -> Fault:
    """Return the fault: the controller refuses the policy for `item`. `then` ends the message."""
    return Fault(
        codes.UNRESOLVED,
        f"{item.why}: {case.subject.kind.controller.id} does not accept the policy{then}",
        "correct the reference, add what it needs, or declare it under external",
        item.path,
    )


def find_unverified(case: Case) -> tuple[NamedObject, ...]:
    """Return the named objects in no file; if the spoke lacks one, the policy is refused."""
    return tuple(
        item
        for item in _list_required(case)
        if item.state is Truth.UNKNOWN and not item.is_in_files
    )


def explain_unverified(case: Case) -> str:
    """Return as text which objects in no file the spoke must have; empty if there are none."""
    return "; ".join(dict.fromkeys(item.why for item in find_unverified(case)))


def find_authorities(case: Case) -> tuple[NamedObject, ...]:
    """Return the CA certificates that a BackendTLSPolicy names, usable or not, in order (P17)."""
    return tuple(
        _check_authority(path, entry, case)
        for path, entry in _list_authorities(case)
        if isinstance(entry, Mapping)
    )


def is_backend_tls(case: Case) -> bool:
    """Return whether the policy is a BackendTLSPolicy."""
    return (case.subject.kind.group, case.subject.kind.kind) == BACKEND_TLS


def _list_authorities(case: Case) -> list[tuple[FieldPath, Any]]:
    return find_values(case.subject.object, _AUTHORITIES) if is_backend_tls(case) else []


def _find_trust(case: Case) -> Trust | None:
    """Return how the Gateways' controllers read CA certificates; None if controllers differ."""
    # If no route leads to the backend (a backend that authorizes, say), all Gateways count.
    gateways = case.gateways or case.around.topology.gateways
    trusts = {case.around.controller(gateway).trust for gateway in gateways}
    return trusts.pop() if len(trusts) == 1 else None


def _check_authority(path: FieldPath, entry: Mapping[str, Any], case: Case) -> NamedObject:
    trust = _find_trust(case)
    group, kind, name = (str(entry.get(key) or "") for key in ("group", "kind", "name"))
    group = normalize_group(group)
    namespace = "" if is_cluster_scoped(group, kind) else case.subject.ref.namespace
    ref = Ref(group, kind, namespace, name)
    usable = trust or Trust((CONFIG_MAP,))
    if (group, kind) in usable.kinds:
        return _check_certificates(path, ref, usable, case)
    if trust is None and (group, kind) in _OTHERS:
        why = (
            f"its controller has to read CA certificates from a {kind}, and the spoke has to have "
            f"{ref}"
        )
        return NamedObject(path, Truth.UNKNOWN, why=why)
    supported = " or ".join(kind for _, kind in usable.kinds)
    why = f"CA certificates are read from {supported}, not from {kind_name(group, kind)}"
    return NamedObject(path, Truth.FALSE, "InvalidKind", why)


def _check_certificates(path: FieldPath, ref: Ref, trust: Trust, case: Case) -> NamedObject:
    around = case.around
    node = around.topology.find(ref)
    is_config_map = ref.kind == "ConfigMap"
    if node is not None and is_config_map:
        keys = node.keys
        has_key = any(key in keys for key in trust.keys) or (trust.only_key and len(keys) == 1)
        if has_key and ref in around.topology.nodes:
            return NamedObject(path, Truth.TRUE)
        if has_key:
            why = f"the spoke has to have {ref}"
            return NamedObject(path, Truth.UNKNOWN, why=why, is_in_files=True)
        why = f"{ref} has no key {' or '.join(trust.keys)}"
        return NamedObject(path, Truth.FALSE, "InvalidCACertificateRef", why)
    if around.declared(ref):
        return NamedObject(path, Truth.TRUE)
    if ref in around.topology.nodes or ref in around.unseen:
        # The content of other kinds is never read: a Secret may just name a server of secrets
        # (Envoy Gateway).
        is_in_files = is_config_map and around.topology.find(ref) is not None
        why = f"the spoke has to have {ref}"
        return NamedObject(path, Truth.UNKNOWN, why=why, is_in_files=is_in_files)
    return NamedObject(path, Truth.FALSE, "InvalidCACertificateRef", f"{ref} is not there")


def check_well_known(case: Case) -> Iterator[Fault]:
    """Check that `wellKnownCACertificates` has a value of the Gateway API (P17; GEP-1897).

    A CEL rule of the CRD requires either `wellKnownCACertificates` or `caCertificateRefs`.
    """
    well_known = read_value(case.subject.object, _WELL_KNOWN) if is_backend_tls(case) else None
    if well_known and well_known != _SYSTEM:
        message = f"{well_known} is not a well-known set of CA certificates"
        yield Fault(codes.BAD_AUTHORITIES, message, f"write {_SYSTEM}", _WELL_KNOWN)


def check_authorities(case: Case) -> Iterator[Fault]:
    """Check that the named CA certificates can be read (P17)."""
    for authority in find_authorities(case):
        if authority.state is Truth.FALSE:
            yield Fault(
                codes.BAD_AUTHORITY,
                authority.why,
                "name a ConfigMap of the policy's own namespace that has the key ca.crt",
                authority.path,
            )


def check_single_target(case: Case) -> Iterator[Fault]:
    """Check that a BackendTLSPolicy has one target, as the API supports no more (P17)."""
    links = {target.link.path for target in case.targets}
    if is_backend_tls(case) and len(links) > 1:
        yield Fault(
            codes.SEVERAL_TARGETS,
            f"has {len(links)} targets; since v1.4.1 its API promises support for one only",
            "write one policy for each",
            max(links)[:-1],
        )


def explain_no_authority(case: Case) -> str:
    """Return why no CA certificate can be used; empty if one can be used, or none is named."""
    authorities, trust = find_authorities(case), _find_trust(case)
    unusable = [authority for authority in authorities if authority.state is Truth.FALSE]
    needs_all = trust is not None and trust.every
    if unusable and (needs_all or len(unusable) == len(authorities)):
        return "; ".join(authority.why for authority in unusable)
    return ""


def explain_failing_trust(case: Case) -> str:
    """Return why requests fail for lack of CA certificates; empty if they do not fail."""
    trust = _find_trust(case)
    return explain_no_authority(case) if trust is not None and trust.fails else ""


def find_failures(case: Case) -> Iterator[FailingField]:
    """Yield the references due to which requests to the targets fail, each with the reason."""
    yield from ((item.path, item.why) for item in find_unresolved(case))
    if untrusted := explain_failing_trust(case):
        yield (), untrusted


def explain_unverified_authorities(case: Case) -> str:
    """Return what the spoke must have so that enough CA certificates can be read, or empty."""
    authorities, trust = find_authorities(case), _find_trust(case)
    needs_all = trust is not None and trust.every
    if not needs_all and any(
        authority.state is Truth.TRUE or authority.is_in_files for authority in authorities
    ):
        return ""
    return "; ".join(
        authority.why
        for authority in authorities
        if authority.state is Truth.UNKNOWN and not authority.is_in_files
    )

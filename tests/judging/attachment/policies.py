"""What the tests of attachment share: documents in, attachments and short lines about them out."""

from typing import Any

from spokerender.findings.results import Fault
from spokerender.judging.attachment.statuses import Attachment, Subject
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import Ref, shown
from tests.support import text_of
from tests.support.attaching import attach
from tests.support.stages import graph, hub, values

CRD = "CustomResourceDefinition"


def ref_of(data: Any) -> Ref:
    """An object's identity."""
    group = data["apiVersion"].rpartition("/")[0]
    metadata = data["metadata"]
    return Ref(group, data["kind"], metadata.get("namespace", ""), metadata["name"])


def attachments(*documents: str, **options: Any) -> dict[str, Attachment]:
    """Every policy's attachment, by `namespace/name`, on the topology of these documents.

    `ages` are by `namespace/name` too. `configured` is what a fleet file says of kinds. CRDs among
    the documents are the installed ones.
    """
    data = values(hub(*documents))
    crds = [item for item in data if item["kind"] == CRD]
    subjects = subjects_of(data, Catalogue.of(crds, options.pop("configured", ())))
    ages = {place(ref): ref for ref in (subject.ref for subject in subjects)}
    known = {ages[name]: age for name, age in options.pop("ages", {}).items()}
    found = attach(
        graph(*documents),
        subjects,
        objects={ref_of(item): item for item in data},
        crds=crds,
        ages=known,
        **options,
    )
    assert [item.policy for item in found] == sorted(subject.ref for subject in subjects)
    return {place(item.policy): item for item in found}


def subjects_of(data: list[Any], catalogue: Catalogue) -> list[Subject]:
    """The policies among objects: what has a target, or may have one."""
    found = [
        (ref, catalogue.kind(ref.group, ref.kind), item) for item in data for ref in [ref_of(item)]
    ]
    return [
        Subject(ref, kind, item)
        for ref, kind, item in found
        if kind.is_policy and (catalogue.known(ref.group, ref.kind) or ref.kind.endswith("Policy"))
    ]


def place(ref: Ref) -> str:
    """Namespace and name."""
    return f"{ref.namespace}/{ref.name}"


def told(attachment: Attachment) -> list[str]:
    """Its faults, one a line."""
    return [line(fault) for fault in attachment.faults]


def line(fault: Fault) -> str:
    """A fault as `code field: message`."""
    place = f" {shown(fault.field)}" if fault.field else ""
    return f"{fault.finding.code}{place}: {fault.message}"


def status(attachment: Attachment) -> tuple[str, str]:
    """Its condition `Accepted`: status and reason."""
    return attachment.accepted.status.value, attachment.accepted.reason


def policy(kind: str, name: str, spec: str, namespace: str = "infra") -> str:
    """A policy; `kind` as `group/version/Kind`, `spec` as YAML flow text."""
    api_version, _, short = kind.rpartition("/")
    return (
        f"apiVersion: {api_version}\nkind: {short}\n"
        f"metadata: {{name: {name}, namespace: {namespace}}}\nspec: {spec}\n"
    )


GATEWAYS = text_of(__file__, "policies.yaml")
"""A Gateway with two listeners, a route on one of them, and the Service that it leads to."""

SECURITY = "gateway.envoyproxy.io/v1alpha1/SecurityPolicy"
TLS = "gateway.networking.k8s.io/v1/BackendTLSPolicy"
OURS = "example.com/v1/CachePolicy"
GATEWAY = "{group: gateway.networking.k8s.io, kind: Gateway, name: web}"
CLASS = "{group: gateway.networking.k8s.io, kind: GatewayClass, name: istio}"
ROUTE = "{group: gateway.networking.k8s.io, kind: HTTPRoute, name: cart}"
SERVICE = '{group: "", kind: Service, name: cart}'


def section(target: str, name: str) -> str:
    """The target's section of that name."""
    return target.replace("}", f", sectionName: {name}}}")

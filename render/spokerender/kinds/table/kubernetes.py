"""Kubernetes' own kinds that hubs have: whether they are namespaced decides identities."""

from functools import partial

from spokerender.kinds.columns import Everybody, Guarding, OwnedField, Scale, Traits
from spokerender.kinds.kind import Controller, Kind, ReferencePath, Role
from spokerender.kinds.merging import Merging, Process
from spokerender.kinds.rows import KONG_PLUGINS, label_selector


def _rank_rules(rules: str, peers: str) -> tuple[Scale, ...]:
    """Return the scales of rules that each admit their peers at their ports."""
    return (
        Scale(rules, entries="weaker"),
        Scale(f"{rules}[].{peers}", entries="weaker", unset="open"),
        Scale(f"{rules}[].ports", entries="weaker", unset="open"),
        Scale(f"{rules}[].{peers}[].ipBlock.cidr", entries="weaker"),
        Scale(f"{rules}[].{peers}[].ipBlock.except", entries="stricter"),
    )


_RULES = (*_rank_rules("ingress", "from"), *_rank_rules("egress", "to"))
# Whom it lets through; what it isolates are the pods of `spec.podSelector`, beside it.
_POLICY_PEERS = tuple(
    path
    for peers in ("spec.ingress[].from[]", "spec.egress[].to[]")
    for path in label_selector(f"{peers}.podSelector", Role.PEER)
)

_v1 = partial(Kind, versions=("v1",))

NAMESPACED: tuple[Kind, ...] = (
    _v1("", "ConfigMap"),
    _v1("", "Secret"),
    _v1(
        "",
        "Service",
        references=(ReferencePath("spec.selector", Role.LABEL),),
        needs=(KONG_PLUGINS,),
        # ServiceSpec: what is allocated. An address of a load balancer is one cluster's, too.
        # `allocateLoadBalancerNodePorts` is a choice.
        owned=(
            OwnedField("spec.clusterIP", frozenset({"None"})),
            OwnedField("spec.clusterIPs"),
            OwnedField("spec.healthCheckNodePort"),
            OwnedField("spec.loadBalancerIP"),
            OwnedField("spec.ports[].nodePort"),
        ),
    ),
    # The token controller, and OpenShift's registry, write secrets of their own.
    _v1("", "ServiceAccount", owned=(OwnedField("secrets"),)),
    _v1("", "Pod", owned=(OwnedField("spec.nodeName"),)),
    _v1("", "Endpoints", plural="endpoints"),
    _v1("", "LimitRange"),
    _v1("", "PersistentVolumeClaim", owned=(OwnedField("spec.volumeName"),)),
    _v1("", "ResourceQuota"),
    _v1("apps", "DaemonSet"),
    _v1("apps", "Deployment"),
    _v1("apps", "StatefulSet"),
    _v1("autoscaling", "HorizontalPodAutoscaler", versions=("v2", "v1")),
    _v1("batch", "CronJob"),
    _v1("batch", "Job"),
    _v1("discovery.k8s.io", "EndpointSlice"),
    _v1("networking.k8s.io", "Ingress"),
    _v1(
        "networking.k8s.io",
        "NetworkPolicy",
        references=(*label_selector("spec.podSelector"), *_POLICY_PEERS),
        security=True,
        # Without rules it isolates the pods for incoming connections.
        merging=Merging(
            Process.ALL,
            implied=(("policyTypes", ("Ingress",)),),
            source="Kubernetes, Network Policies: they are additive and never conflict",
        ),
        traits=Traits(
            # What one of them admits is admitted, and what a list is not there for is.
            guarding=(
                Guarding(
                    "*",
                    beside="any",
                    everybody=Everybody("ingress[]", parts=("from", "ipBlock"), networks=("cidr",)),
                ),
            ),
            scales=_RULES,
        ),
    ),
    _v1("policy", "PodDisruptionBudget", references=label_selector("spec.selector")),
    _v1("rbac.authorization.k8s.io", "Role"),
    _v1("rbac.authorization.k8s.io", "RoleBinding"),
)

_OWNED = {
    "Namespace": (OwnedField("spec.finalizers"),),
    "PersistentVolume": (
        OwnedField("spec.claimRef.resourceVersion"),
        OwnedField("spec.claimRef.uid"),
    ),
}
_CLUSTER_SCOPED = (
    ("", "Namespace", "v1"),
    ("", "Node", "v1"),
    ("", "PersistentVolume", "v1"),
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicy", "v1"),
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding", "v1"),
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration", "v1"),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy", "v1"),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding", "v1"),
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration", "v1"),
    ("apiextensions.k8s.io", "CustomResourceDefinition", "v1"),
    ("apiregistration.k8s.io", "APIService", "v1"),
    ("certificates.k8s.io", "CertificateSigningRequest", "v1"),
    ("certificates.k8s.io", "ClusterTrustBundle", "v1beta1"),
    ("flowcontrol.apiserver.k8s.io", "FlowSchema", "v1"),
    ("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration", "v1"),
    ("networking.k8s.io", "IngressClass", "v1"),
    ("node.k8s.io", "RuntimeClass", "v1"),
    ("rbac.authorization.k8s.io", "ClusterRole", "v1"),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding", "v1"),
    ("scheduling.k8s.io", "PriorityClass", "v1"),
    ("storage.k8s.io", "CSIDriver", "v1"),
    ("storage.k8s.io", "CSINode", "v1"),
    ("storage.k8s.io", "StorageClass", "v1"),
    ("storage.k8s.io", "VolumeAttachment", "v1"),
    # Of Open Cluster Management, which hubs are full of.
    ("addon.open-cluster-management.io", "ClusterManagementAddOn", "v1alpha1"),
)

CONTROLLERS: tuple[Controller, ...] = ()

KINDS: tuple[Kind, ...] = (
    *NAMESPACED,
    *[
        Kind(group, kind, (version,), namespaced=False, owned=_OWNED.get(kind, ()))
        for group, kind, version in _CLUSTER_SCOPED
    ],
)

"""Kubernetes' own kinds, as far as hubs have them: their scope makes identities right."""

from __future__ import annotations

from spokerender.kinds.kind import Controller, Kind, Role
from spokerender.kinds.merging import Merging, Process
from spokerender.kinds.rows import label_selector, labels, row

# Whom it lets through; what it isolates are the pods of `spec.podSelector`, beside it.
_POLICY_PEERS = tuple(
    path
    for peers in ("spec.ingress[].from[]", "spec.egress[].to[]")
    for path in label_selector(f"{peers}.podSelector", Role.PEER)
)

NAMESPACED: tuple[Kind, ...] = (
    row("", "ConfigMap", "v1"),
    row("", "Secret", "v1"),
    row("", "Service", "v1", references=(labels("spec.selector"),)),
    row("", "ServiceAccount", "v1"),
    row("", "Pod", "v1"),
    row("", "Endpoints", "v1", plural="endpoints"),
    row("", "LimitRange", "v1"),
    row("", "PersistentVolumeClaim", "v1"),
    row("", "ResourceQuota", "v1"),
    row("apps", "DaemonSet", "v1"),
    row("apps", "Deployment", "v1"),
    row("apps", "StatefulSet", "v1"),
    row("autoscaling", "HorizontalPodAutoscaler", "v2", "v1"),
    row("batch", "CronJob", "v1"),
    row("batch", "Job", "v1"),
    row("discovery.k8s.io", "EndpointSlice", "v1"),
    row("networking.k8s.io", "Ingress", "v1"),
    row(
        "networking.k8s.io",
        "NetworkPolicy",
        "v1",
        references=(*label_selector("spec.podSelector"), *_POLICY_PEERS),
        security=True,
        merging=Merging(
            Process.ALL, source="Kubernetes, Network Policies: they are additive and never conflict"
        ),
    ),
    row("policy", "PodDisruptionBudget", "v1", references=label_selector("spec.selector")),
    row("rbac.authorization.k8s.io", "Role", "v1"),
    row("rbac.authorization.k8s.io", "RoleBinding", "v1"),
)

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
    ("networking.k8s.io", "IngressClass", "v1"),
    ("node.k8s.io", "RuntimeClass", "v1"),
    ("rbac.authorization.k8s.io", "ClusterRole", "v1"),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding", "v1"),
    ("scheduling.k8s.io", "PriorityClass", "v1"),
    ("storage.k8s.io", "StorageClass", "v1"),
    # Of Open Cluster Management, which hubs are full of.
    ("addon.open-cluster-management.io", "ClusterManagementAddOn", "v1alpha1"),
    ("cluster.open-cluster-management.io", "ManagedCluster", "v1"),
    ("cluster.open-cluster-management.io", "ManagedClusterSet", "v1beta2"),
)

CONTROLLERS: tuple[Controller, ...] = ()

KINDS: tuple[Kind, ...] = (
    *NAMESPACED,
    *(row(group, kind, version, namespaced=False) for group, kind, version in _CLUSTER_SCOPED),
)

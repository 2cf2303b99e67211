"""Karmada: each object once, with who gets it and what differs there.

Karmada's API server has one object of a name (a resource template), and one propagation policy
claims it. So spokes that share an object can't have a policy each: the object has the policy, which
names its spokes. An override policy gives each of them what is not alike on all.

Sources: Karmada f8fdd02, pkg/apis/policy/v1alpha1, pkg/util/names (GenerateBindingName,
IsReservedNamespace), pkg/apis/cluster/validation, pkg/detector (EventFilter), pkg/controllers
(namespace, execution), cmd/controller-manager (skipped-propagating-namespaces).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from spokerender.findings.phrasing import listed
from spokerender.formats import yamlio
from spokerender.kinds.marks import Mark
from spokerender.model import Ref
from spokerender.rendering.values.engines import Carrier, EngineObjects
from spokerender.rendering.values.trees import Shipped
from spokerender.wings.delivery.engine import Delivered, Engine, Files, MadeFiles
from spokerender.wings.delivery.karmada_overrides import rules
from spokerender.wings.delivery.problem import DeliveryProblem

if TYPE_CHECKING:  # the models of a file that has them
    from spokerender.wings.delivery.config.karmada import Karmada

Json = dict[str, Any]
Sharers = Mapping[str, Shipped]
"""An object as each spoke gets it, by the spoke's name."""

_API = "policy.karmada.io/v1alpha1"
_LONGEST_CLUSTER = 48
_LONGEST_NAME = 253
_LEFT_ALONE = re.compile(r"kube-.*|karmada-system|karmada-cluster|karmada-es-.*", re.DOTALL)
"""Namespaces of which Karmada propagates nothing."""


def _files(settings: Karmada, fleet: Delivered) -> Files:
    """A file for each object, at its path in the spokes' folders.

    Raises:
        DeliveryProblem: Karmada can't have a cluster of a spoke's name, or can't propagate objects.

    """
    long = [each.name for each in fleet.spokes if len(each.name) > _LONGEST_CLUSTER]
    if long:
        message = f"names of Karmada's clusters have at most {_LONGEST_CLUSTER} characters: "
        raise DeliveryProblem(message + listed(long), "give the spokes shorter names")
    shared: dict[str, dict[str, Shipped]] = {}
    for spoke in fleet.spokes:
        for each in fleet.objects(spoke.name):
            shared.setdefault(each.path, {})[spoke.name] = each
    _check(shared)
    made: dict[str, Callable[[], str]] = {
        f"karmada/{path}": partial(_text, settings, sharers) for path, sharers in shared.items()
    }
    return MadeFiles(made)


def _check(shared: Mapping[str, Sharers]) -> None:
    names: dict[tuple[str, str], Ref] = {}
    for sharers in shared.values():
        (spoke, first), *others = sharers.items()
        ref = first.ref
        if _LEFT_ALONE.fullmatch(ref.namespace):
            message = f"Karmada propagates nothing of namespace {ref.namespace}: {ref}"
            raise DeliveryProblem(message, "place it in another namespace")
        name = _name(ref)
        other = names.setdefault((ref.namespace, name), ref)
        if other != ref:
            groups = f"{other.group} and {ref.group}"
            message = f'Karmada calls its bindings of {ref} of {groups} both "{name}"'
            raise DeliveryProblem(message, "rename one of them")
        if len(name) > _LONGEST_NAME:
            message = f"the name of {ref} is too long for Karmada's binding of it"
            raise DeliveryProblem(message, "give it a shorter name")
        version = first.data.get("apiVersion")
        for different, each in others:
            told = each.data.get("apiVersion")
            if told != version:
                message = f"{ref} is of {version} on {spoke} and of {told} on {different}: "
                message += "Karmada has it once, and no override changes that"
                raise DeliveryProblem(message, "let it be of one version, or name it differently")


def _text(settings: Karmada, sharers: Sharers) -> str:
    """The file of an object: what differs, who gets it, and the object of the first spoke.

    Karmada itself takes Namespaces to every cluster that has joined.
    """
    template = next(iter(sharers.values()))
    policies = [*_override(template.ref, sharers)]
    if (template.ref.group, template.ref.kind) != ("", "Namespace"):
        policies.append(_propagation(settings, template, sharers, policies))
    return "---\n".join((*map(yamlio.proven, policies), template.text().decode()))


def _override(ref: Ref, sharers: Sharers) -> list[Json]:
    first = next(iter(sharers.values()))
    if all(each.key == first.key and each.object() is each.data for each in sharers.values()):
        return []
    found = rules({name: each.object() for name, each in sharers.items()})
    return [_policy("OverridePolicy", ref, first, {"overrideRules": found})] if found else []


def _propagation(
    settings: Karmada, template: Shipped, sharers: Sharers, overrides: list[Json]
) -> Json:
    """Which spokes get it: these, whatever taints they have.

    Karmada waits for the overrides, so that no spoke gets what is another's.
    """
    spec: Json = {
        "placement": {
            "clusterAffinity": {"clusterNames": list(sharers)},
            "clusterTolerations": [{"operator": "Exists"}],
        },
        "conflictResolution": settings.conflict_resolution,
        "preserveResourcesOnDeletion": settings.deletion == "orphan",
    }
    if overrides:
        spec["dependentOverrides"] = [each["metadata"]["name"] for each in overrides]
    return _policy("PropagationPolicy", template.ref, template, spec)


def _policy(kind: str, ref: Ref, template: Shipped, spec: Json) -> Json:
    """A policy about one object: of its namespace, or of all."""
    place = {"namespace": ref.namespace} if ref.namespace else {}
    selector = {
        "apiVersion": template.data["apiVersion"],
        "kind": ref.kind,
        **place,
        "name": ref.name,
    }
    return {
        "apiVersion": _API,
        "kind": kind if ref.namespace else f"Cluster{kind}",
        "metadata": {"name": _name(ref), **place},
        "spec": {"resourceSelectors": [selector], **spec},
    }


def _name(ref: Ref) -> str:
    """The name of a policy about an object: what Karmada calls its own binding of it."""
    return f"{ref.name}-{ref.kind}".lower().replace(":", ".")


_OF_POLICIES = {
    f"{policy}.karmada.io/{key}"
    for policy in ("propagationpolicy", "clusterpropagationpolicy")
    for key in ("name", "namespace", "permanent-id")
}
_MARKS = (
    # Karmada f8fdd02, pkg/apis/work/v1alpha2/well_known_constants.go.
    Mark(
        "work.karmada.io/conflict-resolution",
        "Karmada leaves alone what a spoke already has under its name",
        is_refused=False,
        acts=lambda value: value == "abort",
    ),
    Mark(
        "resourcetemplate.karmada.io/deletion-protected",
        "Karmada lets nobody delete the object, so that it stays when it has left the tree",
        is_refused=False,
        is_label=True,
        acts=lambda value: value == "Always",
    ),
)

ENGINE = Engine(
    name="karmada",
    files=_files,
    objects=EngineObjects(
        # Karmada's docs, userguide/scheduling/resource-propagating.
        carriers=(
            Carrier("policy.karmada.io", "PropagationPolicy"),
            Carrier("policy.karmada.io", "ClusterPropagationPolicy"),
        )
    ),
    annotations=frozenset(_OF_POLICIES),
    labels=frozenset(_OF_POLICIES),
    marks=_MARKS,
)

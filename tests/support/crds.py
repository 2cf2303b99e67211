"""CRDs, as far as tests have to say what is in one."""

from collections.abc import Mapping
from typing import Any

from tests.support import cyaml

SCHEMA = """
type: object
x-kubernetes-preserve-unknown-fields: true
required: [targetRef]
properties:
  realm: {type: string, maxLength: 6}
  targetRef: {type: object, x-kubernetes-preserve-unknown-fields: true}
"""


def crd(
    schema: str = SCHEMA,
    kind: str = "AuthPolicy",
    *,
    version: str = "v1",
    labels: Mapping[str, str] | None = None,
) -> str:
    """A CRD of a Kuadrant kind whose `spec` has this schema."""
    metadata: dict[str, Any] = {"labels": dict(labels)} if labels else {}
    root = {"type": "object", "properties": {"spec": cyaml.safe_load(schema)}}
    names = {"kind": kind, "plural": f"{kind[:-1].lower()}ies"}
    served = {"name": version, "served": True, "storage": True, "schema": {"openAPIV3Schema": root}}
    return cyaml.safe_dump(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{names['plural']}.kuadrant.io", **metadata},
            "spec": {
                "group": "kuadrant.io",
                "names": names,
                "scope": "Namespaced",
                "versions": [served],
            },
        }
    )

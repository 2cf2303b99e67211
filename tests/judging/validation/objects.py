"""A CRD around a schema of `spec`, and what validation says of an object of it."""

from typing import Any

from spokerender.findings.results import Fault
from spokerender.judging.validation.choosing import choose_schema
from spokerender.judging.validation.crds import Schemas, Server, read_schemas
from spokerender.judging.validation.objects import validate
from spokerender.judging.validation.structure import complete
from spokerender.model import Ref
from tests.support import cyaml

GROUP, KIND = "example.com", "Thing"
ANYWHERE = Server()


def crd(spec: str = "{type: object}", **changes: Any) -> dict[str, Any]:
    """A CRD whose objects have this schema as their `spec`; `changes` are of its own spec."""
    schema = {"type": "object", "properties": {"spec": cyaml.safe_load(spec)}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": GROUP,
            "names": {"kind": KIND, "plural": "things"},
            "scope": "Namespaced",
            "versions": [version],
            **changes,
        },
    }


def of_release(bundle: str, channel: str, spec: str = "{type: object}") -> dict[str, Any]:
    """A CRD as a release of the Gateway API marks its own."""
    made = crd(spec)
    made["metadata"]["annotations"] = {
        "gateway.networking.k8s.io/bundle-version": bundle,
        "gateway.networking.k8s.io/channel": channel,
    }
    return made


def schemas(*crds: dict[str, Any]) -> Schemas:
    files = [(f"crds/{i}.yaml", cyaml.safe_dump(item).encode()) for i, item in enumerate(crds)]
    return read_schemas(files, (), {(GROUP, KIND)})


def thing(spec: str = "{}", **changes: Any) -> dict[str, Any]:
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": KIND,
        "metadata": {"name": "one", "namespace": "shop"},
        "spec": cyaml.safe_load(spec),
        **changes,
    }


def faults(value: dict[str, Any], known: Schemas, server: Server = ANYWHERE) -> tuple[Fault, ...]:
    return validate(value, Ref(GROUP, KIND, "shop", "one"), known, server)


def told(schema: str, spec: str) -> list[str]:
    """The messages about an object with this spec."""
    return [fault.message for fault in faults(thing(spec), schemas(crd(schema)))]


def completed_object(value: dict[str, Any], known: Schemas) -> Any:
    """An object with its CRD's defaults and without unknown fields."""
    schema = choose_schema(
        "example.com/v1", Ref(GROUP, KIND, "shop", "one"), known, ANYWHERE
    ).schema
    assert schema is not None
    return complete(schema.node, value, [])

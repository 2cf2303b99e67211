"""kubeconform, with the schemas of the CRDs, takes every tree."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.live.building import program
from tests.live.definitions import of_examples
from tests.live.trees import NAMES, meant, written
from tests.support.cases import each

pytestmark = pytest.mark.live

WITHOUT = {
    ("kustomize.config.k8s.io/v1beta1", "Kustomization"),
    ("v1", "ConfigMap"),
    ("v1", "Namespace"),
}
"""Kinds that are no CRDs, whose schemas kubeconform would fetch from the network."""


@pytest.fixture(scope="module")
def schemas(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where kubeconform finds the schema of a kind; unknown fields are refused."""
    folder = tmp_path_factory.mktemp("schemas")
    for crd in of_examples():
        names, group = crd["spec"]["names"], crd["spec"]["group"]
        for version in crd["spec"]["versions"]:
            schema = strict(version["schema"]["openAPIV3Schema"])
            file = f"{names['kind'].lower()}_{group}_{version['name']}.json"
            (folder / file).write_text(json.dumps(schema))
    return f"{folder}/{{{{.ResourceKind}}}}_{{{{.Group}}}}_{{{{.ResourceAPIVersion}}}}.json"


def strict(schema: Any, *, is_part: bool = False) -> Any:
    """JSON Schema of a CRD's, without OpenAPI's own words; what no schema names is refused.

    An object's root and the parts of a schema that stand below `anyOf`, say, name only some fields.
    """
    if isinstance(schema, list):
        return [strict(item, is_part=True) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made = {
        key: {name: strict(item, is_part=is_part) for name, item in value.items()}
        if key == "properties"
        else strict(value, is_part=is_part or key == "not")
        for key, value in schema.items()
        if not key.startswith("x-")
    }
    if schema.get("x-kubernetes-int-or-string"):
        made["type"] = ["integer", "string"]
    fields = made.get("properties", {})
    is_open = is_part or "apiVersion" in fields
    if fields and not is_open and not schema.get("x-kubernetes-preserve-unknown-fields"):
        made.setdefault("additionalProperties", False)
    return made


@each(*NAMES)
def test_kubeconform_takes_every_tree(name: str, schemas: str, tmp_path: Path) -> None:
    skipped = ",".join(kind for _, kind in sorted(WITHOUT))
    options = ["-strict", "-output", "json", "-verbose", "-schema-location", schemas]
    for spoke, folder in written(name, tmp_path).items():
        command = [program("kubeconform"), *options, "-skip", skipped, str(folder)]
        done = subprocess.run(command, capture_output=True, text=True)
        told = json.loads(done.stdout)["resources"]
        assert [
            each for each in told if each["status"] not in {"statusValid", "statusSkipped"}
        ] == []
        assert done.returncode == 0
        judged = [each for each in told if each["status"] == "statusValid"]
        expected = [value for value in meant(name, spoke).values() if key(value) not in WITHOUT]
        assert len(judged) == len(expected) > 0


def key(value: dict[str, Any]) -> tuple[str, str]:
    return value["apiVersion"], value["kind"]

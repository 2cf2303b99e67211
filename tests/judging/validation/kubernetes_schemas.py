"""What `kubernetes.json` beside the validation is made of, by a library that carries much more."""

import json
from pathlib import Path
from typing import Any

import kubernetes_validate

_GVK = "x-kubernetes-group-version-kind"


def carried() -> str:
    """The schemas of one release, without prose and metadata; a kind or definition a line."""
    release = kubernetes_validate.latest_version()
    package = Path(kubernetes_validate.__file__).parent
    folder = package / "kubernetes-json-schema" / f"v{release}-local-strict"
    definitions = json.loads((folder / "_definitions.json").read_text())["$defs"]
    kinds = {
        path.stem: schema
        for path in sorted(folder.glob("*.json"))
        if _GVK in (schema := json.loads(path.read_text()))
    }
    for schema in kinds.values():
        schema["properties"].pop("metadata", None)
        for key in ("$schema", "$id", _GVK):
            schema.pop(key, None)
    parts = {"definitions": _local(definitions), "kinds": _local(kinds)}
    lines = (f"{json.dumps(name)}:{_rows(part)}" for name, part in parts.items())
    return f'{{"release":{json.dumps(release)},\n' + ",\n".join(lines) + "}\n"


def _rows(part: dict[str, Any]) -> str:
    rows = (
        f"{json.dumps(name)}:{json.dumps(schema, separators=(',', ':'), sort_keys=True)}"
        for name, schema in sorted(part.items())
    )
    return "{\n" + ",\n".join(rows) + "\n}"


def _local(schema: Any) -> Any:
    """A schema whose references point into the same document, without prose."""
    if isinstance(schema, list):
        return [_local(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: _local(item) for key, item in schema.items() if not _is_prose(key, item)}
    if isinstance(made.get("$ref"), str):
        made["$ref"] = "#/definitions/" + made["$ref"].rpartition("/")[2]
    return made


def _is_prose(key: str, item: Any) -> bool:
    return key == "description" and isinstance(item, str)

"""The pages of the documentation that are made: from the models, and from the codes of findings."""

import difflib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from spokerender.edge.carried import carried_meanings
from spokerender.edge.templates import carried_examples
from spokerender.findings.codes.table import HUNDREDS
from spokerender.findings.examples import Examples
from spokerender.findings.suppressions import instead_of_suppressing
from spokerender.wings.combined import build_schema
from spokerender.wings.publishing.config.published import PublishedSpec
from tests.docs import libraries
from tests.support import rows_of

Json = Mapping[str, Any]

PLACEMENT: str = rows_of(__file__, "placement")
FLEET: str = rows_of(__file__, "fleet")
FINDINGS: str = rows_of(__file__, "findings")


REQUESTS: str = rows_of(__file__, "requests")
METAPOLICIES: str = rows_of(__file__, "metapolicies")


def metapolicies() -> str:
    """The reference of definitions and extensions."""
    return METAPOLICIES + _models("MetapolicyDefinition") + _models("Extension", "Metadata")


def requests() -> str:
    """The reference of tests of requests."""
    return REQUESTS + _models("RequestTests")


def publishing() -> str:
    """The reference of publishings, and of PublishedResources, which are kcp's kind."""
    schema = PublishedSpec.model_json_schema()
    published = {**schema.pop("$defs"), "PublishedSpec": schema}
    parts = (_models("Publishing"), _models("PublishedSpec", definitions=published))
    return "".join((libraries.PUBLISHING, *parts, libraries.templates()))


def placement() -> str:
    """The reference of the placement."""
    return PLACEMENT + _models("Placement")


def fleet() -> str:
    """The reference of the fleet file."""
    return FLEET + _models("Fleet")


def _models(root: str, *but: str, definitions: Json | None = None) -> str:
    """A table for each model that is reached from one, without those on the page already."""
    definitions, parts = definitions or build_schema()["$defs"], []
    for name in _reachable(root, definitions):
        if name in but:
            continue
        parts += [f"\n## {name}\n", f"\n{_line(definitions[name].get('description', ''))}\n\n"]
        parts += ["| key | type | what it is |\n|---|---|---|\n"]
        parts += _rows(definitions[name])
    return "".join(parts)


def findings() -> str:
    """The table of all findings."""
    parts, meanings, examples = [FINDINGS], carried_meanings(), carried_examples()
    for about, kinds in HUNDREDS.items():
        if not kinds:
            continue
        mark = " †" if instead_of_suppressing(kinds[0].code) else ""
        parts += [f"\n## {about} ({kinds[0].code[:4]}xx){mark}\n\n"]
        for kind in kinds:
            meaning = meanings[kind.code]
            parts += [f"### {kind.code}\n\n**{kind.severity}**: {_line(meaning.meaning)}\n\n"]
            parts += [f"{_line(meaning.mend)}\n\n", *_example(kind.code, examples)]
    return "".join(parts)


def _example(code: str, examples: Examples) -> Iterator[str]:
    """A wrong and a right YAML, folded; or why there is none. Their fences are none of ours."""
    example = examples.written.get(code)
    if example is None:
        yield f"There is no example: {examples.why_none(code)}.\n\n"
        return
    yield '<details markdown="1"><summary>Wrong and right</summary>\n\n'
    for path, text in example.both.items():
        yield f"`{path}`\n\n~~~~yaml\n{text.rstrip()}\n~~~~\n\n"
    for path in {**example.wrong, **example.right}:
        wrong, right = (side.get(path, "").splitlines() for side in (example.wrong, example.right))
        lines = [*difflib.unified_diff(wrong, right, lineterm="", n=1_000)][3:]
        yield f"`{path}`\n\n~~~~diff\n" + "".join(f"{line}\n" for line in lines) + "~~~~\n\n"
    yield "</details>\n\n"


def _reachable(name: str, definitions: Json) -> list[str]:
    """A definition and what it refers to, each once, in the order of reading."""
    names: list[str] = []
    waiting = [name]
    while waiting:
        current = waiting.pop(0)
        if current not in names:
            names.append(current)
            waiting += _references(definitions[current])
    return names


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        if "$ref" in value:
            yield value["$ref"].rpartition("/")[2]
        for each in value.values():
            yield from _references(each)
    elif isinstance(value, list):
        for each in value:
            yield from _references(each)


def _rows(definition: Json) -> Iterator[str]:
    required = definition.get("required", [])
    for key, value in definition.get("properties", {}).items():
        must = " (required)" if key in required else ""
        default = value.get("default")
        said = f" Default: `{default}`." if default not in (None, [], {}, "") else ""
        described = _cell(value.get("description", ""))
        yield f"| `{key}`{must} | {_cell(_type(value))} | {described}{said} |\n"


def _type(value: Json) -> str:
    match value:
        case {"$ref": str(ref)}:
            name = ref.rpartition("/")[2]
            said = f"[{name}](#{name.lower()})"
        case {"const": constant}:
            said = "`" + json.dumps(constant).strip('"') + "`"
        case {"enum": list(values)}:
            said = " or ".join(f"`{each}`" for each in values)
        case {"anyOf": list(ways)}:
            said = " or ".join(_type(each) for each in ways if each != {"type": "null"})
        case {"type": "array"}:
            said = f"list of {_type(value.get('items', {}))}"
        case {"type": "object", "additionalProperties": {"type": _} as inner}:
            said = f"map to {_type(inner)}"
        case _:
            name = str(value.get("type", "anything"))
            said = "map" if name == "object" else name
    return said


def _line(text: str) -> str:
    return " ".join(text.split())


def _cell(text: str) -> str:
    return _line(text).replace("|", "\\|").replace("<", "&lt;")

"""Projects to break: the examples, and one that uses what they leave out."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import yaml

from spokerender.formats import yamlio
from tests.conftest import ROOT
from tests.fuzz import hostile

_OWN = ROOT / "tests/fuzz/everything"
_EXAMPLES = (
    "one-gateway-two-spokes",
    "existing-gateway",
    "envoy-gateway",
    "renamed-and-moved",
    "own-policy-kind",
    "tenants",
    "metapolicies",
    "ocm",
)
_OWN_AS_OFTEN = 4
_DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class _Plain(_DUMPER):  # type: ignore[misc]
    """Writes what is shared twice: an alias has to be a mutation."""

    def ignore_aliases(self, data: object) -> bool:
        """Everything."""
        del data
        return True


@dataclass
class File:
    """A file that is being broken: documents while it is data, then a text."""

    documents: list[Any] | None
    text: str
    is_changed: bool = False

    def written(self, random: Random) -> str:
        """The file's text; what is data is written in one of YAML's ways."""
        if self.is_changed and self.documents is not None:
            flow = random.choice((False, False, None, True))
            self.text = "---\n".join(_yaml(document, flow=flow) for document in self.documents)
            self.is_changed = False
        return self.text


Files = dict[str, File]
"""Files by their paths in the project."""


@dataclass(frozen=True)
class Seed:
    """A project as it is before anything happens to it: its name, its files and documents."""

    name: str
    texts: dict[str, str]
    documents: dict[str, list[Any]]

    def files(self, *, with_tree: bool) -> dict[str, File]:
        """Files that may be changed; those of the committed tree only if asked."""
        return {
            path: File(copied(self.documents[path]) if path in self.documents else None, text)
            for path, text in self.texts.items()
            if with_tree or not path.startswith("clusters/")
        }


@cache
def seeds() -> tuple[Seed, ...]:
    """Every project; our own stands there several times, to be broken as often."""
    own = _read("everything", _OWN)
    examples = tuple(_read(name, ROOT / "examples" / name) for name in _EXAMPLES)
    return (own,) * _OWN_AS_OFTEN + examples


def _read(name: str, folder: Path) -> Seed:
    texts, documents = {}, {}
    for path in sorted(folder.rglob("*")):
        if path.is_dir() or path.suffix == ".md":
            continue
        below = path.relative_to(folder).as_posix()
        texts[below] = path.read_text()
        if path.suffix == ".yaml":
            found, problems = yamlio.read(path.read_bytes(), below)
            assert not problems, below
            documents[below] = [document.value for document in found]
    return Seed(name, texts, documents)


@cache
def parts() -> dict[str, list[Any]]:
    """What stands under each key of all projects: to be put where it does not belong."""
    found: dict[str, list[Any]] = {}
    pending: list[Any] = [
        document for seed in seeds() for d in seed.documents.values() for document in d
    ]
    while pending:
        data = pending.pop()
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            if isinstance(key, str):
                found.setdefault(key, []).append(value)
            if isinstance(value, dict | list):
                pending.append(value)
    return dict(sorted(found.items()))


def copied(data: Any) -> Any:
    """JSON data of its own."""
    if isinstance(data, dict):
        return {key: copied(value) for key, value in data.items()}
    return [copied(value) for value in data] if isinstance(data, list) else data


def _yaml(document: Any, *, flow: bool | None) -> str:
    try:
        text = str(
            yaml.dump(
                document,
                Dumper=_Plain,
                default_flow_style=flow,
                sort_keys=False,
                allow_unicode=True,
            )
        )
    except (UnicodeError, yaml.YAMLError, RecursionError):  # lone surrogates: only escapes say them
        text = json.dumps(document, skipkeys=True) + "\n"
    if "@@raw" in text:
        for number, raw in enumerate(hostile.RAW_TEXTS):
            mark = hostile.RAW.format(number)
            text = text.replace(f"'{mark}'", raw).replace(f'"{mark}"', raw).replace(mark, raw)
    return text

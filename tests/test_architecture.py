"""The house stands as ARCHITECTURE.md draws it: floors, doors, and the size of its rooms."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest
from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

import render

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = Path(render.__file__).parent
EDGE = {"cli", "edge", "report"}
MAX_MODULE_LINES = 260
MAX_FUNCTION_LINES = 50
MAX_ROOMS = 20
MAX_MODULES = 24

TEXTS = {
    path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(PACKAGE.rglob("*.py"))
}
CORE = [path for path in TEXTS if path.split("/")[0].removesuffix(".py") not in EDGE]


def nodes(path: str) -> Iterator[ast.AST]:
    return ast.walk(ast.parse(TEXTS[path], path))


def test_the_import_contracts_hold(capsys: pytest.CaptureFixture[str]) -> None:
    status = lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True)
    assert status == EXIT_STATUS_SUCCESS, capsys.readouterr().out


def test_no_module_is_too_long() -> None:
    lengths = {path: len(text.splitlines()) for path, text in TEXTS.items()}
    assert {path: lines for path, lines in lengths.items() if lines > MAX_MODULE_LINES} == {}


def test_no_function_is_too_long() -> None:
    lengths = {
        f"{path}:{node.lineno} {node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for path in TEXTS
        for node in nodes(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert {name: lines for name, lines in lengths.items() if lines > MAX_FUNCTION_LINES} == {}


def test_the_core_neither_prints_nor_opens() -> None:
    """What needs no import, import-linter cannot see."""
    forbidden = {"__import__", "breakpoint", "eval", "exec", "input", "open", "print"}
    called = [
        f"{path}:{node.lineno} {node.func.id}"
        for path in CORE
        for node in nodes(path)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in forbidden
    ]
    assert called == []


def test_the_core_knows_paths_only_as_values() -> None:
    """`pathlib` is two libraries: paths that are values, and paths that reach the disk."""
    imported = [
        f"{path}:{node.lineno} {alias.name}"
        for path in CORE
        for node in nodes(path)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
        if alias.name in {"Path", "PosixPath", "WindowsPath", "pathlib"}
    ]
    assert imported == []


def test_the_way_from_the_roof_to_the_ground_is_short() -> None:
    """The longest path in the graph of modules; imports in functions and for types count as well.

    A package's face (an `__init__` that says in `__all__` what it gives on, and defines nothing) is
    no stop: who imports a name from it imports the module that defines it. A package that has a
    face is a room, with everything in it; counted by rooms, what is one package's own affair does
    not matter to the whole.
    """
    modules = {_name(path): path for path in TEXTS}
    graph = {name: set(_targets(name, modules)) for name in modules}
    rooms: dict[str, set[str]] = {}
    for name, targets in graph.items():
        room = _room(name, modules)
        rooms.setdefault(room, set()).update(_room(target, modules) for target in targets)
        rooms[room].discard(room)
    by_rooms, by_modules = _longest(rooms), _longest(graph)
    assert len(by_rooms) <= MAX_ROOMS, by_rooms
    assert len(by_modules) <= MAX_MODULES, by_modules


Modules = Mapping[str, str]
"""The paths of modules, by their names."""


def _name(path: str) -> str:
    name = f"{PACKAGE.name}/{path}".removesuffix(".py").replace("/", ".")
    return name.removesuffix(".__init__")


@cache
def _imported(path: str) -> tuple[tuple[str, str, str], ...]:
    """What a file imports of ours: the module, the name in it, and what it is called here."""
    return tuple(
        (node.module, alias.name, alias.asname or alias.name)
        for node in nodes(path)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE.name)
        for alias in node.names
        if node.module is not None
    )


@cache
def _is_face(path: str) -> bool:
    defined = [
        node
        for node in ast.parse(TEXTS[path]).body
        if isinstance(node, ast.ClassDef | ast.FunctionDef)
    ]
    return path.endswith("__init__.py") and "__all__" in TEXTS[path] and not defined


def _targets(name: str, modules: Modules) -> Iterator[str]:
    for module, item, _ in _imported(modules[name]):
        yield from _defining(module, item, modules)


def _defining(module: str, item: str, modules: Modules) -> Iterator[str]:
    """The modules that define a name: behind a face, or all that is behind it."""
    path = modules[module]
    given = {
        called: (other, inner)
        for other, inner, called in _imported(path)
        if (other, inner) != (module, item)  # a module of its own
    }
    if path.endswith("__init__.py") and item in given:
        yield from _defining(*given[item], modules)
    elif f"{module}.{item}" not in modules:
        yield module
    elif _is_face(modules[f"{module}.{item}"]):
        for other, inner, _ in _imported(modules[f"{module}.{item}"]):
            yield from _defining(other, inner, modules)
    else:
        yield f"{module}.{item}"


def _room(name: str, modules: Modules) -> str:
    """The outermost package with `__all__` that a module is in; the module, if it is in none."""
    parts = name.split(".")
    packages = (".".join(parts[:count]) for count in range(2, len(parts) + 1))
    return next(
        (
            each
            for each in packages
            if modules[each].endswith("__init__.py") and "__all__" in TEXTS[modules[each]]
        ),
        name,
    )


def _longest(graph: Mapping[str, set[str]]) -> tuple[str, ...]:
    @cache
    def below(name: str) -> tuple[str, ...]:
        return (name, *max((below(each) for each in sorted(graph[name])), key=len, default=()))

    return max(map(below, graph), key=len)

"""The house stands as ARCHITECTURE.md draws it: floors, doors, and the size of its rooms."""

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import spokerender

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = Path(spokerender.__file__).parent
EDGE = ("cli/", "edge/", "report/", "authoring/", "wings/metapolicies/runners/", "wings/part.py")
"""What may reach the outside."""
MAX_MODULE_LINES = 400
MAX_FUNCTION_LINES = 60
CLAUSE = re.compile(r"(How|Of|That|Those|What|When|Where|Whether|Which|Who|Whose|Why)\b")
"""The first words of a clause; a docstring begins with a verb or a noun."""
MAX_ENTERED, MAX_MOVES = 150, 2500
MAX_MODULES = 17

TEXTS = {
    path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(PACKAGE.rglob("*.py"))
}
CORE = [path for path in TEXTS if not path.startswith(EDGE)]
INNER = [path for path in TEXTS if not path.startswith("authoring/")]
"""All but the public API, whose names are those of its users."""


@cache
def parsed(path: str) -> ast.Module:
    return ast.parse(TEXTS[path], path)


def nodes(path: str) -> Iterator[ast.AST]:
    return ast.walk(parsed(path))


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


def test_the_name_of_a_type_is_unique() -> None:
    """That of a class, or of an alias that other modules may import."""
    paths_by_name: dict[str, list[str]] = {}
    for path in TEXTS:
        for node in nodes(path):
            if isinstance(node, ast.ClassDef):
                paths_by_name.setdefault(node.name, []).append(path)
        for name in _list_aliases(parsed(path)):
            paths_by_name.setdefault(name, []).append(path)
    assert {name: paths for name, paths in paths_by_name.items() if len(paths) > 1} == {}


def test_a_public_function_name_is_unique() -> None:
    paths_by_name: dict[str, list[str]] = {}
    for path in INNER:
        for node in parsed(path).body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                paths_by_name.setdefault(node.name, []).append(path)
    assert {
        name: paths
        for name, paths in paths_by_name.items()
        if len(paths) > 1 and not name.startswith("_")
    } == {}


def test_a_docstring_begins_with_a_verb_or_a_noun() -> None:
    refused = [
        f"{path}: {docstring.splitlines()[0]}"
        for path in TEXTS
        for node in nodes(path)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and CLAUSE.match(docstring := ast.get_docstring(node) or "")
    ]
    assert refused == []


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


def test_what_is_at_a_path_is_asked_at_one_door() -> None:
    """`pathlib` raises where a name is too long; entries that were listed are there, and short."""
    raising = {"exists", "is_dir", "is_file", "is_symlink"}
    asked = [
        f"{path} {ast.unparse(node)}"
        for path in sorted(set(TEXTS) - set(CORE))
        for node in nodes(path)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in raising
        and not ast.unparse(node.func.value).endswith(("entry", "os.path"))
    ]
    assert asked == [
        "edge/carried.py carried.is_dir()"  # the package's own
    ]


def test_the_way_from_the_roof_to_the_ground_is_short() -> None:
    """The longest path in the graph of modules; imports in functions and for types count as well.

    A package is a module, with what its `__init__` imports. Where a path is too long, import what
    is needed from the module that has it, or part what a thing is from what reads or makes it.
    """
    modules = {_name(path): path for path in TEXTS}
    longest = _longest({name: set(_imported(path, modules)) for name, path in modules.items()})
    assert len(longest) <= MAX_MODULES, longest


COUNTER = """
import os, sys
from spokerender.cli import main

package, last, moves, entered = sys.argv[1], "", 0, set()

def count(frame, event, _):
    global last, moves
    code = frame.f_code
    if event != "call" or not code.co_filename.startswith(package) or code.co_name == "<module>":
        return
    entered.add(code.co_filename)
    moves += code.co_filename != last
    last = code.co_filename

def end(status):
    sys.setprofile(None)
    print(status, len(entered), moves)
    sys.stdout.flush()
    leave(status)

leave, os._exit = os._exit, end
sys.setprofile(count)
main(["build", "--quiet", sys.argv[2]])
"""
"""Counts the modules that a build enters, and the calls that lead from one to another."""


def test_the_smallest_build_is_a_short_walk(tmp_path: Path) -> None:
    """A reader who follows it through the code meets few modules, and rarely changes them."""
    init = [sys.executable, "-m", "spokerender", "init", "--spokes", "eu,us", str(tmp_path)]
    subprocess.run(init, check=True, capture_output=True)
    shutil.rmtree(tmp_path / "clusters")
    count = [sys.executable, "-c", COUNTER, str(PACKAGE), str(tmp_path)]
    done = subprocess.run(count, check=True, capture_output=True, text=True)
    status, entered, moves = map(int, done.stdout.split())
    assert status == 0
    assert entered <= MAX_ENTERED
    assert moves <= MAX_MOVES


def _list_aliases(module: ast.Module) -> Iterator[str]:
    """Names such as `GroupKind` that a module assigns; constants are in capitals."""
    for node in module.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        for target in [node.target] if isinstance(node, ast.AnnAssign) else targets:
            if isinstance(target, ast.Name) and re.match("[A-Z]+[a-z]", target.id):
                yield target.id


def _name(path: str) -> str:
    name = f"{PACKAGE.name}/{path}".removesuffix(".py").replace("/", ".")
    return name.removesuffix(".__init__")


def _imported(path: str, modules: Mapping[str, str]) -> Iterator[str]:
    """The modules of ours that a file imports; `modules` are their paths, by their names."""
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom) and (package := node.module or "") in modules:
            for alias in node.names:
                inner = f"{package}.{alias.name}"
                yield inner if inner in modules else package
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)


def _longest(graph: Mapping[str, set[str]]) -> tuple[str, ...]:
    @cache
    def below(name: str) -> tuple[str, ...]:
        targets = sorted(graph[name] - {name})
        return (name, *max(map(below, targets), key=len, default=()))

    return max(map(below, graph), key=len)

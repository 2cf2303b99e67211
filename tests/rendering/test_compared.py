"""What our code compares an object's texts with is known, so that no slot stands for it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import spokerender
from spokerender.kinds.table import CLASS_NAMES, CONTROLLER_NAMES, GROUPS, all_rows
from spokerender.model import GATEWAY_API
from spokerender.rendering.holding import compared_texts
from tests.support import each, rows_of

TABLE = tuple(all_rows().values())

ROOT = Path(spokerender.__file__).parent
ROOMS = ("kinds", "topology", "rendering", "judging", "wings")
WORD = re.compile(r"[A-Za-z]([A-Za-z0-9./-]*[A-Za-z0-9])?")
"""What a value may be: signs, of which texts are made, are no words."""
OTHERS = rows_of(__file__, "others")


def modules() -> Iterator[tuple[str, ast.Module]]:
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if not name.startswith(tuple(OTHERS)):
                yield name, ast.parse(path.read_text(encoding="utf-8"))


def texts(node: ast.AST) -> Iterator[str]:
    """The texts in an expression, but for keys that something is looked up by."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif not isinstance(node, ast.Call | ast.Subscript):
        for child in ast.iter_child_nodes(node):
            yield from texts(child)


def constants(tree: ast.Module) -> dict[str, set[str]]:
    """The texts in what a module defines at its top, by name."""
    found: dict[str, set[str]] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    found[target.id] = set(texts(node.value))
    return found


def compared(tree: ast.Module) -> Iterator[str]:
    """The texts that stand in comparisons, in cases of a match, or in constants named there."""
    named = constants(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            for side in (node.left, *node.comparators):
                yield from texts(side)
                for name in ast.walk(side):
                    if isinstance(name, ast.Name):
                        yield from named.get(name.id, ())
        elif isinstance(node, ast.MatchValue):
            yield from texts(node.value)


def test_every_text_that_the_code_compares_with_is_known() -> None:
    found = {(text, name) for name, tree in modules() for text in compared(tree)}
    unknown = {
        pair for pair in found if WORD.fullmatch(pair[0]) and pair[0] not in compared_texts(())
    }
    assert unknown == set(), "write them into render/spokerender/rendering/holding.py"
    assert {text for text, _ in found} > {"Terminate", "RequestRedirect", "Same", "HTTPS"}


def test_all_rows_count_where_slots_may_stand_for_anything() -> None:
    texts = compared_texts()
    for row in TABLE:
        assert {row.group, row.kind, *row.controller.names, *row.controller.classes} <= texts
    assert compared_texts(texts) == texts


@each("{0}", "{0}/v1", 'group: "{0}"', "{0}/issuer")
def test_rows_count_whose_group_is_in_a_text(text: str) -> None:
    for row in TABLE:
        texts = compared_texts([text.format(row.group)])
        assert {name for name in row.targets if name} | {row.kind, row.plural} <= texts


def test_what_finds_a_row_or_a_controller_always_counts() -> None:
    """A value of a spoke that is such a name is written out, so that it finds what it names."""
    texts = compared_texts(())
    assert texts >= {*GROUPS, *CONTROLLER_NAMES, *CLASS_NAMES}
    assert {row.kind for row in TABLE if row.group in (GATEWAY_API, "")} <= texts
    assert "AgentgatewayPolicy" not in texts

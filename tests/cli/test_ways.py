"""One metapolicy, written in every way there is: the trees are the same, byte for byte."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from spokerender.wings.metapolicies.config import MetapolicyDefinitionSpec
from tests.cli.project import Shell
from tests.support import each, rows_of
from tests.support.functions import FLEET, definition, program
from tests.support.metapolicies import QUOTA, ROUTE, RULES
from tests.support.stages import CLASS, GATEWAY, auth, hub, placement

GROUP = "gateway.networking.k8s.io"
READS = (
    f"[{{group: {GROUP}, kind: Gateway}}, {{group: {GROUP}, kind: HTTPRoute}}, "
    "{group: spokerender.io, kind: Spoke}]"
)
WRITES = "[{group: kuadrant.io, kind: RateLimitPolicy}, {group: kuadrant.io, kind: AuthPolicy}]"
"""It makes a limit for each hostname, a tenth for a free tier, and marks who has authenticated."""
AUTH = auth("closed", "kind: HTTPRoute, name: cart", "shop", spec='rules: {"a": {"b": [1]}}')
GONE = auth("gone", "kind: HTTPRoute, name: cart", "shop", spec="rules: {}")


@dataclass(frozen=True)
class Way:
    """A way to write it: the YAML of its key, and the files that it needs, by path.

    `programs` are in Python and can be executed.
    """

    says: str
    programs: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)


DECLARATIVE = rows_of(__file__, "declarative")

PYTHON = rows_of(__file__, "python")

EXEC: str = rows_of(__file__, "exec")

EXTENSION = rows_of(__file__, "extension")
STARTED = rows_of(__file__, "started")

TABLE = {
    "declarative": Way(DECLARATIVE),
    "python": Way("python: {file: quota.py}\n", files={"quota.py": PYTHON}),
    "exec": Way("exec: {path: ./function}\n", programs={"function": EXEC}),
    "extension": Way(
        "extension: quota\n", files={"quota/main.py": EXTENSION, "quota/extension.yaml": STARTED}
    ),
}
"""Each way that there is, by its key."""


def written(folder: Path, way: Way) -> None:
    """A project with the metapolicy in this way."""
    (folder / "hub").mkdir(parents=True)
    files = {
        "hub/hub.yaml": hub(CLASS, GATEWAY, ROUTE, AUTH, GONE, QUOTA),
        "placement.yaml": placement(RULES),
        "fleet.yaml": FLEET.replace("quota.yaml", "[quota.yaml, quota/]")
        if "quota/extension.yaml" in way.files
        else FLEET,
        "quota.yaml": definition(way.says, READS, WRITES),
        **way.files,
    }
    for path, text in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    for path, text in way.programs.items():
        program(folder, text, path)


def tree(folder: Path) -> dict[str, bytes]:
    """What a build has written, by path."""
    found = (folder / "clusters").rglob("*")
    return {str(each.relative_to(folder)): each.read_bytes() for each in found if each.is_file()}


def test_the_table_has_every_way() -> None:
    assert set(TABLE) == set(MetapolicyDefinitionSpec.alternatives)


@each(*(name for name in TABLE if name != "declarative"))
def test_trees_are_equal_whichever_way_it_is_written(name: str, empty: Shell) -> None:
    if name == "extension":
        pytest.importorskip("grpc", reason="grpcio is not installed")
    trees = []
    for number, way in enumerate((TABLE["declarative"], TABLE[name])):
        folder = Path(empty.folder) / str(number)
        written(folder, way)
        done = empty.run("build", str(folder), "--allow-project-code", "--check-pure")
        assert done.status == 0, done
        trees.append(tree(folder))
    assert trees[0] == trees[1]
    made = trees[0]["clusters/us/shop/ratelimitpolicy.kuadrant.io_fair-limits.yaml"].decode()
    assert "cart.us.example" in made
    assert "limit: 180" in made
    kept = trees[0]["clusters/us/shop/authpolicy.kuadrant.io_closed.yaml"].decode()
    assert "domain: us.example" in kept
    assert "rules: {}" in kept
    assert not any("gone" in path for path in trees[0])

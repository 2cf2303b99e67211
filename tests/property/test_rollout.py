"""The law of waves: who is done has what the sources render to, and no other folder changes."""

import contextlib
import io
import json
import shutil
import tempfile
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings, strategies as st

from spokerender.cli import run
from tests.cli.project import PROJECT
from tests.cli.test_placements import GATEWAY
from tests.support import cyaml, end_to_end as e2e, manifest
from tests.support.ocm import binding, documents, managed, placement
from tests.support.profiles import examples

NAMES = "abcdef"
STRATEGIES = (
    "{type: ProgressivePerGroup}",
    "{type: Progressive, progressive: {maxConcurrency: 2}}",
    "{type: Progressive, progressive: {maxConcurrency: 40%, mandatoryDecisionGroups: [{}]}}",
    "{type: All}",
)
LIMIT = manifest(
    "RateLimitPolicy infra/limit",
    "targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: web}, "
    "limits: {all: {rates: [{limit: 10, window: 1m}]}}",
)

Tree = dict[str, dict[str, bytes]]


class Project:
    """A project on disk, and what it would be without a rollout."""

    def __init__(self, folder: Path, strategy: str, is_placed: bool) -> None:
        self.folder, self.strategy, self.is_placed = folder, strategy, is_placed
        self.spokes, self.first, self.limit = set(NAMES[:4]), set("bc"), 10

    def write(self) -> None:
        """Write the sources."""
        first = sorted(self.first & self.spokes) or sorted(self.spokes)[:1]
        spokes = "".join(f"  - {{name: {name}}}\n" for name in sorted(self.spokes))
        fleet = (
            "apiVersion: spokerender.io/v1alpha1\nkind: Fleet\nspec:\n"
            "  policiesToSync: [{group: kuadrant.io, kind: RateLimitPolicy}]\n"
            "  delivery: {flux: {}}\n"
        )
        waves = f"groups: [{{name: first, spokes: {{names: [{', '.join(first)}]}}}}]"
        rules = "  rules:\n  - {gateways: {names: [infra/web]}, spokes: {all: true}}\n"
        sources = {**PROJECT}
        if self.is_placed:
            waves, spokes, rules = "placement: infra/web", "    []\n", ""
            sources |= {"hub/web.yaml": GATEWAY, "hub/ocm.yaml": self._inventory()}
        sources |= {
            "hub/limit.yaml": LIMIT.replace("10", str(self.limit)),
            "placement.yaml": "apiVersion: spokerender.io/v1alpha1\nkind: Placement\n"
            f"metadata: {{name: shop}}\nspec:\n  spokes:\n{spokes}{rules}",
            "fleet.yaml": f"{fleet}  rollout:\n    {waves}\n    strategy: {self.strategy}\n",
            "plain/fleet.yaml": fleet.replace("spec:\n", "spec:\n  hub: [../hub/]\n")
            + "  placement: ../placement.yaml\n",
        }
        e2e.write(self.folder, sources)

    def _inventory(self) -> str:
        """Return the objects of a hub that places the spokes, the first ones in a group."""
        group = "groupClusterSelector: {labelSelector: {matchLabels: {w: first}}}"
        spec = f"{{decisionGroups: [{{groupName: first, {group}}}], clustersPerDecisionGroup: 2}}"
        request = placement(f"{{decisionStrategy: {{groupStrategy: {spec}}}}}")
        clusters = [
            managed(name, "{w: first}" if name in self.first else "{}")
            for name in sorted(self.spokes)
        ]
        return documents(binding(), request, *clusters)

    def run(self, *arguments: str) -> int:
        """Run a command; what would go may go."""
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            return run(arguments)

    def build(self, wave: str | None = None) -> None:
        """Build, and allow what goes with spokes that left."""
        options = ["--wave", wave] if wave else []
        gone = sorted(read(self.folder / "clusters").keys() - self.spokes - {"_fleet"})
        # Of several that left, some may wait, some may be emptied in an earlier wave, and some may
        # go from the delivery alone.
        groups = [names for size in range(len(gone) + 1) for names in combinations(gone, size)]
        emptied = ([f"Gateway/infra/web@{name}" for name in names] for names in groups)
        kustomizations = ([f"Kustomization/flux-system/{n}" for n in names] for names in groups)
        for allowed in (*kustomizations, *groups, *emptied):
            flags = [f"--allow-delete={name}" for name in allowed]
            if self.run("build", str(self.folder), *options, *flags) == 0:
                return
        pytest.fail("the build is refused")

    def waves(self) -> list[dict[str, Any]]:
        """Return the waves, as a command tells them."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            assert run(["rollout", str(self.folder), "--format", "json"]) == 0
        waves: list[dict[str, Any]] = json.loads(out.getvalue())["waves"]
        return waves

    def left(self) -> set[str]:
        """Return the spokes that no decision names any more, and that keep their folders."""
        lock = self.folder / "placement.lock.yaml"
        return set(cyaml.safe_load(lock.read_bytes()).get("left", ())) if lock.exists() else set()

    def rendered(self) -> Tree:
        """Return the tree without a rollout."""
        lock = self.folder / "placement.lock.yaml"
        if lock.exists():  # spokes that left, and wait, are in it
            shutil.copy(lock, self.folder / "plain")
        with tempfile.TemporaryDirectory() as folder:
            assert self.run("build", str(self.folder / "plain"), "-o", folder) == 0
            return read(Path(folder))


def read(output: Path) -> Tree:
    """Read the files of each folder of an output."""
    tree: Tree = {}
    for path in sorted(output.rglob("*")):
        if path.is_file():
            folder, _, name = path.relative_to(output).as_posix().partition("/")
            tree.setdefault(folder, {})[name] = path.read_bytes()
    return tree


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("limit"), st.integers(11, 14).map(str)),
        st.tuples(st.just("spoke"), st.sampled_from(NAMES)),
        st.tuples(st.just("first"), st.sampled_from(NAMES)),
        st.tuples(st.just("wave"), st.sampled_from(["next", "all", ""])),
    ),
    min_size=1,
    max_size=3,
)


@given(st.sampled_from(STRATEGIES), st.booleans(), STEPS)
@example("{type: ProgressivePerGroup}", False, [("spoke", "a"), ("spoke", "b")])
@example("{type: ProgressivePerGroup}", True, [("spoke", "a"), ("limit", "11"), ("spoke", "a")])
@example("{type: Progressive, progressive: {maxConcurrency: 2}}", True, [("spoke", "a")])
@settings(max_examples=examples(30, house=2))
def test_a_build_writes_the_waves_that_are_done_and_nothing_else(
    strategy: str, is_placed: bool, steps: list[tuple[str, str]]
) -> None:
    """Takes six CPU seconds: every step is built with waves and without, and built again."""
    with tempfile.TemporaryDirectory() as folder:
        project = Project(Path(folder), strategy, is_placed)
        project.write()
        project.build("all")
        for step, what in [*steps, ("wave", "all")]:
            if step == "limit":
                project.limit = int(what)
            elif step == "spoke" and project.spokes ^ {what}:
                project.spokes ^= {what}
            elif step == "first":
                project.first ^= {what}
            project.write()
            before = read(project.folder / "clusters")
            project.build(what if step == "wave" else None)
            holds_law(project, before)


def holds_law(project: Project, before: Tree) -> None:
    """Hold the output against the law, given what was there before the build."""
    output = project.folder / "clusters"
    after, rendered = read(output), project.rendered()
    record = cyaml.safe_load(after["_fleet"].pop("rollout.yaml"))
    assert record.keys() == {"digest", "done"}
    waves = project.waves()
    assert record["done"] == [wave["name"] for wave in waves if wave["done"]]
    assert record["done"]
    if all(wave["done"] for wave in waves):
        assert after == rendered
        return
    done = {name for wave in waves if wave["done"] for name in wave["spokes"]}
    for name in done:
        assert after[name] == rendered[name]
    for name in (before.keys() | after.keys()) - done - {"_fleet"}:
        assert after.get(name) == before.get(name), name
    kustomizations = cyaml.safe_load_all(after["_fleet"]["flux/kustomizations.yaml"])
    delivered = {item["metadata"]["name"] for item in kustomizations}
    assert delivered == (after.keys() - {"_fleet"}) & (project.spokes | project.left())
    again = {**after, "_fleet": {**after["_fleet"]}}
    project.build()
    again["_fleet"]["rollout.yaml"] = read(output)["_fleet"]["rollout.yaml"]
    assert read(output) == again
    assert project.run("check", str(project.folder), "--only", "tree") == 0

"""`make bench`: every claim of speed in the README, measured side by side.

Run it on an idle machine. `--small` only proves that the scripts still work.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from benchmarks.changes import (
    change_every_object,
    change_in_ten_ways,
    raise_limit,
    rename_gateway,
    rename_hostnames,
)
from benchmarks.exports import write_live
from benchmarks.fleets import add_tests, write_fleet
from benchmarks.hostile import AUTHORS, HOSTILE, write_hostile
from benchmarks.hostile.sweeping import sweep_shape
from benchmarks.measure import Contender, compete, fresh, run, sweep
from benchmarks.overlays import write_overlays
from benchmarks.placed import PlacedBy, write_placed
from benchmarks.quotas import add_quotas
from benchmarks.tenants import write_copies, write_renaming, write_tenants
from spokerender.judging.validation.bundled import read_release
from spokerender.model.releases import find_releases

PYTHON = sys.executable
TOOL = (PYTHON, "-m", "spokerender")
KUSTOMIZE_SPOKES = 20
CRDS = ("gateway-api@v1.6.1/standard", "kuadrant@v1.5.2")


def main() -> None:
    """Parse the arguments and run every benchmark in a folder of its own."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--small", action="store_true", help="a few objects, one run")
    parser.add_argument("--runs", type=int, default=5, help="counted runs of each contender")
    parser.add_argument("--work", type=Path, help="where to write; memory if left out")
    options = parser.parse_args()
    sizes = (12, 36, 0) if options.small else (1000, 100, options.runs)
    memory = Path("/dev/shm")  # noqa: S108  (a benchmark of files wants the fastest there are)
    parent = options.work or (memory if os.access(memory, os.W_OK) else None)
    work = Path(tempfile.mkdtemp(prefix="spokerender-bench-", dir=parent))
    print(f"{os.cpu_count()} processors, Python {sys.version.split()[0]}, in {work}")
    try:
        measure(work, *sizes)
    finally:
        shutil.rmtree(work)


def measure(work: Path, spokes: int, objects: int, runs: int) -> None:
    """Run every benchmark."""
    project = work / "project"
    write_fleet(project, spokes=spokes, objects=objects)
    tree = work / "tree"
    run([*TOOL, "build", str(project), "-o", str(tree)])
    starting(runs)
    writing(work, project, tree, runs, f"{spokes} spokes x {objects} objects")
    sweep(work)
    unchanged(work, project, tree, runs)
    rolling_out(work, project, tree, runs)
    exposing(work, project, runs)
    judging(work, project, tree, runs, objects)
    observing(work, min(spokes, 50), objects, runs)
    naming(work, spokes, objects, runs)
    reviewing(
        work,
        project,
        runs,
        {
            "A renamed gateway": rename_gateway,
            "A raised limit": raise_limit,
            "Every spoke's hostnames": rename_hostnames,
            "Ten kinds of change at once": change_in_ten_ways,
        },
    )
    whole = work / "whole"
    write_fleet(whole, spokes=min(spokes, 300), objects=min(objects, 61))
    title = f"Every object has changed, {min(spokes, 300)} spokes x {min(objects, 61)} objects"
    reviewing(work, whole, runs, {title: change_every_object})
    one_policy(work, project, tree, runs)
    others(work, project, spokes, runs)
    sweep(work)
    few(work, runs)
    refusing(work, runs)
    placing(work, spokes, runs)
    enduring(work, runs)
    publishing(work, min(spokes, 100), objects, runs)
    sweep(work)
    metapolicies(work, spokes, objects, runs)
    programs(work, runs)
    sweep(work)
    growing(work, spokes, objects, runs)


def starting(runs: int) -> None:
    """How long it takes to start."""
    compete(
        "Start-up",
        [
            Contender("python -c pass", lambda _: [PYTHON, "-c", "pass"]),
            Contender("spokerender --help", lambda _: [*TOOL, "--help"]),
        ],
        runs=runs * 3,
    )


def _copy(source: Path, work: Path, name: str, number: int) -> list[str]:
    return ["cp", "-r", str(source), str(fresh(work, name, number))]


def _again(command: list[str], _: int) -> list[str]:
    return command


def _build(project: Path, work: Path, name: str, number: int) -> list[str]:
    return [*TOOL, "build", str(project), "-o", str(fresh(work, name, number))]


def writing(work: Path, project: Path, tree: Path, runs: int, size: str) -> None:
    """Into a fresh folder, beside a mere copy of the result."""
    one_file = work / "one-file"
    shutil.copytree(project, one_file)
    fleet = one_file / "fleet.yaml"
    fleet.write_text(fleet.read_text().replace("layout: object", "layout: spoke"))
    compete(
        f"A fresh tree, {size}",
        [
            Contender("cp -r of the finished tree", partial(_copy, tree, work, "copy")),
            Contender("spokerender build", partial(_build, project, work, "build")),
            Contender("spokerender build, layout: spoke", partial(_build, one_file, work, "one")),
        ],
        runs=runs,
    )


def unchanged(work: Path, project: Path, tree: Path, runs: int) -> None:
    """Nothing to do, beside a comparison of two ready trees."""
    twin = work / "twin"
    shutil.copytree(tree, twin)
    on = [str(project), "-o", str(tree)]
    compete(
        "Nothing has changed",
        [
            Contender(
                "diff -rq of two ready trees", lambda _: ["diff", "-rq", str(tree), str(twin)]
            ),
            Contender(
                "spokerender check --only tree", lambda _: [*TOOL, "check", "--only", "tree", *on]
            ),
            Contender("spokerender build", lambda _: [*TOOL, "build", *on]),
        ],
        runs=runs,
    )


def rolling_out(work: Path, project: Path, tree: Path, runs: int) -> None:
    """What a rollout adds where nothing has changed, and a change that ten spokes get first."""
    waves, twin, ten = (Path(tempfile.mkdtemp(dir=work)) for _ in range(3))
    for place, output in ((waves, twin), (ten, Path(tempfile.mkdtemp(dir=work)))):
        shutil.copytree(project, place, dirs_exist_ok=True)
        shutil.copytree(tree, output, dirs_exist_ok=True)
        fleet = place / "fleet.yaml"
        first = ", ".join(sorted(path.name for path in tree.iterdir() if path.name[0] != "_")[:10])
        rollout = (
            f"rollout: {{groups: [{{name: ten, spokes: {{names: [{first}]}}}}, {{name: rest}}]}}"
        )
        fleet.write_text(fleet.read_text().replace("spec: {", f"spec: {{{rollout}, "))
        run([*TOOL, "build", str(place), "-o", str(output), "--wave", "all"])
    source = ten / "hub" / "team-0.yaml"
    text = source.read_text()

    def change(number: int) -> list[str]:
        source.write_text(text.replace("window: 10s", f"window: {20 + number}s", 1))
        return [*TOOL, "build", str(ten), "-o", str(output)]

    compete(
        "Waves",
        [
            Contender(
                "spokerender build, nothing has changed",
                lambda _: [*TOOL, "build", str(project), "-o", str(tree)],
            ),
            Contender(
                "the same with spec.rollout",
                lambda _: [*TOOL, "build", str(waves), "-o", str(twin)],
            ),
            Contender("a limit is otherwise, for a wave of ten spokes", change),
        ],
        runs=runs,
    )


def exposing(work: Path, project: Path, runs: int) -> None:
    """What the files of the exposure add to a build into a fresh folder."""
    exposed = work / "exposed"
    shutil.copytree(project, exposed)
    fleet = exposed / "fleet.yaml"
    fleet.write_text(fleet.read_text().replace("spec: {", "spec: {exposure: true, "))
    compete(
        "Exposure",
        [
            Contender("spokerender build", partial(_build, project, work, "plain")),
            Contender("the same with spec.exposure", partial(_build, exposed, work, "exposed")),
        ],
        runs=runs,
    )


def judging(work: Path, project: Path, tree: Path, runs: int, objects: int) -> None:
    """What `check` adds to a comparison: policies, validation by real CRDs, tests; and `ask`."""
    judged = work / "judged"
    shutil.copytree(project, judged)
    fleet = judged / "fleet.yaml"
    fleet.write_text(fleet.read_text().replace("spec: {", f"spec: {{crds: [{', '.join(CRDS)}], "))
    check = [*TOOL, "check", str(judged), "-o", str(tree)]
    tested = work / "tested"
    shutil.copytree(judged, tested)
    add_tests(tested, objects=objects, count=100)
    compete(
        "A true tree, judged",
        [
            Contender("check --only tree", lambda _: [*check, "--only", "tree"]),
            Contender(
                "the same, and --only policies",
                lambda _: [*check, "--only", "tree", "--only", "policies"],
            ),
            Contender("spokerender check, with carried CRDs", lambda _: check),
            Contender(
                "the same, with 100 tests of requests",
                lambda _: [*TOOL, "check", str(tested), "-o", str(tree)],
            ),
            Contender(
                "spokerender ask",
                lambda _: [*TOOL, "ask", "https://service-0.example/", str(judged)],
            ),
        ],
        runs=runs,
    )


def observing(work: Path, spokes: int, objects: int, runs: int) -> None:
    """Exports of all spokes held against what is foretold, beside a check of the same project."""
    project, exports = work / "observed", work / "exports"
    write_fleet(project, spokes=spokes, objects=objects)
    run([*TOOL, "build", str(project)])
    write_live(project, exports)
    compete(
        f"Status back, {spokes} spokes x {objects} objects",
        [
            Contender("spokerender check", lambda _: [*TOOL, "check", str(project)]),
            Contender(
                "spokerender status --from",
                lambda _: [*TOOL, "status", str(project), "--from", str(exports)],
            ),
        ],
        runs=runs,
    )


def naming(work: Path, spokes: int, objects: int, runs: int) -> None:
    """What `check` adds to a comparison where each spoke calls its gateway otherwise."""
    project, tree = work / "named", work / "named-tree"
    write_fleet(project, spokes=spokes, objects=objects, name="web-{{ spoke.name }}")
    run([*TOOL, "build", str(project), "-o", str(tree)])
    check = [*TOOL, "check", str(project), "-o", str(tree)]
    compete(
        "Gateways named by spoke",
        [
            Contender("check --only tree", lambda _: [*check, "--only", "tree"]),
            Contender("spokerender check", lambda _: check),
        ],
        runs=runs,
    )


def reviewing(
    work: Path, project: Path, runs: int, changes: Mapping[str, Callable[[Path], None]]
) -> None:
    """What a review of each change takes beside a full check, by title."""
    committed = Path(tempfile.mkdtemp(dir=work))
    shutil.copytree(project, committed, dirs_exist_ok=True)
    run([*TOOL, "build", str(committed)])
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "before"]):
        run(["git", "-C", str(committed), "-c", "user.name=x", "-c", "user.email=x@x", *words])
    for title, change in changes.items():
        place = fresh(work, "changed", 0)
        shutil.copytree(committed, place)
        change(place)
        # A copy has other files than its index knows, and Git would read all of them each time.
        run(["git", "-C", str(place), "update-index", "-q", "--refresh"], expect=(0, 1))
        commands = (
            ["check"],
            ["diff", "--against", "HEAD"],
            ["review", "--against", "HEAD"],
            ["check", "--against", "HEAD"],
        )
        # All of them find something, and print it to both streams.
        whatever = ["sh", "-c", '"$@" 2>/dev/null; test $? -le 1', "sh", *TOOL]
        compete(
            title,
            [
                Contender(
                    f"spokerender {' '.join(words)}",
                    partial(_name_project, [*whatever, words[0]], place, words[1:]),
                )
                for words in commands
            ],
            runs=runs,
        )
        sweep(work)


def _name_project(command: list[str], place: Path, more: list[str], _: int) -> list[str]:
    return [*command, str(place), *more]


LIMITS = "team-0/ratelimitpolicy.kuadrant.io_limit-0.yaml"


def one_policy(work: Path, project: Path, tree: Path, runs: int) -> None:
    """One policy of the hub changes: only its files are written, and what it protects is compared.

    Of the first nothing can change but what its rules say; of the second, a kind whose rules nobody
    has described, everything is judged before and after.
    """
    compete(
        "One policy has changed",
        [
            Contender(
                "spokerender build, nothing has changed",
                lambda _: [*TOOL, "build", str(project), "-o", str(tree)],
            ),
            _changed(work, "a limit", ("window: 10s", "window: {}s")),
            _changed(work, "a backend's name", ("internal.example", "inner-{}.example")),
            Contender(
                "its files written, and nothing else",
                lambda _: [PYTHON, "-m", "benchmarks.rewriting", str(tree), LIMITS],
            ),
        ],
        runs=runs,
    )


def _changed(work: Path, what: str, edit: tuple[str, str]) -> Contender:
    """A build of a copy of the project in which something is otherwise each time."""
    own, twin = (Path(tempfile.mkdtemp(dir=work)) / name for name in ("project", "tree"))
    shutil.copytree(work / "project", own)
    shutil.copytree(work / "tree", twin)
    source = own / "hub" / "team-0.yaml"
    text = source.read_text()

    def change(number: int) -> list[str]:
        source.write_text(text.replace(edit[0], edit[1].format(20 + number), 1))
        return [*TOOL, "build", str(own), "-o", str(twin)]

    return Contender(f"spokerender build, {what} is otherwise", change)


def others(work: Path, project: Path, spokes: int, runs: int) -> None:
    """Other ways to the same fleet."""
    count = min(KUSTOMIZE_SPOKES, spokes)
    naive = [PYTHON, "-m", "benchmarks.naive", str(project / "hub")]
    contenders = [
        Contender("spokerender build", partial(_build, project, work, "ours")),
        Contender(
            f"PyYAML (C): load, deepcopy, set, dump, {count} spokes",
            lambda n: [*naive, str(fresh(work, "naive", n)), str(count)],
            scale=spokes / count,
        ),
    ]
    if shutil.which("kubectl"):
        overlays = write_overlays(work / "overlays", project / "hub", spokes=count)
        contenders.append(
            Contender(
                f"kubectl kustomize, a process per spoke, {count} spokes",
                lambda _: _kustomize(overlays),
                scale=spokes / count,
            )
        )
    compete("Other ways", contenders, runs=min(runs, 3))


def _kustomize(overlays: list[Path]) -> list[str]:
    script = " && ".join(f"kubectl kustomize {overlay}" for overlay in overlays)
    return ["sh", "-c", script]


def publishing(work: Path, workspaces: int, objects: int, runs: int) -> None:
    """Copies for workspaces, beside the same copies in a hub, and other ways to make them."""
    project, hub, tree = work / "tenants", work / "copies", work / "tenants-tree"
    write_tenants(project, workspaces=workspaces, objects=objects)
    run([*TOOL, "build", str(project), "-o", str(tree)])
    write_copies(hub, tree)
    renaming = [PYTHON, "-m", "benchmarks.renaming", str(project / "workspaces")]
    contenders = [
        Contender("spokerender build", partial(_build, project, work, "tenants-out")),
        Contender("the same copies, lying in hub/", partial(_build, hub, work, "copies-out")),
        Contender(
            "PyYAML (C): load, copy, rename, dump, write",
            lambda n: [*renaming, str(fresh(work, "renaming", n))],
        ),
    ]
    if shutil.which("kubectl"):
        overlays = write_renaming(work / "renaming", project)
        contenders.append(
            Contender("kubectl kustomize, a process per workspace", lambda _: _kustomize(overlays))
        )
    title = f"Publishing, {workspaces} workspaces x {objects} objects"
    compete(title, contenders, runs=min(runs, 3))
    schemas(work, runs)


def schemas(work: Path, runs: int) -> None:
    """The schemas of real CRDs, beside reading them."""
    folder = fresh(work, "crds", 0)
    folder.mkdir()
    crds = [crd for name in CRDS for each in find_releases(name) for crd in read_release(each)]
    paths = [folder / f"{crd['metadata']['name']}.yaml" for crd in crds]
    for path, crd in zip(paths, crds, strict=True):
        path.write_text(json.dumps(crd), encoding="utf-8")
    names = [str(path) for path in paths]
    compete(
        f"Schemas of {len(crds)} CRDs",
        [
            Contender("reading them", lambda _: [PYTHON, "-m", "benchmarks.schemas", *names]),
            Contender(
                "reading, projecting, hashing, writing",
                lambda n: [
                    PYTHON,
                    "-m",
                    "benchmarks.schemas",
                    f"--to={fresh(work, 'schemas', n)}",
                    *names,
                ],
            ),
        ],
        runs=runs,
    )


def metapolicies(work: Path, spokes: int, objects: int, runs: int) -> None:
    """Metapolicies in YAML and in Python, beside the same fleet without any.

    Of ten, five come to something else on every spoke; of a hundred, each to ten things in all.
    """
    plain = work / "quotas-none"
    write_fleet(plain, spokes=spokes, objects=objects)
    contenders = [Contender("without metapolicies", partial(_build, plain, work, "quotas-out"))]
    for way in ("declarative", "python"):
        for kinds, title in (
            ({"hostname": 5, "none": 5}, "ten, half of them spoke by spoke"),
            ({"ten": objects}, f"{objects}, of ten inputs each"),
        ):
            project = work / f"quotas-{way}-{len(kinds)}"
            write_fleet(project, spokes=spokes, objects=objects)
            for own, count in kinds.items():
                add_quotas(project, way, own, count=count, routes=max(1, (objects - 2) // 6))
            contenders.append(Contender(f"{way}: {title}", partial(_trusting, project, work)))
    compete(f"Metapolicies, {spokes} spokes x {objects} objects", contenders, runs=min(runs, 3))


def programs(work: Path, runs: int) -> None:
    """What it costs that a metapolicy is a program: it is asked once for each spoke."""
    ways = ["declarative", "python", "exec"]
    if importlib.util.find_spec("grpc") is not None:
        ways.append("extension")
    contenders = []
    for way in ways:
        project = work / f"program-{way}"
        write_fleet(project, spokes=KUSTOMIZE_SPOKES, objects=30)
        add_quotas(project, way, "ten", count=1, routes=1)
        contenders.append(Contender(way, partial(_trusting, project, work)))
    compete(f"One metapolicy, {KUSTOMIZE_SPOKES} inputs", contenders, runs=runs)


def _trusting(project: Path, work: Path, number: int) -> list[str]:
    return [*_build(project, work, f"{project.name}-out", number), "--allow-project-code"]


def few(work: Path, runs: int) -> None:
    """A small fleet, where starting is most of the work."""
    project = work / "few"
    write_fleet(project, spokes=KUSTOMIZE_SPOKES, objects=30)
    contenders = [Contender("spokerender build", partial(_build, project, work, "few-out"))]
    if shutil.which("kubectl"):
        overlays = write_overlays(work / "few-o", project / "hub", spokes=KUSTOMIZE_SPOKES)
        contenders.append(
            Contender("kubectl kustomize, a process per spoke", lambda _: _kustomize(overlays))
        )
    compete("20 spokes x 30 objects", contenders, runs=runs)


def refusing(work: Path, runs: int) -> None:
    """Small projects that were written to cost much, beside an honest one."""
    honest = work / "honest"
    write_fleet(honest, spokes=KUSTOMIZE_SPOKES, objects=30)
    contenders = [Contender("build, 20 spokes x 30 objects", partial(_build, honest, work, "ho"))]
    for name in HOSTILE:
        refuse = ["sh", "-c", f'{" ".join(TOOL)} build "$0" 2>&1; test $? = 2']
        command = [*refuse, str(write_hostile(work / "hostile", name))]
        contenders.append(Contender(f"refused: {name}", partial(_again, command)))
    compete("Refusals of 100 KB", contenders, runs=runs)


def placing(work: Path, clusters: int, runs: int) -> None:
    """Gateways that a hub's Placements place, beside the same number of places written out."""
    contenders = []
    for name, kind in (
        ("build, written out", PlacedBy.US),
        ("build, 20 Placements", PlacedBy.HUB),
        ("build, with an expression each", PlacedBy.EXPRESSIONS),
    ):
        project = work / f"placed-{kind.value}"
        write_placed(project, clusters, kind)
        run([*TOOL, "build", str(project)])
        contenders.append(Contender(name, partial(_again, [*TOOL, "build", str(project)])))
    compete(f"20 Placements over {clusters} clusters", contenders, runs=runs)


def enduring(work: Path, runs: int) -> None:
    """Whatever anybody may write: 100 KB of it, and where that costs much, less of it."""
    for author, shapes in AUTHORS.items():
        print(f"\n100 KB of {author}")
        for shape in shapes if runs else shapes[:1]:
            for command in shape.commands:
                with tempfile.TemporaryDirectory(dir=work) as folder:
                    print(sweep_shape(shape, command, 100_000 if runs else 2_000, Path(folder)))


def growing(work: Path, spokes: int, objects: int, runs: int) -> None:
    """Twice the spokes, twice the objects: time and memory."""
    contenders = []
    for name, size in (
        (f"{spokes} x {objects}", (spokes, objects)),
        (f"{2 * spokes} x {objects}", (2 * spokes, objects)),
        (f"{spokes} x {2 * objects}", (spokes, 2 * objects)),
    ):
        project = work / f"growing-{name.replace(' ', '')}"
        write_fleet(project, spokes=size[0], objects=size[1])
        contenders.append(Contender(name, partial(_build, project, work, f"{project.name}-out")))
    compete("Growth", contenders, runs=min(runs, 2))


if __name__ == "__main__":
    main()

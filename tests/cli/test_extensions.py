"""Projects with an extension: what is refused, what is shown, and that nothing of it is left."""

import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.project import Done, call
from tests.conftest import ROOT
from tests.edge.processes.programs import LONG, all_end
from tests.support import cases, rows_of
from tests.support.ending import FAMILY, TIMES, end_at_any_moment
from tests.support.extensions import BELOW, EXTENSION, GOOD, SERVE, project_with
from tests.support.functions import quotas

pytest.importorskip("grpc", reason="grpcio is not installed")

MADE = "clusters/us/shop/ratelimitpolicy.kuadrant.io_fair-limits.yaml"
NOTING = f'NOTES = "../pids"\n{FAMILY}'
SLOW = NOTING + GOOD.replace("    task.make(", "    time.sleep(0.1)\n    task.make(")


@pytest.fixture(autouse=True)
def sockets(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where sockets are."""
    with tempfile.TemporaryDirectory(prefix="sr-", dir="/tmp") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        yield Path(folder)


def build(folder: Path, *more: str) -> Done:
    """A build that may run what the project has."""
    return call("build", str(folder), "--allow-project-code", *more)


def refused(folder: Path, *more: str) -> str:
    """What is told where a build is refused: nothing is written."""
    done = build(folder, *more)
    assert (done.status, done.out) == (2, "")
    assert not (folder / "clusters").exists()
    return done.err.replace(f"{folder}/", "")


def test_no_command_starts_one_unless_it_may(tmp_path: Path) -> None:
    folder = project_with(tmp_path / "project", NOTING + GOOD)
    for command in ("build", "check", "status", "metapolicies"):
        done = call(command, str(folder))
        assert done.status == 2
        said = "error SR2814 spec.extension: the extension fair belongs to the project"
        assert said in done.err
        assert "quota.yaml:" in done.err
    assert not (folder / "pids").exists()


def test_what_it_makes_is_judged_and_told_like_anything(tmp_path: Path, sockets: Path) -> None:
    folder = project_with(tmp_path / "project")
    done = build(folder, "--verbose")
    assert done.status == 0, done
    assert "limit: 3" in (folder / MADE).read_text(encoding="utf-8")
    assert "extension fair: 1 run in " in done.err
    assert call("check", str(folder), "--allow-project-code", "--only", "tree").status == 0
    assert list(sockets.iterdir()) == []


def test_one_answer_does_for_all_spokes_where_it_does_not_read_them(tmp_path: Path) -> None:
    same = project_with(tmp_path / "same")
    other = project_with(tmp_path / "other", reads="[{group: spokerender.io, kind: Spoke}]")
    assert "extension fair: 1 run in " in build(same, "-v").err
    assert "extension fair: 2 runs in " in build(other, "-v").err


def test_what_it_writes_on_stderr_is_shown(tmp_path: Path) -> None:
    said = """\
    print("plain \\033[31mred", file=sys.stderr, flush=True)
    extension.log.warning("::set-output name=x::y")
    extension.log.info("quietly")
    task.make("""
    text = "import sys\n" + GOOD.replace("    task.make(", said)
    folder = project_with(tmp_path / "project", text)
    lines = [line for line in build(folder).err.splitlines() if line.startswith("extension")]
    assert lines == [
        r"extension fair: plain \x1b[31mred",
        "extension fair: WARNING: ::set-output name=x::y",
    ]
    assert "extension fair" not in build(folder, "-q").err


@cases(
    ("raise SystemExit(4)\n", "it ended with status 4, before it listened"),
    (BELOW + 'def transform(_): return message("Reply", item_json=[b"{"])\n' + SERVE,
     "it returns an item that can't be read"),
    (BELOW + f"def transform(_): time.sleep({LONG})\n" + SERVE,
     "it does not answer Transform within 5 seconds"),
    (GOOD.replace("1.0.0", "2.0.0"), "it claims that its version is '2.0.0', not '1.0.0'"),
)  # fmt: skip
def test_a_bad_one_is_told_with_its_place_and_nothing_is_written(
    text: str, said: str, tmp_path: Path, sockets: Path
) -> None:
    short = EXTENSION.replace("main.py}", "main.py, startSeconds: 60, answerSeconds: 5}")
    folder = project_with(tmp_path / "project", NOTING + text, short)
    told = refused(folder)
    assert f"error SR2820 QuotaPolicy shop/fair: the extension fair fails: {said}" in told
    assert "(quota, " in told
    assert "quota.yaml:8)" in told
    pids = (folder / "pids").read_text(encoding="utf-8").split()
    assert all_end(list(map(int, pids)))
    assert list(sockets.iterdir()) == []


def test_what_it_may_not_write_is_refused(tmp_path: Path) -> None:
    text = GOOD.replace('"kind": "RateLimitPolicy"', '"kind": "AuthPolicy"')
    told = refused(project_with(tmp_path / "project", text))
    assert (
        "error SR2805 QuotaPolicy shop/fair: the function writes AuthPolicy shop/fair-limits"
        in told
    )


def test_one_that_answers_the_same_differently_is_not_pure(tmp_path: Path) -> None:
    text = "import time\n" + GOOD.replace("task.spec[", "time.time_ns() or task.spec[")
    folder = project_with(tmp_path / "project", text)
    assert "error SR2817" in refused(folder, "--check-pure")


@cases(*rows_of(__file__, "a_wrong_file_is_told"))
def test_a_wrong_file_is_told(said: str, place: str, tmp_path: Path) -> None:
    head, _, _ = EXTENSION.partition("spec:")
    told = refused(project_with(tmp_path / "project", GOOD, f"{head}{said}\n"))
    assert place in told


def test_an_extension_that_is_not_there_is_told(tmp_path: Path) -> None:
    told = refused(quotas(tmp_path / "project", "extension: fiar\n"))
    assert 'quota.yaml:8: error SR1105 spec.extension: there is no extension "fiar"' in told


def test_the_example_makes_what_the_declarative_one_makes(tmp_path: Path) -> None:
    """With warnings as errors, and twice."""
    example = ROOT / "examples/metapolicies"
    shutil.copytree(example, tmp_path / "example")
    done = build(tmp_path / "example/extension", "--strict", "--check-pure")
    assert done.status == 0, done
    made = {
        path.relative_to(example / "clusters"): path.read_bytes()
        for path in (example / "clusters").rglob("*")
        if path.is_file()
    }
    output = tmp_path / "example/extension/clusters"
    assert {
        path.relative_to(output): path.read_bytes() for path in output.rglob("*") if path.is_file()
    } == made


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found by /proc")
@TIMES
def test_it_may_be_ended_at_any_moment(tmp_path: Path, sockets: Path, times: int) -> None:
    """Only a run that is killed leaves its socket."""
    folder = project_with(tmp_path / "project", SLOW)
    before: set[Path] = set()

    def ended(number: signal.Signals) -> None:
        left = set(sockets.iterdir())
        if number != signal.SIGKILL:
            assert left <= before, "it left its socket"
        before.update(left)

    end_at_any_moment(folder, times, ended)
    assert set(sockets.iterdir()) <= before


def test_a_first_answer_that_never_comes_is_told_with_its_costs(tmp_path: Path) -> None:
    hangs = BELOW + f"def transform(_): time.sleep({LONG})\n" + SERVE
    short = EXTENSION.replace("main.py}", "main.py, startSeconds: 60, answerSeconds: 1}")
    told = refused(project_with(tmp_path / "project", hangs, short), "-v")
    assert "ZeroDivisionError" not in told
    assert "internal error" not in told
    assert "error SR2820" in told
    assert "extension fair: 1 run in " in told

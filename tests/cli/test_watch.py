"""`build --watch`: built again when something changes, as long as nobody ends it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.project import Shell
from tests.edge.processes.programs import is_alive
from tests.support import cases
from tests.support.extensions import WATCHING, project_with
from tests.support.functions import quotas
from tests.support.metapolicies import limits

pytest.importorskip("watchfiles", reason="watchfiles is not installed")

DECLARATIVE = "declarative:\n" + "".join(f"  {line}\n" for line in limits().splitlines())
SECONDS = 60


class Watching:
    """A build that watches a project, and what it says."""

    def __init__(self, folder: Path, said: Path) -> None:
        """Start it."""
        self.folder, self._said = folder, said
        command = [sys.executable, "-m", "spokerender", "build", "--watch", "--allow-project-code"]
        with said.open("wb") as file:
            self.process = subprocess.Popen(
                [*command, str(folder)], stdout=file, stderr=subprocess.STDOUT
            )

    @property
    def text(self) -> str:
        """What it has said so far."""
        return self._said.read_text(encoding="utf-8")

    def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until something is so."""
        end = time.monotonic() + SECONDS
        while not is_so():
            assert time.monotonic() < end, self.text
            assert self.process.poll() is None, self.text
            time.sleep(0.02)

    def says(self, word: str, times: int = 1) -> None:
        """Wait until it has said that so often."""
        self.until(lambda: self.text.count(word) >= times)

    def ends(self, number: int) -> int:
        """End it by a signal; its exit status."""
        self.process.send_signal(number)
        return self.process.wait(SECONDS)

    def limit(self) -> str:
        """The line of the limit that is rendered."""
        path = self.folder / "clusters/us/shop/ratelimitpolicy.kuadrant.io_fair-limits.yaml"
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        return next((line.strip() for line in text.splitlines() if "limit:" in line), "")

    def ask(self, limit: object) -> None:
        """Write another number into the metapolicy."""
        hub = self.folder / "hub" / "hub.yaml"
        head, _, _ = hub.read_text(encoding="utf-8").rpartition("perMinute:")
        fresh = hub.with_suffix(".new")
        fresh.write_text(f"{head}perMinute: {limit}\n", encoding="utf-8")
        fresh.replace(hub)  # as editors do


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[Callable[[Path], Watching]]:
    started: list[Watching] = []

    def start(folder: Path) -> Watching:
        started.append(Watching(folder, tmp_path / "said"))
        return started[-1]

    yield start
    for each in started:
        if each.process.poll() is None:
            each.process.kill()
            each.process.wait()


def test_it_builds_again_goes_on_after_errors_and_ends_when_told(
    tmp_path: Path, watching: Callable[[Path], Watching]
) -> None:
    found = watching(quotas(tmp_path / "project", DECLARATIVE))
    found.says("created")
    assert found.limit() == "- limit: 3"
    found.ask(4)
    found.says("updated")
    found.until(lambda: found.limit() == "- limit: 4")
    found.ask("[")
    found.says("error")
    assert found.limit() == "- limit: 4", "nothing is written of what is wrong"
    found.ask(5)
    found.until(lambda: found.limit() == "- limit: 5")
    assert "changed: " in found.text
    assert "hub.yaml" in found.text
    assert found.ends(signal.SIGINT) == 130
    assert "Traceback" not in found.text


def test_another_fleet_file_leads_to_other_files(
    tmp_path: Path, watching: Callable[[Path], Watching]
) -> None:
    folder = quotas(tmp_path / "project", DECLARATIVE)
    found = watching(folder)
    found.says("created")
    (folder / "more").mkdir()
    text = (folder / "hub/hub.yaml").read_text(encoding="utf-8")
    (folder / "hub/hub.yaml").unlink()
    (folder / "more/hub.yaml").write_text(text.replace("perMinute: 3", "perMinute: 7"))
    fleet = (folder / "fleet.yaml").read_text(encoding="utf-8")
    (folder / "fleet.yaml").write_text(fleet.replace("spec: {", "spec: {hub: [more/], "))
    found.until(lambda: found.limit() == "- limit: 7")
    (folder / "more/hub.yaml").write_text(text.replace("perMinute: 3", "perMinute: 8"))
    found.until(lambda: found.limit() == "- limit: 8")
    assert found.ends(signal.SIGTERM) == -signal.SIGTERM


def test_an_extension_stays_up_and_hears_of_changes(
    tmp_path: Path, watching: Callable[[Path], Watching]
) -> None:
    pytest.importorskip("grpc", reason="grpcio is not installed")
    folder = project_with(tmp_path / "project", WATCHING)
    found = watching(folder)
    found.says("created")
    (pid,) = map(int, (folder / "pids").read_text().split())
    hub = folder / "hub/hub.yaml"
    text = hub.read_text(encoding="utf-8")
    hub.write_text(text.replace("cart.shop.example", "basket.shop.example"), encoding="utf-8")
    found.says("heard", 2)
    said = sorted(line for line in found.text.splitlines() if "heard" in line)
    assert said == [
        "extension fair: warning: heard fair on eu: ['basket.eu.example']",
        "extension fair: warning: heard fair on us: ['basket.us.example']",
    ]
    found.ask(6)
    found.until(lambda: found.limit() == "- limit: 6")
    assert found.text.count("heard") == 2, "its hostnames are as they were"
    assert (folder / "pids").read_text().split() == [str(pid)]
    os.kill(pid, signal.SIGKILL)
    found.ask(7)
    found.until(lambda: found.limit() == "- limit: 7")
    program = folder / "extension/main.py"
    program.write_text(program.read_text().replace('"1m"', '"2m"'), encoding="utf-8")
    made = folder / "clusters/us/shop/ratelimitpolicy.kuadrant.io_fair-limits.yaml"
    found.until(lambda: 'window: "2m"' in made.read_text(encoding="utf-8"))
    pids = list(map(int, (folder / "pids").read_text().split()))
    assert len(pids) == 3
    assert found.ends(signal.SIGINT) == 130
    assert not any(map(is_alive, pids))


@cases(
    (["-o", "-"], "--watch and -o - cannot be used together"),
    (["--allow-delete", "x", "--reason", "y"], "--watch can't be used with --reason or --wave"),
)
def test_what_does_not_go_with_it_is_told(arguments: list[str], message: str, empty: Shell) -> None:
    folder = quotas(empty.folder / "project", DECLARATIVE)
    done = empty.run("build", "--watch", str(folder), *arguments)
    assert done.status == 2
    assert message in done.err

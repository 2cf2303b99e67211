"""Ten spokes and three waves in one Git repository: what is printed and written at each step.

Every step changes the sources as people do, builds, checks against the last commit, and commits,
as in a pull request.
"""

import json
import re
import shutil
from pathlib import Path

import pytest

from spokerender.cli import run
from tests.cli.project import ANSWERED, PROJECT, Done, Shell
from tests.support import cyaml, end_to_end as e2e, text_of
from tests.support.exports import make_exports, write_exports
from tests.support.git import commit_all, needs_git, run_git

pytestmark = needs_git

SPOKES = [f"s{number}" for number in range(10)]
ROLLOUT = text_of(__file__, "waves_rollout.yaml")
FLEET = text_of(__file__, "waves_fleet.yaml")
LIMIT = text_of(__file__, "waves_limit.yaml")


def placement(spokes: list[str]) -> str:
    """Spokes 0 to 4 are in Europe."""
    entries = "".join(
        f"  - {{name: {name}, labels: {{region: {'eu' if int(name[1:]) < 5 else 'us'}}}}}\n"
        for name in spokes
    )
    return (
        "apiVersion: spokerender.io/v1alpha1\nkind: Placement\nmetadata: {name: shop}\nspec:\n"
        f"  spokes:\n{entries}"
        "  rules:\n  - {gateways: {names: [infra/web]}, spokes: {all: true}}\n"
    )


class Fleet:
    """A project in a repository."""

    def __init__(self, shell: Shell) -> None:
        self.shell, self.folder = shell, shell.folder

    def build(self, *options: str) -> Done:
        """Build, which has to work; the tree is true then, so that nothing is left to do."""
        done = self.shell.run("build", *options)
        assert done.status == 0, done.err
        self.shell.succeed("check", "--only", "tree")
        return done

    def refuse(self, *options: str) -> str:
        """Build, which is refused; nothing on disk changes."""
        before = self.tree()
        done = self.shell.run("build", *options)
        assert done.status == 2
        assert self.tree() == before
        return done.err

    def check(self, *codes: str, revision: str = "HEAD") -> Done:
        """Check against the last commit; errors and warnings have these codes."""
        done = self.shell.run("check", "--against", revision)
        assert re.findall(r"(?:error|warning) (SR\d+)", done.err) == list(codes), done.err
        assert (done.status == 0) == (not codes)
        return done

    def commit(self) -> None:
        """Commit all that there is."""
        commit_all(self.folder, "step")

    def limit(self, number: int) -> None:
        """Set the limit of the hub's policy."""
        self.shell.write({"hub/limit.yaml": LIMIT.replace("limit: 10", f"limit: {number}")})

    def limits(self) -> dict[str, int]:
        """The limit that each spoke has."""
        return {
            path.parts[-3]: cyaml.safe_load(path.read_text())["spec"]["limits"]["all"]["rates"][0][
                "limit"
            ]
            for path in sorted(self.folder.glob("clusters/s*/infra/ratelimitpolicy*.yaml"))
        }

    def tree(self) -> dict[str, bytes]:
        """Every rendered file, by its path in the output."""
        output = self.folder / "clusters"
        files = sorted(path for path in output.rglob("*") if path.is_file())
        return {path.relative_to(output).as_posix(): path.read_bytes() for path in files}

    def changed(self) -> set[str]:
        """The folders of the output that are not as they are committed."""
        lines = run_git(self.folder, "status", "--porcelain", "--untracked-files=all").splitlines()
        return {line[3:].split("/")[1] for line in lines if line[3:].startswith("clusters/")}

    def record(self) -> dict[str, object]:
        """The record of the rollout."""
        data: dict[str, object] = cyaml.safe_load(
            (self.folder / "clusters/_fleet/rollout.yaml").read_text()
        )
        return data

    def delivered(self) -> list[str]:
        """The spokes that Flux is told of."""
        text = (self.folder / "clusters/_fleet/flux/kustomizations.yaml").read_text()
        return [item["metadata"]["name"] for item in cyaml.safe_load_all(text)]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository that every step begins with: a fleet that is built, and then has waves."""
    folder = tmp_path_factory.mktemp("waves")
    sources = {**PROJECT, "hub/web.yaml": ANSWERED, "hub/limit.yaml": LIMIT}
    sources["placement.yaml"] = placement(SPOKES)
    run_git(folder, "init", "--quiet", "--initial-branch=main")
    for fleet in (FLEET, FLEET + ROLLOUT):
        e2e.write(folder, {**sources, "fleet.yaml": fleet})
        for command in (["build"], ["check", "--only", "tree"]):
            assert run([*command, str(folder)]) == 0
        commit_all(folder, "step")
    return folder


@pytest.fixture
def fleet(
    repository: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Fleet:
    shutil.copytree(repository, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return Fleet(Shell(tmp_path, capsys))


def test_a_change_goes_out_in_three_pull_requests(fleet: Fleet) -> None:
    assert fleet.record()["done"] == ["canary"]
    assert set(fleet.record()) == {"digest", "done"}
    fleet.limit(20)
    stale = fleet.shell.run("check", "--only", "tree")
    assert (stale.status, "clusters: stale, 2 files" in stale.out) == (1, True)
    done = fleet.build()
    assert fleet.changed() == {"_fleet", "s0"}
    waits = "waves: canary done; europe and world wait, 9 spokes\n"
    assert waits in done.out
    assert waits in fleet.check().out
    fleet.commit()
    assert (
        "waves: canary and europe done; world waits, 5 spokes" in fleet.build("--wave", "next").out
    )
    assert fleet.changed() == {"_fleet", "s1", "s2", "s3", "s4"}
    fleet.check()
    fleet.commit()
    assert "waves:" not in fleet.build("--wave", "world").out
    assert fleet.changed() == {"_fleet", "s5", "s6", "s7", "s8", "s9"}
    assert "waves:" not in fleet.check().out
    fleet.commit()
    assert set(fleet.limits().values()) == {20}
    assert fleet.record()["done"] == ["canary", "europe", "world"]
    assert fleet.build("--wave", "all").out.startswith("clusters: up to date")


def test_a_second_change_begins_again_at_the_first_wave(fleet: Fleet) -> None:
    fleet.limit(20)
    fleet.build("--wave", "europe")
    fleet.commit()
    fleet.limit(30)
    assert "stale" in fleet.shell.run("check").out
    fleet.build()
    assert fleet.record()["done"] == ["canary"]
    assert fleet.changed() == {"_fleet", "s0"}
    limits = fleet.limits()
    assert (limits["s0"], limits["s1"], limits["s9"]) == (30, 20, 10)
    fleet.check()
    fleet.commit()
    fleet.build("--wave", "all")
    assert set(fleet.limits().values()) == {30}


def test_a_wave_is_passed_over_by_no_way(fleet: Fleet) -> None:
    """Who names a later wave gets those before; who edits the record is told that it is stale."""
    fleet.limit(20)
    fleet.build()
    record = fleet.folder / "clusters/_fleet/rollout.yaml"
    record.write_text(record.read_text().replace("- canary", "- europe"))
    assert fleet.shell.run("check").status == 1
    fleet.build()
    assert fleet.record()["done"] == ["canary"]
    fleet.build("--wave", "world")
    assert fleet.record()["done"] == ["canary", "europe", "world"]


def test_a_waiting_folder_that_somebody_edits_is_told(fleet: Fleet) -> None:
    fleet.limit(20)
    fleet.build()
    fleet.commit()
    file = next(fleet.folder.glob("clusters/s7/infra/rate*.yaml"))
    edited = file.read_text().replace("limit: 10", "limit: 99")
    file.write_text(edited)
    assert fleet.shell.run("check").status == 0, "without a revision nobody can know"
    error = fleet.check("SR2604").err
    assert "its folder is not what it was at HEAD" in error
    path = "infra/ratelimitpolicy.kuadrant.io_limit.yaml"
    line = 1 + edited[: edited.index("limit: 99")].count("\n")
    assert f"clusters/s7/{path}:{line}" in error
    assert "s7" in error
    fleet.build()
    assert file.read_text() == edited
    fleet.build("--wave", "all")
    assert set(fleet.limits().values()) == {20}


def test_what_is_committed_for_a_spoke_that_waits_is_told(fleet: Fleet) -> None:
    """A change that writes more than its record says is not what a build made."""
    fleet.limit(20)
    fleet.build("--wave", "all")
    run_git(fleet.folder, "add", "--all")
    run_git(fleet.folder, "checkout", "--quiet", "HEAD", "--", "clusters/_fleet")
    fleet.shell.run("build")
    assert fleet.record()["done"] == ["canary"]
    error = fleet.check("SR2604").err
    assert "on 9 spokes: s1, s2, s3" in error
    assert re.search(r"clusters/s1/\S+\.yaml:[0-9]+", error)


def test_a_new_spoke_waits_for_its_wave(fleet: Fleet) -> None:
    fleet.shell.write({"placement.yaml": placement([*SPOKES, "s10"])})
    fleet.build()
    assert not (fleet.folder / "clusters/s10").exists()
    assert fleet.delivered() == SPOKES
    fleet.check()
    fleet.commit()
    fleet.build("--wave", "europe")
    assert fleet.delivered() == SPOKES
    fleet.build("--wave", "next")
    assert (fleet.folder / "clusters/s10").is_dir()
    assert fleet.delivered() == sorted([*SPOKES, "s10"])
    fleet.check()


def test_a_spoke_that_left_goes_with_the_last_wave(fleet: Fleet) -> None:
    fleet.shell.write({"placement.yaml": placement(SPOKES[:-1])})
    error = fleet.refuse()
    assert "Kustomization flux-system/s9" in error, "its folder stays, and has to be delivered"
    early = fleet.refuse("--allow-delete", "s9", "--allow-delete", "s0")
    assert "--allow-delete=s9 names nothing that would go" in early
    assert "--allow-delete=s0 names nothing that would go" in early
    fleet.build("--allow-delete", "Kustomization/flux-system/s9", "--reason", "s9 is gone")
    assert fleet.changed() == {"_fleet"}
    fleet.check()
    fleet.commit()
    fleet.build("--wave", "europe")
    assert fleet.changed() == {"_fleet"}
    fleet.commit()
    assert "spoke s9 would be removed" in fleet.refuse("--wave", "all")
    fleet.build("--wave", "all", "--allow-delete", "s9")
    assert not (fleet.folder / "clusters/s9").exists()
    assert fleet.delivered() == SPOKES[:-1]


def test_waves_that_change_nothing_are_told(fleet: Fleet) -> None:
    """They are done when somebody continues; the next one that changes something is named."""
    target = "{kind: RateLimitPolicy, name: limit}"
    limits = "{limits: {all: {rates: [{limit: 5, window: 1m}]}}}"
    override = f"  - target: {target}\n    spokes: {{names: [s9]}}\n    merge: {{spec: {limits}}}\n"
    fleet.shell.write({"placement.yaml": f"{placement(SPOKES)}  overrides:\n{override}"})
    done = fleet.build()
    assert fleet.record()["done"] == ["canary"]
    told = "run spokerender build --wave world to continue: europe changes nothing before it\n"
    assert told in done.out
    assert told in fleet.shell.run("check").out
    assert told in fleet.shell.run("rollout").out
    fleet.build("--wave", "world")
    assert fleet.changed() == {"_fleet", "s9"}
    fleet.commit()
    fleet.limit(20)
    fleet.build()
    fleet.commit()
    fleet.limit(10)
    told = "run spokerender build --wave all in the same change: europe and world change nothing\n"
    assert told in fleet.build().out, "as after the revert of a first wave"
    fleet.build("--wave", "all")
    assert fleet.changed() == {"_fleet", "s0"}


def test_the_guard_counts_what_the_wave_removes(fleet: Fleet) -> None:
    (fleet.folder / "hub/auth.yaml").unlink()
    error = fleet.refuse()
    assert re.search(r"SR1901 .*AuthPolicy infra/closed: would go", error)
    assert re.search(r"spokes: \[s0\]\n", error)
    fleet.build("--allow-delete", "AuthPolicy/infra/closed", "--reason", "open since today")
    assert fleet.changed() == {"_fleet", "s0"}
    fleet.check()
    fleet.commit()
    error = fleet.refuse("--wave", "next")
    assert re.search(r"spokes: \[s1, s2, s3, s4\]\n", error)
    everywhere = "AuthPolicy/infra/closed@s1,s2,s3,s4,s8,s9"
    early = fleet.refuse("--wave", "next", "--allow-delete", everywhere)
    assert "names nothing that would go on s8 and s9\n" in early
    fleet.build(
        "--wave", "next", "--allow-delete", "AuthPolicy/infra/closed", "--reason", "there, too"
    )
    done = fleet.shell.run("check", "--against", "HEAD")
    assert (done.status, "SR2604" in done.err) == (0, False), done.err


def test_a_hostname_that_moves_is_told_in_the_wave_that_takes_it_from_a_spoke(fleet: Fleet) -> None:
    web = fleet.folder / "hub/web.yaml"
    route = web.read_text()
    web.write_text(
        route.replace("spec:\n  parentRefs", "spec:\n  hostnames: [a.example.com]\n  parentRefs")
    )
    fleet.build("--wave", "all")
    fleet.commit()
    moving = placement(SPOKES).replace(
        "  rules:\n",
        "  overrides:\n  - target: {kind: HTTPRoute, name: shop}\n    spokes: {names: [s9]}\n"
        '    merge: {spec: {hostnames: ["b.example.com"]}}\n  rules:\n',
    )
    fleet.shell.write({"placement.yaml": moving})
    fleet.build("--wave", "all")
    fleet.commit()
    fleet.shell.write({"placement.yaml": moving.replace("[s9]", "[s0]")})
    assert "b.example.com" not in fleet.build().err, "s9 serves it until the last wave"
    assert "nothing serves b.example.com any more" in fleet.build("--wave", "all").err
    fleet.commit()
    fleet.shell.write({"placement.yaml": moving})
    assert "nothing serves b.example.com any more" in fleet.build().err


def test_a_revert_goes_out_wave_by_wave(fleet: Fleet) -> None:
    fleet.limit(20)
    fleet.build("--wave", "europe")
    fleet.commit()
    fleet.limit(10)
    fleet.build()
    assert fleet.changed() == {"_fleet", "s0"}
    limits = fleet.limits()
    assert (limits["s0"], limits["s4"], limits["s5"]) == (10, 20, 10)
    fleet.check()
    fleet.commit()
    fleet.build("--wave", "next")
    assert set(fleet.limits().values()) == {10}


def test_the_revert_of_a_commit_brings_its_record_back(fleet: Fleet) -> None:
    before = fleet.tree()
    fleet.limit(20)
    fleet.build()
    fleet.commit()
    run_git(fleet.folder, "revert", "--no-edit", "HEAD")
    assert fleet.tree() == before
    assert fleet.shell.run("build").out.startswith("clusters: up to date")


def test_after_the_last_wave_the_tree_is_that_without_a_rollout(fleet: Fleet) -> None:
    fleet.limit(20)
    fleet.build("--wave", "all")
    with_rollout = fleet.tree()
    fleet.shell.write({"fleet.yaml": FLEET})
    assert "deleted rollout.yaml in _fleet" in fleet.build().out
    assert fleet.tree() == {
        path: data for path, data in with_rollout.items() if path != "_fleet/rollout.yaml"
    }


def test_a_record_with_conflict_markers_is_refused(fleet: Fleet) -> None:
    record = fleet.folder / "clusters/_fleet/rollout.yaml"
    header, _, rest = record.read_text().partition("\n")
    record.write_text(f"{header}\n<<<<<<< ours\n{rest}=======\n{rest}>>>>>>> theirs\n")
    assert "SR2602" in fleet.refuse()
    assert "rollout.yaml" in fleet.shell.run("check").err
    record.unlink()
    fleet.build()
    assert fleet.record()["done"] == ["canary"]


def export(fleet: Fleet, *names: str) -> Path:
    """Export spokes as expected, each with the objects that it has now."""
    folder = fleet.folder / "exports"
    expected = make_exports(fleet.folder)
    for name in names:
        for key, data in expected[name].items():
            if key.startswith("RateLimit"):
                data["spec"]["limits"]["all"]["rates"][0]["limit"] = fleet.limits()[name]
    write_exports(folder, {name: expected[name] for name in names})
    return folder


def test_a_spoke_that_waits_is_held_against_its_folder(fleet: Fleet) -> None:
    fleet.limit(20)
    fleet.build()
    folder = export(fleet, *SPOKES)
    done = fleet.shell.run("status", "--from", str(folder))
    assert done.status == 0, done.err
    text = (folder / "s7.yaml").read_text()
    (folder / "s7.yaml").write_text(text.replace("limit: 10", "limit: 20"))
    done = fleet.shell.run("status", "--from", str(folder))
    assert done.status == 1
    assert "the cluster has the number 20, and the tree sets the number 10" in done.err


def test_exports_tell_what_the_strategy_would_release(fleet: Fleet) -> None:
    soak = "{type: ProgressivePerGroup, progressivePerGroup: {minSuccessTime: 1h}}"
    fleet.shell.write({"fleet.yaml": FLEET + ROLLOUT + f"    strategy: {soak}\n"})
    fleet.limit(20)
    fleet.build()
    folder = export(fleet, *SPOKES)
    soaking, later = "2026-11-24T10:30:00Z", "2026-11-24T11:00:00Z"

    def answer(now: str) -> str:
        done = fleet.shell.run("rollout", "--from", str(folder), "--now", now)
        assert done.status == 0, done.err
        return done.out

    assert "next: none before these are done: s0, at least for 30m" in answer(soaking)
    assert "next: s1, s2, s3, s4\n" in answer(later)
    text = (folder / "s0.yaml").read_text()
    (folder / "s0.yaml").write_text(text.replace("status: 'True'", "status: 'False'"))
    assert "Failed: s0" in answer(later)
    assert "next: none, more spokes failed than may" in answer(later)
    (folder / "s0.yaml").write_text("kind: List\napiVersion: v1\nitems: []\n")
    assert "Progressing: s0" in answer(later)
    (folder / "s0.yaml").unlink()
    assert "Progressing: s0" in answer(later)
    told = answer(later)
    assert "next: none before these are done: s0\n" in told
    assert "  spokerender status --from shows what their exports do not report yet\n" in told
    assert fleet.shell.run("rollout", "--from", str(folder)).status == 2


def _review(fleet: Fleet, revision: str = "HEAD") -> dict[str, list[str]]:
    """Return the spokes of each consequence that is not an info, by its code."""
    done = fleet.shell.run("review", "--against", revision, "--format", "json", "--fail-on=never")
    assert done.status == 0, done.err
    told = json.loads(done.out)["consequences"]
    return {item["code"]: item["spokes"] for item in told if item["severity"] != "info"}


def test_a_review_tells_each_wave_what_it_brings_and_nothing_of_spokes_that_wait(
    fleet: Fleet,
) -> None:
    fleet.build("--wave", "all")
    fleet.commit()
    fleet.limit(20)
    assert _review(fleet) == {"SR2504": ["s0"]}
    done = fleet.shell.run("review", "--against", "HEAD", "--format", "markdown")
    assert "9 spokes wait for a later wave and keep what is there: `s1, s2" in done.out
    fleet.build()
    assert _review(fleet) == {"SR2504": ["s0"]}
    fleet.commit()
    assert _review(fleet) == {}
    fleet.build("--wave", "next")
    assert _review(fleet) == {"SR2504": ["s1", "s2", "s3", "s4"]}
    fleet.commit()
    fleet.build("--wave", "next")
    assert _review(fleet) == {"SR2504": ["s5", "s6", "s7", "s8", "s9"]}
    fleet.commit()
    assert _review(fleet, "HEAD~3") == {"SR2504": SPOKES}
    assert _review(fleet, "HEAD~2") == {"SR2504": SPOKES[1:]}

"""What runs the tool in CI: the action, the workflows, GitLab's template, pre-commit's hooks.

Their own scripts are run here, as their runners run them; actionlint and pre-commit are the real
programs.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from spokerender.cli import run
from spokerender.formats import yamlio
from tests.cli.project import PROJECT
from tests.conftest import ROOT
from tests.report import published
from tests.support import cases, each, rows_of
from tests.support.end_to_end import write
from tests.support.git import commit, run_git
from tests.support.programs import BIN, installed, ran

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


RUN_ON_BRANCHES = [
    ROOT / "action.yml",
    ROOT / ".github/workflows/check.yml",
    ROOT / "ci/gitlab.yml",
]


def data(path: Path) -> list[Any]:
    documents, problems = yamlio.read(path.read_bytes(), "")
    assert problems == ()
    return [document.value for document in documents]


def steps(path: Path) -> Iterator[dict[str, Any]]:
    (value,) = data(path)
    jobs = value["jobs"].values() if "jobs" in value else [value["runs"]]
    return (step for job in jobs for step in job["steps"])


def script(path: Path, name: str) -> str:
    """What a step runs."""
    (found,) = [step["run"] for step in steps(path) if step.get("name") == name]
    return str(found)


def shell(
    text: str, folder: Path, environment: Mapping[str, str], program: str = "bash"
) -> subprocess.CompletedProcess[str]:
    """Run a script as GitHub's runner does: it ends where a command fails."""
    return ran([program, "-e", "-c", text], folder, environment)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A project in a repository, with its tree, one commit before what is there now."""
    project = tmp_path / "repository"
    project.mkdir()
    run_git(project, "init", "--quiet", "--initial-branch=main")
    write(project, PROJECT)
    assert run(["build", str(project), "-q"]) == 0
    commit(project, {".gitattributes": b"clusters/** linguist-generated=true\n"})
    return project


def lose(project: Path) -> None:
    """Take the security policy away, from the tree as well."""
    (project / "hub/auth.yaml").unlink()
    assert run(["build", str(project), "-q", "--allow-delete", "AuthPolicy/infra/closed"]) == 0


@each(*WORKFLOWS, ROOT / "action.yml", ids=lambda path: path.name)
def test_actions_are_pinned(path: Path) -> None:
    used = [step["uses"] for step in steps(path) if "uses" in step]
    assert all(re.fullmatch(r"[\w-]+(/[\w-]+)+@[0-9a-f]{40}", each) for each in used), used


@each(*WORKFLOWS, ids=lambda path: path.name)
def test_workflows_may_nothing_but_what_they_say(path: Path) -> None:
    (value,) = data(path)
    assert value["permissions"] == {}
    assert all("permissions" in job for job in value["jobs"].values())


@pytest.mark.slow
@pytest.mark.actionlint
def test_actionlint_passes(tmp_path: Path) -> None:
    actionlint = installed("actionlint")
    assert run(["init", str(tmp_path / "new"), "-q", "--ci", "github"]) == 0
    made = sorted(map(str, (tmp_path / "new/.github/workflows").iterdir()))
    assert len(made) == 2
    done = subprocess.run(
        [actionlint, *map(str, WORKFLOWS), *made],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert (done.returncode, done.stdout) == (0, "")


def inputs(**given: str) -> dict[str, str]:
    """The action's inputs, with its defaults, as its steps get them."""
    (value,) = data(ROOT / "action.yml")
    defaults = {name: str(each["default"]) for name, each in value["inputs"].items()}
    assert given.keys() <= defaults.keys()
    return {name.upper(): text for name, text in {**defaults, **given}.items()}


def runner(folder: Path) -> dict[str, str]:
    """The runner's temporary folder, with the tool where the action installs it."""
    place = folder / "temp/spokerender/bin"
    place.mkdir(parents=True)
    (place / "spokerender").symlink_to(BIN / "spokerender")
    return {"RUNNER_TEMP": str(folder / "temp")}


def test_the_action(repository: Path, tmp_path: Path) -> None:
    check, environment = script(ROOT / "action.yml", "Check"), runner(tmp_path)
    done = shell(check, repository, environment | inputs())
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "clusters: up to date, 8 files")
    lose(repository)
    done = shell(
        check, repository, environment | inputs(against="HEAD", format="sarif", report="a.sarif")
    )
    assert (done.returncode, done.stdout.splitlines()[0]) == (1, "clusters: up to date, 6 files")
    assert "error SR1901 AuthPolicy infra/closed: " in done.stderr
    told = published.sarif((repository / "a.sarif").read_text())
    assert [each["ruleId"] for each in told] == ["SR1901"]


def test_the_action_reviews(repository: Path, tmp_path: Path) -> None:
    review, environment = script(ROOT / "action.yml", "Review"), runner(tmp_path)
    files = {name: tmp_path / name.casefold() for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
    lose(repository)
    environment |= {name: str(path) for name, path in files.items()}
    done = shell(review, repository, environment | inputs(against="HEAD"))
    place = tmp_path / "temp/spokerender-review"
    assert (done.returncode, done.stderr) == (0, f"wrote {place}/review.html\n")
    assert files["GITHUB_OUTPUT"].read_text() == f"place={place}\n"
    text = (place / "review.md").read_text()
    assert "AuthPolicy infra/closed" in text
    assert files["GITHUB_STEP_SUMMARY"].read_text() == text
    assert (place / "review.html").read_text().startswith("<!DOCTYPE html>")


def test_what_init_makes_for_gitlab_runs_what_the_template_runs(tmp_path: Path) -> None:
    run(["init", str(tmp_path / "new"), "-q", "--ci", "gitlab"])
    (own,) = data(tmp_path / "new/.gitlab-ci.yml")
    _, jobs = data(ROOT / "ci/gitlab.yml")
    for name, same in (("review", "spokerender-review"), ("policies", "spokerender")):
        lines = [line.replace(' -- "$FOLDER"', "") for line in jobs[same]["script"]]
        assert own[name]["script"] == [
            line.replace("spokerender.xml", f"{name}.xml") for line in lines
        ]
    assert own["policies"]["artifacts"]["reports"]["junit"] == "policies.xml"
    report = own["review"]["artifacts"]["reports"]["codequality"]
    assert report == jobs["spokerender-review"]["artifacts"]["reports"]["codequality"]
    assert own["review"]["artifacts"]["paths"] == jobs["spokerender-review"]["artifacts"]["paths"]


def test_gitlab_reviews(repository: Path) -> None:
    _, jobs = data(ROOT / "ci/gitlab.yml")
    base = run_git(repository, "rev-parse", "HEAD").strip()
    lose(repository)
    environment = {"FOLDER": ".", "CI_MERGE_REQUEST_DIFF_BASE_SHA": base}
    job = jobs["spokerender-review"]
    for line in job["script"]:
        done = shell(line, repository, environment, "sh")
        note = "wrote review.html\n" if "--page" in line else ""
        assert (done.returncode, done.stderr) == (0, note)
    entries = json.loads((repository / job["artifacts"]["reports"]["codequality"]).read_text())
    assert [entry["severity"] for entry in entries], entries
    assert job["artifacts"]["expose_as"]
    (page,) = job["artifacts"]["paths"]
    assert (repository / page).read_text().startswith("<!DOCTYPE html>")


@each("a.sarif", "reports/a.sarif")
def test_the_action_writes_its_report_through_no_link(
    report: str, repository: Path, tmp_path: Path
) -> None:
    check, environment = script(ROOT / "action.yml", "Check"), runner(tmp_path)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.sarif").write_text("precious")
    planted = repository / report.partition("/")[0]
    planted.symlink_to(outside if "/" in report else outside / "a.sarif")
    done = shell(check, repository, environment | inputs(format="sarif", report=report))
    assert (outside / "a.sarif").read_text() == "precious"
    assert done.returncode == 2


@each(*RUN_ON_BRANCHES, *sorted((ROOT / "templates/project").glob("*.j2")), ids=str)
def test_no_file_of_a_branch_is_taken_for_a_module_of_pythons(path: Path) -> None:
    """`python -m pip` looks for pip in the current folder first, which is the branch's."""
    assert not re.search(r"python[\d.]*\"? +-m", path.read_text())


def test_the_action_elsewhere(repository: Path, tmp_path: Path) -> None:
    check = script(ROOT / "action.yml", "Check")
    environment = runner(tmp_path) | inputs(folder="repository", strict="true")
    assert shell(check, repository.parent, environment).returncode == 0


def test_the_workflow_that_others_call(repository: Path) -> None:
    check = script(ROOT / ".github/workflows/check.yml", "Check")
    environment = {"FOLDER": ".", "BASE": "", "STRICT": "false"}
    assert shell(check, repository, environment).returncode == 0
    run_git(repository, "update-ref", "refs/remotes/origin/main", "HEAD")
    lose(repository)
    done = shell(check, repository, {**environment, "BASE": "main"})
    assert done.returncode == 1
    assert "title=SR1901" in done.stdout


def test_gitlabs_template(repository: Path) -> None:
    header, jobs = data(ROOT / "ci/gitlab.yml")
    given = header["spec"]["inputs"]
    assert [key for key, each in given.items() if "default" not in each] == ["source"]
    report = "spokerender.xml"
    assert jobs["spokerender"]["artifacts"]["reports"]["junit"] == report
    (check,) = jobs["spokerender"]["script"]
    base = run_git(repository, "rev-parse", "HEAD").strip()
    done = shell(check, repository, {"FOLDER": "."}, "sh")
    assert done.returncode == 0, done.stderr
    assert set(published.junit_cases((repository / report).read_text()).values()) == {""}
    lose(repository)
    environment = {"FOLDER": ".", "CI_MERGE_REQUEST_DIFF_BASE_SHA": base}
    assert shell(check, repository, environment, "sh").returncode == 1
    told = published.junit_cases((repository / report).read_text())
    assert any("SR1901" in line for line in told.values())


INSTALL = re.compile(r"python -I -m pip install.*")
FROM_GIT = f"git+https://git.example.com/a.git@{'0123456789' * 4}"
MADE = {"github": ".github/workflows/policies.yaml", "gitlab": ".gitlab-ci.yml"}


@pytest.fixture(params=MADE)
def runner_name(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A CI system; where this installation came from is not known."""
    monkeypatch.setattr("spokerender.cli.init.read_record", lambda: None)
    return str(request.param)


def installing(folder: Path, name: str, *options: str) -> str:
    """The command that installs the tool, in what `init` makes."""
    assert run(["init", str(folder), "-q", "--ci", name, *options]) == 0
    (command,) = INSTALL.findall((folder / MADE[name]).read_text())
    return str(command)


@cases(*rows_of(__file__, "ci_installs_from_the_source"))
def test_ci_installs_from_the_source(
    source: str, installed_by: str, runner_name: str, tmp_path: Path
) -> None:
    assert installed_by in installing(tmp_path, runner_name, "--source", source)
    assert f"from `{source}`" in (tmp_path / "README.md").read_text()


def test_ci_installs_what_is_running(
    runner_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where, _, commit = FROM_GIT.removeprefix("git+").rpartition("@")
    record = {"url": where, "vcs_info": {"vcs": "git", "commit_id": commit}}
    monkeypatch.setattr("spokerender.cli.init.read_record", lambda: json.dumps(record))
    assert installing(tmp_path, runner_name).endswith(f" {FROM_GIT}")


def test_ci_without_a_source_asks_for_one(
    runner_name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No name is guessed that anybody might publish: the job fails, and says what to set."""
    assert run(["init", str(tmp_path), "--ci", runner_name]) == 0
    assert "set the variable SPOKERENDER_SOURCE in CI" in capsys.readouterr().out
    (command,) = INSTALL.findall((tmp_path / MADE[runner_name]).read_text())
    done = shell(command, tmp_path, {"SPOKERENDER_SOURCE": ""})
    assert done.returncode != 0
    assert "SPOKERENDER_SOURCE: set this variable of CI to what pip installs" in done.stderr


@each("spokerender", "git+https://git.example.com/a.git@main")
def test_a_source_that_can_change_is_refused(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["init", str(tmp_path / "new"), "--source", source]) == 2
    assert "is neither a commit" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


@each(*RUN_ON_BRANCHES, ids=lambda path: path.name)
def test_nothing_installs_a_bare_name(path: Path) -> None:
    assert not re.search(r"install.*[ \"]spokerender(?![/\w])", path.read_text())


def test_a_release_has_the_version_of_its_tag() -> None:
    if not (ROOT / "render").is_dir():
        pytest.skip("the sources are not here: the wheel is tested without them")
    check = script(ROOT / ".github/workflows/release.yml", "The tag is the version")
    version = shell("python -m hatchling version", ROOT, {}).stdout.strip()
    assert shell(check, ROOT, {"TAG": f"v{version}"}).returncode == 0
    assert shell(check, ROOT, {"TAG": "v9.9.9"}).returncode == 1


def test_a_release_publishes_only_what_somebody_approves() -> None:
    (value,) = data(ROOT / ".github/workflows/release.yml")
    trusted = {name for name, job in value["jobs"].items() if job.get("environment") == "release"}
    assert trusted == {"publish", "image", "docs"}


@each("bug", "feature")
def test_issue_templates_ask_in_githubs_own_form(name: str) -> None:
    (form,) = data(ROOT / f".github/ISSUE_TEMPLATE/{name}.yml")
    assert form.keys() >= {"name", "description", "body"}
    asked = [item for item in form["body"] if item["type"] != "markdown"]
    assert {item["type"] for item in asked} <= {"textarea", "input", "dropdown", "checkboxes"}
    assert len({item["id"] for item in asked}) == len(asked)
    assert all(item["attributes"]["label"] for item in asked)


@pytest.mark.precommit
@each("system", pytest.param("python", marks=pytest.mark.weekly))
def test_pre_commit_runs_the_hooks(language: str, repository: Path, tmp_path: Path) -> None:
    """The hooks come out of a Git repository, as for everybody; weekly their environment, too.

    It takes twenty CPU seconds to install that from PyPI, and to compile it.
    """
    program = BIN / "pre-commit"
    if not (ROOT / ".git").exists() or not (ROOT / "render").is_dir():
        pytest.skip("these are not the sources of a repository")
    hooks = tmp_path / "hooks"
    if language == "python":
        run_git(tmp_path, "clone", "--quiet", str(ROOT), str(hooks))
        shutil.copy(ROOT / "render/spokerender/cli/__init__.py", hooks / "render/spokerender/cli")
    else:
        run_git(tmp_path, "init", "--quiet", str(hooks))
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", hooks)
    run_git(hooks, "add", "--all")
    run_git(hooks, "commit", "--quiet", "--allow-empty", "--message=hooks")
    revision = run_git(hooks, "rev-parse", "HEAD").strip()
    settings = (
        f"repos:\n- repo: {hooks}\n  rev: {revision}\n"
        f"  hooks: [{{id: spokerender-build, language: {language}}},"
        f" {{id: spokerender-check, language: {language}}}]\n"
    )
    commit(repository, {".pre-commit-config.yaml": settings.encode()})
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PRE_COMMIT_HOME": str(tmp_path / "home")}

    def hooked() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [program, "run", "--all-files"],
            cwd=repository,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    done = hooked()
    assert done.returncode == 0, done.stdout
    assert re.findall(r"(Passed|Failed|Skipped)$", done.stdout, re.MULTILINE) == ["Passed"] * 2
    write(
        repository, {"placement.yaml": PROJECT["placement.yaml"].replace("name: us", "name: us-2")}
    )
    run_git(repository, "add", "--all")
    refused = hooked()
    assert refused.returncode != 0
    assert "--allow-delete=us" in refused.stdout
    write(repository, {**PROJECT, "hub/auth.yaml": f"# new\n{PROJECT['hub/auth.yaml']}"})
    run_git(repository, "add", "--all")
    assert "files were modified by this hook" in hooked().stdout

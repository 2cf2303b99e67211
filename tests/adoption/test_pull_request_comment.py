"""The pair of workflows that `init` writes: the review of a pull request, and its comment.

The first runs on a stranger's branch and may nothing; the second may write comments, and takes
what the first made as text of a stranger's.
"""

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from spokerender.cli import run
from spokerender.report.markdown import LIMIT, measure
from tests.adoption.test_ci import data, script, shell, steps
from tests.report.test_markdown import ADDED
from tests.support import each
from tests.support.profiles import examples
from tests.support.reviews import printed, whole

FORK = {"IS_OURS": "false", "FORK": "them/policies", "LINK": "https://ci.example/1"}
OURS = {**FORK, "IS_OURS": "true", "FORK": "us/policies"}
COMMIT = "0123456789abcdef0123456789abcdef01234567"
PINNED = re.compile(r"[\w-]+/[\w-]+@[0-9a-f]{40}")
CONTEXTS = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
VERSIONS = re.compile(r"uses: \S+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")


@pytest.fixture(scope="module")
def workflows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the workflows that `init` writes."""
    folder = tmp_path_factory.mktemp("project")
    assert run(["init", str(folder), "-q", "--ci", "github"]) == 0
    return folder / ".github/workflows"


@pytest.fixture
def checking(workflows: Path) -> Path:
    return workflows / "policies.yaml"


@pytest.fixture
def posting(workflows: Path) -> Path:
    return workflows / "policies-comment.yaml"


def read(path: Path) -> dict[str, Any]:
    """A workflow; its key `on` is true in YAML 1.1, and a key of ours is a text."""
    (value,) = data(path)
    return {"on" if key == "true" else key: each for key, each in value.items()}


def used(path: Path) -> list[str]:
    return [step["uses"] for step in steps(path) if "uses" in step]


def test_the_workflow_on_branches_may_nothing(checking: Path) -> None:
    workflow, text = read(checking), checking.read_text()
    assert workflow["on"].keys() == {"pull_request", "push"}, "never pull_request_target"
    assert workflow["permissions"] == {"contents": "read"}
    assert all("permissions" not in job for job in workflow["jobs"].values())
    assert not re.search(r"\bsecrets\b|github\.token", text)
    (checkout,) = [step for step in steps(checking) if "checkout" in step.get("uses", "")]
    assert checkout["with"]["persist-credentials"] is False


def test_the_workflow_that_posts_runs_nothing_of_a_branch(checking: Path, posting: Path) -> None:
    workflow, text = read(posting), posting.read_text()
    name = read(checking)["name"]
    assert workflow["on"] == {"workflow_run": {"workflows": [name], "types": ["completed"]}}
    assert workflow["permissions"] == {}
    (job,) = workflow["jobs"].values()
    assert job["permissions"] == {"actions": "read", "pull-requests": "write"}
    assert job["if"] == "github.event.workflow_run.event == 'pull_request'"
    assert [each.split("@")[0] for each in used(posting)] == [
        "actions/download-artifact",
        "marocchino/sticky-pull-request-comment",
    ]
    assert not re.search(r"\bsecrets\b|checkout|git (clone|fetch)|pip install|head_ref", text)


def test_actions_are_pinned_by_hash_and_named_by_version(workflows: Path) -> None:
    for path in workflows.iterdir():
        assert all(PINNED.fullmatch(each) for each in used(path)), path
        lines = [line for line in path.read_text().splitlines() if "uses:" in line]
        assert all(VERSIONS.search(line) for line in lines), path


def test_no_shell_reads_what_a_stranger_named(workflows: Path) -> None:
    """A branch may be called `$(id)`: expressions stand in `env` and `with`, not in scripts."""
    scripts = [step["run"] for path in workflows.iterdir() for step in steps(path) if "run" in step]
    assert len(scripts) > 5
    assert not any(CONTEXTS.search(text) for text in scripts)


def test_the_number_of_the_request_comes_from_the_host(posting: Path) -> None:
    """The event has none for a fork, and the artifact is the stranger's."""
    (comment,) = [step for step in steps(posting) if "sticky" in step.get("uses", "")]
    assert comment["with"]["number_force"] == "${{ steps.request.outputs.number }}"
    assert "number" not in comment["with"]
    (finding,) = [step for step in steps(posting) if step.get("id") == "request"]
    assert "RUNNER_TEMP" not in finding["run"]
    event = "github.event.workflow_run"
    assert finding["env"] == {
        "GH_TOKEN": "${{ github.token }}",
        "HEAD": f"${{{{ {event}.head_repository.owner.login }}}}:${{{{ {event}.head_branch }}}}",
        "COMMIT": f"${{{{ {event}.head_sha }}}}",
    }


def test_the_artifact_goes_where_it_overwrites_nothing(checking: Path, posting: Path) -> None:
    (kept,) = [step["with"] for step in steps(checking) if "upload" in step.get("uses", "")]
    (taken,) = [step["with"] for step in steps(posting) if "download" in step.get("uses", "")]
    assert taken["name"] == kept["name"]
    assert taken["path"] == "${{ runner.temp }}/review"
    assert taken["run-id"] == "${{ github.event.workflow_run.id }}"


GH = """\
#!/bin/sh
printf '%s\\n' "$@" > "$RUNNER_TEMP/asked"
cat "$RUNNER_TEMP/requests.json"
"""


def find(posting: Path, folder: Path, requests: object, head: str = "them:fix") -> tuple[str, str]:
    """Run the step against a host that answers this; return its output and its log."""
    if shutil.which("jq") is None:
        pytest.skip("jq is not installed")
    (folder / "gh").write_text(GH)
    (folder / "gh").chmod(0o755)
    (folder / "requests.json").write_text(json.dumps(requests))
    (folder / "output").write_text("")
    environment = {
        "RUNNER_TEMP": str(folder),
        "GITHUB_OUTPUT": str(folder / "output"),
        "GITHUB_REPOSITORY": "us/policies",
        "HEAD": head,
        "COMMIT": COMMIT,
    }
    text = f'PATH="$RUNNER_TEMP:$PATH"\n{script(posting, "Find the pull request")}'
    done = shell(text, folder, environment)
    assert (done.returncode, done.stderr) == (0, "")
    return (folder / "output").read_text(), done.stdout


def pull(number: int, commit: str = COMMIT) -> Mapping[str, Any]:
    return {"number": number, "head": {"sha": commit, "ref": "fix"}}


def test_the_request_is_the_one_whose_last_commit_ran(posting: Path, tmp_path: Path) -> None:
    output, _ = find(posting, tmp_path, [pull(11, "f" * 40), pull(12)])
    assert output == "number=12\n"
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked[:4] == ["api", "--method", "GET", "repos/us/policies/pulls"]
    assert {"state=open", "head=them:fix"} < set(asked)


@each([], [pull(3, "f" * 40)], [pull(3), pull(4)])
def test_without_exactly_one_request_nothing_is_posted(
    requests: list[Any], posting: Path, tmp_path: Path
) -> None:
    """It was closed, has newer commits, or the branch has one to each of two branches."""
    output, log = find(posting, tmp_path, requests)
    count = sum(each["head"]["sha"] == COMMIT for each in requests)
    assert output == ""
    assert (
        log == f"::notice::no comment: {COMMIT} is the last commit of {count} open pull requests\n"
    )
    (comment,) = [step for step in steps(posting) if "sticky" in step.get("uses", "")]
    assert comment["if"] == "steps.request.outputs.number != ''"


def test_the_name_of_a_branch_is_no_command(posting: Path, tmp_path: Path) -> None:
    head = "them:$(touch hacked)`touch hacked`\"'; touch hacked #"
    find(posting, tmp_path, [pull(12)], head)
    assert not (tmp_path / "hacked").exists()
    assert f"head={head}" in (tmp_path / "asked").read_text().splitlines()


def prepare(posting: Path, folder: Path, review: bytes, environment: Mapping[str, str]) -> str:
    """The comment that the step makes of a review."""
    (folder / "review").mkdir(exist_ok=True)
    (folder / "review/review.md").write_bytes(review)
    text = script(posting, "Prepare the comment")
    done = shell(text, folder, {**environment, "RUNNER_TEMP": str(folder)})
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return (folder / "comment.md").read_text(encoding="utf-8", errors="replace")


def test_a_review_of_our_own_branch_is_posted_as_it_is(posting: Path, tmp_path: Path) -> None:
    """Its author may write to the repository, and so comment as well."""
    review = printed(whole(), "markdown")
    comment = prepare(posting, tmp_path, review.encode(), OURS)
    added = f"\n\n[Everything in the review]({OURS['LINK']})\n"
    assert comment == review + added
    assert measure(added) + len("\n<!-- Sticky Pull Request Commentspokerender-review -->") < ADDED


MARKS = st.text(alphabet="ab `@#<>[]()!-/:*_~\\&\t\n\r\v\f\x00\x1b\x85\u2028é💡", max_size=200)


@settings(
    deadline=None,
    max_examples=examples(20, house=6),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(MARKS)
def test_each_line_of_a_forks_review_is_indented_code(
    posting: Path, tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    """CommonMark, 4.4: nothing ends an indented block but a line that is less indented."""
    comment = prepare(posting, tmp_path_factory.mktemp("run"), text.encode(), FORK)
    head, first, *inner, link = re.split(r"\r\n|[\n\r]", comment.removesuffix("\n"))
    assert head == "Computed by a run of `them/policies`, whose branch could change it:"
    assert first == ""
    assert all(line.startswith("    ") or not line for line in inner)
    assert inner[-1] == "", "the block ends before the link"
    assert link == "[Everything in the review](https://ci.example/1)"
    shown = re.sub(r"\s", "", "".join(inner))
    assert shown == re.sub(r"[\s\x00-\x1f]", "", text), "only controls are left out"


def test_a_forks_review_cannot_pass_for_another_comment(posting: Path, tmp_path: Path) -> None:
    """The action knows its comments by an HTML comment anywhere in their text."""
    text = "<!-- Sticky Pull Request Commentcoverage --> <!<!---- x -->"
    assert "<!--" not in prepare(posting, tmp_path, text.encode(), FORK)


@each("word ", "@everyone\n", "💡", "\n")
def test_too_much_of_a_fork_is_cut(line: str, posting: Path, tmp_path: Path) -> None:
    comment = prepare(posting, tmp_path, (line * 300_000).encode(), FORK)
    assert measure(comment) < LIMIT - 100
    assert comment.endswith(f"\n\n[Everything in the review]({FORK['LINK']})\n")


def test_a_fork_that_is_gone_is_a_fork(posting: Path, tmp_path: Path) -> None:
    (step,) = [step for step in steps(posting) if step.get("name") == "Prepare the comment"]
    head = "github.event.workflow_run.head_repository.full_name"
    assert step["env"]["IS_OURS"] == f"${{{{ {head} == github.repository }}}}", "false without one"
    comment = prepare(posting, tmp_path, b"@everyone", {**FORK, "FORK": ""})
    assert comment.startswith("Computed by a run of `a deleted fork`, ")
    assert "\n    @everyone\n" in comment


@each("link", "folder", "nothing")
def test_an_artifact_that_has_no_review_is_refused(
    kind: str, posting: Path, tmp_path: Path
) -> None:
    """A link would show a file of the runner to everybody."""
    place = tmp_path / "review/review.md"
    place.parent.mkdir()
    (tmp_path / "secret").write_text("token")
    if kind == "link":
        place.symlink_to(tmp_path / "secret")
    elif kind == "folder":
        place.mkdir()
    text = script(posting, "Prepare the comment")
    done = shell(text, tmp_path, {**OURS, "RUNNER_TEMP": str(tmp_path)})
    assert (done.returncode, done.stdout) == (1, "::error::the artifact has no file review.md\n")
    assert not (tmp_path / "comment.md").exists()

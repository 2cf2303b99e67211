"""`spokerender comment`: keep one comment on a pull request or merge request current."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from spokerender.cli.options import option_value, refuse_usage
from spokerender.cli.reporting import VerbosityCommand
from spokerender.edge.comments import Conversation, find_pull_request, keep_comment
from spokerender.report.inert import code_span, defuse
from spokerender.report.markdown import LIMIT, MARK
from spokerender.report.room import measure


@click.command("comment", cls=VerbosityCommand)
@click.argument("file", type=click.File("r", encoding="utf-8", errors="replace"))
@click.option(
    "--link", metavar="URL", default="", help="The URL of the whole review, shown below the text."
)
def comment(file: Any, link: str) -> None:  # noqa: ANN401  (a file of click's)
    """Put FILE, the output of `review --format markdown`, into a comment on a pull request.

    There is one such comment, and each run replaces its text. Run it in a job of GitHub Actions
    (with GITHUB_TOKEN, on pull_request or workflow_run) or of GitLab CI (with
    SPOKERENDER_GITLAB_TOKEN, for a merge request): the environment tells which request it is. Text
    that `review` does not write is shown as code, because FILE may come from a fork.
    """
    environment = os.environ
    fork = ""
    if environment.get("GITHUB_ACTIONS"):
        place, fork = _on_github(environment)
    elif environment.get("GITLAB_CI"):
        place = _on_gitlab(environment)
    else:
        refuse_usage("it runs in a job of GitHub Actions or GitLab CI")
    if place is None:
        done = "no open request has this commit as its last: nothing to do"
    else:
        text = _prepare(file.read(LIMIT * 4), link, fork)
        done = f"comment {keep_comment(place, MARK, text)}"
    if not option_value("quiet"):
        click.echo(done, err=True)


def _prepare(text: str, link: str, fork: str) -> str:
    """Return the text with the mark, defused, with the link, and within the limit."""
    below = f"\n[Everything in the review]({link})\n" if _is_plain(link) else ""
    if fork:
        below += f"\nComputed by a run of {code_span(fork)}, whose branch could change it.\n"
    inner = defuse(text.removeprefix(MARK).strip("\n"))
    room = LIMIT - measure(below) - measure(MARK) - 2
    if measure(inner) > room:
        inner = f"The review has no room in a comment: {code_span(f'{len(text):,} letters')}"
    return f"{MARK}\n{inner}\n{below}"


def _is_plain(link: str) -> bool:
    return link.startswith("https://") and not set(link) & set(" \t\n()<>\"'\\`")


def _on_github(environment: Mapping[str, str]) -> tuple[Conversation | None, str]:
    """Return the place, if a request is open, and the repository of the fork that ran, if any."""
    api, token, repository = (
        _require(environment, name)
        for name in ("GITHUB_API_URL", "GITHUB_TOKEN", "GITHUB_REPOSITORY")
    )
    event = json.loads(Path(_require(environment, "GITHUB_EVENT_PATH")).read_bytes())
    request, run, fork = event.get("pull_request"), event.get("workflow_run"), ""
    if request is not None:
        number = int(request["number"])
    elif run is not None:
        head = f"{run['head_repository']['owner']['login']}:{run['head_branch']}"
        request_number = find_pull_request(api, token, repository, head, run["head_sha"])
        if request_number is None:
            return None, ""
        number, name = request_number, str(run["head_repository"].get("full_name") or "")
        fork = name if name != repository else ""
    else:
        refuse_usage("the job runs on neither pull_request nor workflow_run")
    return Conversation.of_github(api, token, repository, number), fork


def _on_gitlab(environment: Mapping[str, str]) -> Conversation:
    api, token, project, number = (
        _require(environment, name)
        for name in (
            "CI_API_V4_URL",
            "SPOKERENDER_GITLAB_TOKEN",
            "CI_PROJECT_ID",
            "CI_MERGE_REQUEST_IID",
        )
    )
    return Conversation.of_gitlab(api, token, project, int(number))


def _require(environment: Mapping[str, str], name: str) -> str:
    value = environment.get(name, "")
    if not value:
        refuse_usage(f"the variable {name} is not set")
    return value

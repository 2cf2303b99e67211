"""Find where spokerender was installed from, so that CI can install the same."""

import json
import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import unquote, urlsplit

from spokerender import __version__
from spokerender.edge.git.repository import GitRepository
from spokerender.findings.errors import GitError
from spokerender.model.shapes import as_mapping

_COMMIT = r"[0-9a-f]{40}(?:[0-9a-f]{24})?"
_PLACE = r"[A-Za-z0-9.-]+(?::[0-9]+)?/[A-Za-z0-9._~/+-]*"
"""A host and a path without credentials, and without special characters of shells or YAML."""
_SOURCE = re.compile(rf"git\+(?:https://|ssh://(?:git@)?){_PLACE}@{_COMMIT}|https://{_PLACE}")


def is_source(text: str) -> bool:
    """Return whether a text names a commit of a Git repository, or an index of packages."""
    return bool(_SOURCE.fullmatch(text))


def read_record() -> str | None:
    """Return pip's record of a direct installation (PEP 610); None if it came from an index."""
    try:
        return distribution("spokerender").read_text("direct_url.json")
    except PackageNotFoundError:
        return None


def installed_source(record: str | None) -> str:
    """Return the Git URL and commit of an installation; empty if others can't install the same.

    For a clone, this is the commit that is checked out, if its remote `origin` has the commit.
    """
    try:
        origin = as_mapping(json.loads(record or "null"))
    except ValueError:
        return ""
    url, from_git = str(origin.get("url")), as_mapping(origin.get("vcs_info"))
    commit = str(from_git.get("commit_id"))
    if "dir_info" in origin:
        url, commit = _read_clone(Path(unquote(urlsplit(url).path)))
    elif from_git.get("vcs") != "git":
        return ""
    # Credentials in the URL must not get into a project's CI.
    bare = re.sub("^(https://)[^/]*@", r"\1", url)
    source = f"git+{bare}@{commit}"
    return source if is_source(source) else ""


def find_documentation(record: str | None) -> str:
    """Return the URL of the page of findings at the installed commit; empty if there is none."""
    source = installed_source(record) if record is not None and '"vcs_info"' in record else ""
    url, _, commit = source.removeprefix("git+").rpartition("@")
    is_web = url.startswith("https://")
    return f"{url.removesuffix('.git')}/blob/{commit}/docs/findings.md" if is_web else ""


def _read_clone(folder: Path) -> tuple[str, str]:
    try:
        repository = GitRepository(folder)
        url = repository.ask("config", "--get", "remote.origin.url")
        # A commit that only this clone has can't be installed elsewhere.
        where = ("--count=1", "--contains=HEAD", "refs/remotes/origin")
        if not repository.ask("for-each-ref", *where):
            return "", ""
        return url.decode().strip(), repository.ask("rev-parse", "HEAD").decode().strip()
    except GitError:
        return "", ""


def list_versions() -> str:
    """Return the versions that render the same bytes as this one (see the changelog)."""
    major, minor, *_ = __version__.split(".")
    return f">={major}.{minor},<{major}.{int(minor) + 1}"

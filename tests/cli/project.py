"""A project on disk and the commands run in it, as a user runs them."""

import io
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from spokerender.cli import run
from spokerender.model.releases import list_newest
from tests.support import end_to_end as e2e, rows_of, text_of
from tests.support.git import commit_all

CLASS = text_of(__file__, "project_class.yaml")
TLS = '    tls: {options: {example.com/versions: "1.3"}}\n'
"""What check demands of a listener of protocol HTTPS."""
WEB = text_of(__file__, "project_web.yaml")
ANSWERED = WEB + "  rules: [{filters: [{type: RequestRedirect, requestRedirect: {port: 444}}]}]\n"
"""Requests get an answer; without rules, the route answers all of them with 500."""
AUTH = text_of(__file__, "project_auth.yaml")
RULES = '  rules: {authentication: {key: {jwt: {issuerUrl: "https://id.example.com"}}}}\n'
"""What makes it a policy that API servers take."""
PLACEMENT = text_of(__file__, "project_placement.yaml")
OVERRIDES = rows_of(__file__, "overrides")
FLEET = """\
apiVersion: spokerender.io/v1alpha1
kind: Fleet
spec:
"""


def basis(*products: str) -> str:
    """What `check` says of the carried CRDs that it took unasked: the newest of these products."""
    newest = {release.product: release.title for release in list_newest()}
    return (
        f"validated by {' and '.join(newest[product] for product in products)},\n"
        "  the newest CRDs that spokerender has; if the clusters have others, name them\n"
        "  under crds in fleet.yaml (spokerender crds list)\n"
    )


ROUTES = basis("gateway-api")
"""Where AuthPolicies have a CRD of the project."""
BASIS = basis("gateway-api", "kuadrant")
"""Of the project here, which has no CRD."""
THING = rows_of(__file__, "thing")
"""A policy of a kind that has no CRD anywhere."""
THINGS = f"{FLEET}  policiesToSync: [{{group: example.com, kind: Thing}}]\n"
UNVALIDATED = (
    "not validated: 2 objects of 1 kind without a CRD: Thing\n"
    "  kubectl get crds things.example.com -o yaml | spokerender crds add -\n"
)
PROJECT: Mapping[str, str] = {
    "hub/class.yaml": CLASS,
    "hub/web.yaml": WEB,
    "hub/auth.yaml": AUTH + RULES,
    "placement.yaml": PLACEMENT,
}


@dataclass(frozen=True)
class Done:
    """What a command did: its exit status, and what it printed."""

    status: int
    out: str
    err: str


def call(*arguments: str) -> Done:
    """Run a command in this process, where the process is."""
    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2)]
    with redirect_stdout(streams[0]), redirect_stderr(streams[1]):
        status = run(arguments)
    out, err = (stream.buffer.getvalue().decode() for stream in streams)
    return Done(status, out, err)


@dataclass(frozen=True)
class Shell:
    """A folder with a project in it; commands run there."""

    folder: Path
    capsys: pytest.CaptureFixture[str]

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Put files into the folder."""
        e2e.write(self.folder, files)

    def run(self, *arguments: str) -> Done:
        """Run a command in this process."""
        self.capsys.readouterr()
        status = run(arguments)
        out, err = self.capsys.readouterr()
        return Done(status, out, err)

    def succeed(self, *arguments: str) -> Done:
        """Run a command that does what it is asked."""
        done = self.run(*arguments)
        assert done.status == 0, done.err
        return done

    def pass_silently(self, *arguments: str) -> Done:
        """Run a command that has nothing to complain of."""
        done = self.run(*arguments)
        assert (done.status, done.err) == (0, "")
        return done

    def refuse(self, *arguments: str) -> Done:
        """Run a command on wrong input: it prints nothing but what is wrong."""
        done = self.run(*arguments)
        assert (done.status, done.out) == (2, "")
        return done

    def commit(self, message: str = "test") -> None:
        """Commit all that is in the folder, which is a repository from then on."""
        commit_all(self.folder, message)

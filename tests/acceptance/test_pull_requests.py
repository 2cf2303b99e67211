"""Pull requests on the flagship: `check --against` answers each as a careful reviewer would."""

import re
import shutil
from pathlib import Path

import pytest

from spokerender.cli import run
from tests.cli.project import Done, Shell
from tests.conftest import ROOT
from tests.support import text_of
from tests.support.git import commit_all, needs_git

pytestmark = needs_git

STAGING = "[ap-southeast-1-staging, eu-west-1-staging]"
ANONYMOUS = f"""
    - target: {{kind: AuthPolicy, namespace: checkout, name: checkout}}
      spokes: {{names: {STAGING}}}
      patch:
        - op: replace
          path: /spec/rules/authentication
          value: {{everybody: {{anonymous: {{}}}}}}
        - {{op: remove, path: /spec/rules/authorization}}
"""
OPEN_ROUTE = text_of(__file__, "pull_requests.yaml")


class PullRequest:
    """A branch of a repository that has the flagship and its tree on `main`."""

    def __init__(self, shell: Shell, repository: Path) -> None:
        self.shell, self.folder = shell, Path(shell.folder)
        shutil.copytree(repository, self.folder, dirs_exist_ok=True)

    def edit(self, name: str, old: str, new: str) -> int:
        """Replace a text that is in a file once; return its line."""
        text = (self.folder / name).read_text()
        assert text.count(old) == 1
        (self.folder / name).write_text(text.replace(old, new))
        return text[: text.index(old)].count("\n") + 1

    def check(self) -> Done:
        """Compare with `main`."""
        return self.shell.run("check", "--against", "main", "--only", "policies")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository that every pull request starts from."""
    folder = tmp_path_factory.mktemp("shop")
    shutil.copytree(ROOT / "examples" / "shop", folder, dirs_exist_ok=True)
    assert run(["build", str(folder)]) == 0
    commit_all(folder)
    return folder


@pytest.fixture
def request_(
    repository: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> PullRequest:
    monkeypatch.chdir(tmp_path)
    return PullRequest(Shell(tmp_path, capsys), repository)


def findings(done: Done, code: str) -> list[str]:
    """Return the first lines of the findings with a code."""
    return [line for line in done.err.splitlines() if f" {code}" in line]


def test_a_refactoring_passes(request_: PullRequest) -> None:
    """Files move, documents split, keys and comments change: every object stays what it is."""
    hub = request_.folder / "hub"
    first, second = (hub / "teams/cart/policies.yaml").read_text().split("---\n")
    (hub / "teams/cart/policies.yaml").unlink()
    (hub / "cart").mkdir()
    (hub / "cart/limits.yaml").write_text(f"# How much one may ask.\n{second}")
    (hub / "cart/auth.yaml").write_text(first.replace("# Customers only.\n", ""))
    request_.edit("hub/teams/checkout/routes.yaml", "request: 30s\n", "request: 30s # slow\n")
    assert request_.shell.run("build").out.startswith("clusters: ")
    assert findings(request_.shell.succeed("check", "--against", "main"), "SR19") == []


def test_anonymous_by_an_override_on_two_spokes_is_refused(request_: PullRequest) -> None:
    name = "placement/shop.yaml"
    path = request_.folder / name
    line = path.read_text().count("\n") + 2
    path.write_text(path.read_text() + ANONYMOUS)
    done = request_.check()
    assert done.status == 1
    (finding,) = findings(done, "SR1901")
    assert finding.startswith(f"{name}:{line + 3}: error SR1901 AuthPolicy checkout/checkout")
    assert re.search(r"on 2 spokes: ap-southeast-1-staging, eu-west-1-staging", done.err)
    assert "spokes: [ap-southeast-1-staging, eu-west-1-staging]" in done.err
    assert "lost: opens" in done.err


def test_a_predicate_that_lets_everybody_through_is_refused(request_: PullRequest) -> None:
    name = "hub/teams/checkout/policies.yaml"
    old = "- predicate: auth.identity.email_verified == true"
    line = request_.edit(name, old, f"{old} || true")
    done = request_.check()
    assert done.status == 1
    (finding,) = findings(done, "SR1901")
    assert re.match(rf"{name}:\d+: error SR1901 AuthPolicy checkout/checkout", finding)
    assert int(finding.split(":")[1]) <= line
    assert "on all 8 spokes" in done.err
    assert findings(done, "SR1909") == []


def test_a_hostname_that_is_mapped_to_another_one_is_refused(request_: PullRequest) -> None:
    mapped = '{"*.shop.example.com": "*.'
    request_.edit("placement/platform.yaml", f"{mapped}{{", f"{mapped}x.{{")
    done = request_.check()
    assert done.status == 1
    assert findings(done, "SR1910")
    assert re.search(r"nothing serves .*(www|api)\..* any more", done.err)
    assert "lost: unserved" in done.err


def test_a_further_hostname_and_a_guarded_route_pass(request_: PullRequest) -> None:
    """The gateway's own policy keeps everybody out until the route's team lets somebody in."""
    route = OPEN_ROUTE.partition("---\n")[0]
    (request_.folder / "hub/teams/checkout/export.yaml").write_text(route)
    request_.edit(
        "hub/teams/checkout/routes.yaml",
        "    - api.shop.example.com\n",
        "    - api.shop.example.com\n    - pay.shop.example.com\n",
    )
    done = request_.check()
    assert (done.status, findings(done, "SR19")) == (0, [])


def test_an_open_route_and_a_second_way_in_are_reported(request_: PullRequest) -> None:
    """Any of several methods of authentication lets a request in."""
    name, policies = (f"hub/teams/checkout/{one}.yaml" for one in ("export", "policies"))
    (request_.folder / name).write_text(OPEN_ROUTE)
    key = "second: {apiKey: {selector: {matchLabels: {app: partner}}}}"
    request_.edit(policies, "      customers:\n", f"      {key}\n      customers:\n")
    done = request_.check()
    lines = findings(done, "SR1911")  # staging has hostnames of its own
    start = f"{name}:1: warning SR1911 HTTPRoute checkout/export"
    assert lines
    assert all(line.startswith(start) for line in lines)
    assert "under api.{{ spoke.values.domain }}" in done.err
    assert f"{policies}:16: warning SR1909 AuthPolicy checkout/checkout" in done.err
    assert "lets in more callers than before in rules.authentication.second" in done.err
    assert done.status == 0


def test_the_loss_of_a_limit_is_told_of_its_own_policy_alone(request_: PullRequest) -> None:
    """Limits of several policies stand side by side: the others are what they were."""
    name = "hub/teams/cart/policies.yaml"
    (request_.folder / name).write_text((request_.folder / name).read_text().partition("---\n")[0])
    done = request_.check()
    (line,) = findings(done, "SR1901")
    assert "error SR1901 RateLimitPolicy cart/cart: would go" in line
    assert done.status == 1

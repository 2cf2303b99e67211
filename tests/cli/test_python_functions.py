"""A metapolicy in Python: what its author sees and answers, and all that can be wrong with it."""

import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tests.cli.project import Done, Shell
from tests.conftest import ROOT
from tests.support import cases, cyaml, manifest, rows_of
from tests.support.functions import quotas

FILE = "python: {file: code/quota.py}\n"
MADE = "shop/ratelimitpolicy.kuadrant.io_fair-limits.yaml"
START = rows_of(__file__, "start")
LINES = START.count("\n")
KINDS = "gateway.networking.k8s.io"
READS = (
    f"[{{group: {KINDS}, kind: Gateway}}, {{group: {KINDS}, kind: HTTPRoute}}, "
    "{group: spokerender.io, kind: Spoke}, {group: kuadrant.io, kind: AuthPolicy}]"
)


def write(shell: Shell, body: str, way: str = FILE, **more: str) -> Path:
    """A project whose function has this body."""
    folder = quotas(Path(shell.folder), way, **more)
    (folder / "code").mkdir()
    rewrite(folder, body)
    return folder


def rewrite(folder: Path, body: str) -> None:
    """Another body."""
    text = "".join(f"    {line}\n" for line in dedent(body).splitlines())
    (folder / "code" / "quota.py").write_text(f"{START}def render(policy, spoke):\n{text}")


def built(shell: Shell, body: str, way: str = FILE, **more: str) -> Done:
    """What a build says of such a project."""
    write(shell, body, way, **more)
    return shell.run("build", "--allow-project-code")


def limit_in(shell: Shell, spoke: str = "eu") -> object:
    """The limit that was made for a spoke."""
    text = (Path(shell.folder) / "clusters" / spoke / MADE).read_text(encoding="utf-8")
    return cyaml.safe_load(text)["spec"]["limits"]["fair"]["rates"][0]["limit"]


def refused(shell: Shell, done: Done) -> str:
    """The only error of a build that was refused and has written nothing."""
    assert done.status == 2, done
    assert not (Path(shell.folder) / "clusters").exists()
    (error,) = [line for line in done.err.splitlines() if " error SR" in line]
    return error.partition(" error ")[2]


def test_a_file_runs_only_where_the_command_line_says_so(empty: Shell) -> None:
    folder = write(empty, "return []")
    (folder / "code" / "quota.py").write_text("open('ran', 'w')")
    assert refused(empty, empty.run("build")) == (
        "SR2814 spec.python.file: the code in code/quota.py belongs to the project and is not "
        "allowed to run"
    )
    assert not (folder / "ran").exists()


def test_edits_come_out(empty: Shell) -> None:
    assert built(empty, "yield limits(policy, policy.spec['perMinute'])").status == 0
    assert limit_in(empty) == 3
    assert not list(Path(empty.folder).rglob("__pycache__"))
    told = empty.run("explain", "RateLimitPolicy/shop/fair-limits", "--allow-project-code").out
    assert "a fair share" in told


def test_typed_views_go_in(empty: Shell) -> None:
    body = """
        (gateway,) = policy.gateways()
        (listener,) = gateway.listeners_of
        (route,) = policy.routes()
        assert (gateway.name, gateway.gateway_class) == ("web", "istio")
        assert gateway.namespace == spoke.values["ns"] == f"edge-{spoke.name}"
        assert (listener.name, listener.port) == ("http", 80)
        assert [listener] == gateway.listeners() == policy.listeners() == route.listeners()
        assert route.hostnames() == [f"cart.{spoke.values['domain']}"] == policy.hostnames()
        assert (route.kind, route.name, route.rule_names) == ("HTTPRoute", "cart", ())
        assert spoke.labels == {"region": spoke.name}
        assert spoke.gateways() == [gateway] and spoke.routes() == [route] == gateway.routes()
        assert policy.policies("AuthPolicy") == spoke.policies("AuthPolicy.kuadrant.io") == []
        assert policy.policies_in_force("AuthPolicy") == []
        assert route.object()["spec"]["hostnames"] == list(route.own_hostnames)
        assert spoke.objects("HTTPRoute") == [route.object()]
        assert policy.target_refs[0].name == "cart" and policy.labels == {}
        assert policy.object()["spec"] == policy.spec
        policy.spec["targetRef"]["name"] = route.object()["kind"] = "changed"
        yield limits(policy, len(spoke.values["domain"]))
    """
    done = built(empty, body, reads=READS)
    assert (done.status, done.err) == (0, "")
    assert limit_in(empty) == 10


def test_it_changes_removes_and_tells(empty: Shell) -> None:
    body = """
        (route,) = policy.routes()
        yield change(route, {"metadata": {"labels": {"host": route.hostnames()[0]}}})
        yield tell(f"{route.name} has a label", severity="warning", cure="none needed")
        yield remove(spoke.objects("AuthPolicy")[0], "it goes")
    """
    folder = write(empty, body, reads=READS, writes=READS)
    hub = folder / "hub" / "hub.yaml"
    policy = manifest("AuthPolicy shop/a")
    policy += f"spec: {{targetRef: {{group: {KINDS}, kind: HTTPRoute, name: cart}}}}\n"
    hub.write_text(f"{hub.read_text(encoding='utf-8')}---\n{policy}", encoding="utf-8")
    done = empty.run("build", "-v", "--allow-project-code")
    assert done.status == 0, done
    assert "warning SR2816 QuotaPolicy shop/fair: cart has a label" in done.err
    shop = folder / "clusters" / "us" / "shop"
    assert [path.name for path in shop.iterdir()] == [
        "httproute.gateway.networking.k8s.io_cart.yaml"
    ]
    assert "host: cart.us.example" in next(shop.iterdir()).read_text(encoding="utf-8")


@cases(*rows_of(__file__, "what_is_wrong_is_told_with_its_line"))
def test_what_is_wrong_is_told_with_its_line(body: str, message: str, empty: Shell) -> None:
    assert message in refused(empty, built(empty, body))


@cases(*rows_of(__file__, "what_can_not_be_loaded_is_told"))
def test_what_can_not_be_loaded_is_told(text: str, way: str, message: str, empty: Shell) -> None:
    folder = write(empty, "return []", way)
    (folder / "code" / "quota.py").write_text(text, encoding="utf-8")
    assert message in refused(empty, empty.run("build", "--allow-project-code"))


def test_a_function_that_is_not_pure_is_found_where_that_is_asked(empty: Shell) -> None:
    folder = write(empty, "import time\nyield limits(policy, time.time_ns() % 10**9)")
    empty.succeed("build", "--allow-project-code")
    done = empty.run("check", "--allow-project-code", "--check-pure")
    assert done.status == 2
    assert (
        "SR2817 QuotaPolicy shop/fair: two calls of the function return different edits" in done.err
    )
    rewrite(folder, "yield limits(policy, 5)")
    empty.succeed("build", "--allow-project-code", "--check-pure")


def test_an_order_that_is_a_sets_is_found_where_that_is_asked(empty: Shell) -> None:
    words = "'-'.join({str(number) for number in range(40)})"
    folder = write(empty, f"yield limits(policy, {words})")
    empty.succeed("build", "--allow-project-code")
    done = empty.run("build", "--allow-project-code", "--check-pure")
    assert done.status == 2
    assert f"SR2817: rendered again with another PYTHONHASHSEED, eu/{MADE} differs" in done.err
    rewrite(folder, "yield limits(policy, '-'.join(sorted({'a', 'b', 'c'})))")
    empty.succeed("build", "--allow-project-code", "--check-pure")


def test_what_it_prints_is_not_among_the_product(empty: Shell) -> None:
    write(empty, "print('here')\nyield limits(policy, 5)")
    done = empty.succeed("build", "-o", "-", "--allow-project-code")
    assert "here" not in done.out
    assert "here" in done.err


def test_an_installed_package_offers_functions_and_they_always_run(
    empty: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    (site / "acme-1.0.dist-info").mkdir(parents=True)
    (site / "acme-1.0.dist-info" / "METADATA").write_text("Name: acme\nVersion: 1.0\n")
    (site / "acme-1.0.dist-info" / "entry_points.txt").write_text(
        "[spokerender.metapolicies]\nacme-quota = acme_quota:render\n"
    )
    (site / "acme_quota.py").write_text(
        f"{START}def render(policy, spoke):\n    return [limits(policy, 7)]\n"
    )
    monkeypatch.syspath_prepend(site)
    quotas(Path(empty.folder), "python: {entryPoint: acme-quota}\n")
    empty.succeed("build")
    assert limit_in(empty) == 7
    sys.modules.pop("acme_quota")


def test_the_example_of_the_documentation_renders(empty: Shell) -> None:
    page = (ROOT / "docs" / "metapolicies.md").read_text(encoding="utf-8")
    definition = page.partition("```yaml\n")[2].partition("```")[0]
    code = page.partition("```python\n")[2].partition("```")[0]
    folder = quotas(Path(empty.folder), FILE)
    (folder / "quota.yaml").write_text(definition, encoding="utf-8")
    (folder / "policies").mkdir()
    (folder / "policies" / "quota.py").write_text(code, encoding="utf-8")
    empty.pass_silently("build", "--allow-project-code")
    made = folder / "clusters" / "eu" / MADE.replace("limits", "quota")
    assert "limit: 3" in made.read_text(encoding="utf-8")
    reason = empty.run("explain", "RateLimitPolicy/shop/fair-quota", "--allow-project-code").out
    assert "for cart.{{ spoke.values.domain }}" in reason


@cases(("spoke.values.get('a')", 1), ("spoke.name", 2), ("spoke.labels", 1))
def test_it_is_asked_again_only_for_what_it_looked_at(
    looks_at: str, calls: int, empty: Shell
) -> None:
    count = "with open('calls', 'a') as file: file.write('x')"
    body = f"{count}\n{looks_at}\nyield limits(policy, 5)"
    assert built(empty, body, reads=READS).status == 0
    assert (Path(empty.folder) / "calls").read_text(encoding="utf-8") == "x" * calls

"""kustomize's published example functions run as metapolicies, as they are.

They are built outside the tree, once: the one that is in a module by `make weekly`, those that are
in no module from a checkout of kustomize that SPOKERENDER_KUSTOMIZE names. kpt's catalogue is in no
module that the proxy has, and can't be built from one.
"""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.project import Done, Shell
from tests.support import cyaml, rows_of
from tests.support.functions import quotas
from tests.support.metapolicies import QUOTA
from tests.support.profiles import is_weekly

pytestmark = [pytest.mark.krm, pytest.mark.slow]

KYAML = "v0.21.1"
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "spokerender" / "krm"
EXAMPLES = "functions/examples"
FUNCTIONS = rows_of(__file__, "functions")
"""Each with the folder of its program in kustomize's examples; that of kyaml is a module's."""


@pytest.fixture(scope="session")
def function() -> Callable[[str], Path]:
    """A function by its name, built if it is not yet."""

    def found(name: str) -> Path:
        if not (CACHE / name).exists():
            if shutil.which("go") is None:
                pytest.skip("Go is not installed")
            CACHE.mkdir(parents=True, exist_ok=True)
            _build(name)
        return CACHE / name

    return found


def _build(name: str) -> None:
    environment = {**os.environ, "GOBIN": str(CACHE), "GOFLAGS": "-mod=mod"}
    if not FUNCTIONS[name]:
        if not is_weekly():
            pytest.skip(f"{name} is missing: `make weekly` builds it with Go, once")
        target = f"sigs.k8s.io/kustomize/kyaml/fn/framework/{name}@{KYAML}"
        steps, folder = [["go", "install", target]], CACHE
    else:
        checkout = os.environ.get("SPOKERENDER_KUSTOMIZE")
        if checkout is None:
            pytest.skip("SPOKERENDER_KUSTOMIZE names no checkout of kustomize")
        copy = CACHE / "src" / name
        shutil.copytree(Path(checkout, EXAMPLES, name), copy, dirs_exist_ok=True)
        folder = CACHE / "src" / FUNCTIONS[name]
        update = ["go", "get", f"sigs.k8s.io/kustomize/kyaml@{KYAML}"]
        steps = [update, ["go", "build", "-o", str(CACHE / name), "."]]
    for step in steps:
        done = subprocess.run(step, cwd=folder, env=environment, capture_output=True, check=False)
        if done.returncode:
            reason = done.stderr.decode().strip().splitlines()[-1]
            pytest.skip(f"{name} can't be built here: {reason}")


def definition(name: str, group: str, kind: str, function: Path, **more: str) -> str:
    """A definition whose function is this."""
    return (
        "apiVersion: spokerender.io/v1alpha1\n"
        "kind: MetapolicyDefinition\n"
        f"metadata: {{name: {name}}}\n"
        "spec:\n"
        f"  for: {{group: {group}, kind: {kind}}}\n"
        f"  reads: {more.get('reads', '[]')}\n"
        f"  writes: {more.get('writes', '[]')}\n"
        f"  exec: {{path: {function}, args: {more.get('args', '[]')}}}\n"
    )


def metapolicy(api: str, kind: str, more: str = "", name: str = "demo") -> str:
    """A metapolicy on the route."""
    target = "targetRef: {group: gateway.networking.k8s.io, kind: HTTPRoute, name: cart}"
    return (
        f"---\napiVersion: {api}\nkind: {kind}\nmetadata: {{name: {name}, namespace: shop}}\n"
        f"spec:\n  {target}\n{more}"
    )


def built(shell: Shell, definitions: str, metapolicies: str) -> Done:
    """What a build says of a project with these."""
    folder = quotas(Path(shell.folder), "exec: {path: none}\n")
    (folder / "quota.yaml").write_text(definitions, encoding="utf-8")
    hub = folder / "hub" / "hub.yaml"
    text = hub.read_text(encoding="utf-8").replace(f"---\n{QUOTA}", "")
    hub.write_text(text + metapolicies, encoding="utf-8")
    return shell.run("build", "--allow-project-code", "--check-pure")


def objects(shell: Shell) -> dict[str, dict[str, object]]:
    """What a spoke gets, by kind and name."""
    paths = (Path(shell.folder) / "clusters" / "eu" / "shop").iterdir()
    found = [cyaml.safe_load(path.read_text(encoding="utf-8")) for path in paths]
    return {f"{each['kind']} {each['metadata']['name']}": each for each in found}


GROUP = "examples.config.kubernetes.io"
API = f"{GROUP}/v1beta1"
DEPLOYMENT = "{group: apps, kind: Deployment}"
NGINX = f'[{DEPLOYMENT}, {{group: "", kind: Service}}]'
NGINX_FUNCTION = "template-go-nginx"
ANNOTATE = rows_of(__file__, "annotate")


def test_a_template_makes_its_objects(empty: Shell, function: Callable[[str], Path]) -> None:
    nginx = definition("nginx", GROUP, "Nginx", function(NGINX_FUNCTION), writes=NGINX)
    done = built(empty, nginx, metapolicy(API, "Nginx", "  replicas: 4\n"))
    assert (done.status, done.err) == (0, "")
    found = objects(empty)
    assert sorted(found) == ["Deployment demo", "HTTPRoute cart", "Service demo"]
    assert found["Deployment demo"]["spec"]["replicas"] == 4  # type: ignore[index]
    assert found["Service demo"]["metadata"] == {
        "name": "demo",
        "namespace": "shop",
        "labels": {"app": "nginx", "instance": "demo"},
    }


def test_kyamls_own_example_makes_what_its_arguments_say(
    empty: Shell, function: Callable[[str], Path]
) -> None:
    writes = "[{kind: ServiceAccount}]"
    example = definition("example", GROUP, "Example", function("example"), writes=writes)
    done = built(empty, example, metapolicy(API, "Example", name="demo") + "value: hello\n")
    assert (done.status, done.err) == (0, "")
    found = objects(empty)["ServiceAccount hello"]
    assert found["metadata"]["annotations"] == {"value": "hello"}  # type: ignore[index]


def test_what_one_makes_the_next_ones_change(empty: Shell, function: Callable[[str], Path]) -> None:
    deployments = f"[{DEPLOYMENT}]"
    sized = "injection-tshirt-sizes"
    tshirt = definition("tshirt", GROUP, "Tshirt", function(sized), writes=deployments)
    annotate = definition("annotate", GROUP, "Size", Path("-"), reads=deployments)
    annotate = annotate.partition("  exec:")[0] + "  python: {file: annotate.py}\n"
    annotate = annotate.replace("writes: []", f"writes: {deployments}\n  after: [nginx]")
    definitions = [
        definition("nginx", GROUP, "Nginx", function(NGINX_FUNCTION), writes=NGINX),
        annotate,
        tshirt.replace("reads: []", f"reads: {deployments}\n  after: [annotate, nginx]"),
    ]
    Path(empty.folder).mkdir(exist_ok=True)
    (Path(empty.folder) / "annotate.py").write_text(ANNOTATE, encoding="utf-8")
    size = metapolicy(API, "Size", "  size: small\n")
    metapolicies = metapolicy(API, "Nginx") + size + metapolicy(API, "Tshirt")
    done = built(empty, "---\n".join(definitions), metapolicies)
    assert (done.status, done.err) == (0, "")
    deployment = cyaml.safe_dump(objects(empty)["Deployment demo"])
    assert "cpu: 200m" in deployment
    assert "memory: 50M" in deployment


def test_a_validator_refuses_the_build(empty: Shell, function: Callable[[str], Path]) -> None:
    validator = function("validator-resource-requests")
    definitions = [
        definition("nginx", GROUP, "Nginx", function(NGINX_FUNCTION), writes=NGINX),
        definition("validator", GROUP, "Validator", validator, reads=f"[{DEPLOYMENT}]"),
    ]
    metapolicies = metapolicy(API, "Nginx") + metapolicy(API, "Validator")
    done = built(empty, "---\n".join(definitions), metapolicies)
    assert done.status == 2
    assert "error SR2815 Validator shop/demo" in done.err
    assert "it exits with status 1: cpu-requests missing for a container in Deployment" in done.err


def test_an_application_is_made_of_what_is_read(
    empty: Shell, function: Callable[[str], Path]
) -> None:
    writes = "[{group: app.k8s.io, kind: Application}]"
    program = function("application-cr")
    app = definition("app", GROUP, "CreateApp", program, writes=writes)
    more = "  managedBy: me\n  name: cart\n  namespace: shop\n"
    done = built(empty, app, metapolicy(API, "CreateApp", more))
    assert (done.status, done.err) == (0, "")
    assert "Application cart" in objects(empty)


def test_one_that_takes_no_target_says_so(empty: Shell, function: Callable[[str], Path]) -> None:
    """Its kind forbids a spec, and so a target: it can't be told for which spokes it is."""
    program = function("fn-framework-application")
    app = definition("app", "platform.example.com", "ExampleApp", program, writes=NGINX)
    more = "env: production\nworkloads: {webWorkers: [{name: web, domains: [example.com]}]}\n"
    found = metapolicy("platform.example.com/v1alpha1", "ExampleApp", more)
    built(empty, app, found)
    told = empty.run("build", "-v", "--allow-project-code").err
    assert "ExampleApp shop/demo: it says: validation failure list:" in told
    assert ".spec in body is a forbidden property" in told

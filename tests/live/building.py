"""The programs that the tests start: built from the Go module proxy, at the versions pinned here.

Each has a module of its own below `engines/`, since their dependencies do not go together. What
is built stays outside of the repository, under a name that tells from what it was made.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

ENGINES = Path(__file__).parent / "engines"
SECONDS = 3600
"""kube-apiserver takes most of it on two cores, the first time."""


@dataclass(frozen=True)
class Engine:
    """A program: the folder that pins it, its package, and the module that this is in.

    The package is `.` where a program of ours in that folder calls the module's own code. Where
    that is internal to the module, or the module lacks files that its own releases add, the package
    is built in a copy of the module, to which `inside` adds the folder's other files.
    """

    name: str
    pinned: str
    package: str
    module: str
    inside: str = ""

    @property
    def version(self) -> str:
        """The version that the module pins."""
        text = (ENGINES / self.pinned / "go.mod").read_text()
        found = re.search(rf"^\s*(?:require )?{re.escape(self.module)} (\S+)", text, re.MULTILINE)
        assert found is not None, self.module
        return found[1]


KUBERNETES = "k8s.io/kubernetes"
ENGINES_BY_NAME = {
    engine.name: engine
    for engine in (
        Engine(
            "kustomize",
            "kustomize",
            "sigs.k8s.io/kustomize/kustomize/v5",
            "sigs.k8s.io/kustomize/kustomize/v5",
        ),
        Engine(
            "kubeconform",
            "kubeconform",
            "github.com/yannh/kubeconform/cmd/kubeconform",
            "github.com/yannh/kubeconform",
        ),
        Engine("etcd", "etcd", "go.etcd.io/etcd/server/v3", "go.etcd.io/etcd/server/v3"),
        Engine("kube-apiserver", "kubernetes", f"{KUBERNETES}/cmd/kube-apiserver", KUBERNETES),
        Engine("kubectl", "kubernetes", f"{KUBERNETES}/cmd/kubectl", KUBERNETES),
        Engine(
            "registry",
            "registry",
            "github.com/distribution/distribution/v3/cmd/registry",
            "github.com/distribution/distribution/v3",
        ),
        Engine("work-agent", "ocm", ".", "open-cluster-management.io/ocm"),
        Engine(
            "kustomize-controller",
            "flux",
            "github.com/fluxcd/kustomize-controller",
            "github.com/fluxcd/kustomize-controller",
        ),
        Engine(
            "flux", "flux-command", "./cmd/flux", "github.com/fluxcd/flux2/v2", "cmd/flux/manifests"
        ),
        Engine(
            "envoy-gateway-judge",
            "envoy-gateway",
            "./internal/judge",
            "github.com/envoyproxy/gateway",
            "internal/judge",
        ),
        Engine("argocd-judge", "argocd", ".", "github.com/argoproj/argo-cd/v3"),
        Engine("gotext", "gotext", ".", "github.com/Masterminds/sprig/v3"),
        Engine(
            "actionlint",
            "actionlint",
            "github.com/rhysd/actionlint/cmd/actionlint",
            "github.com/rhysd/actionlint",
        ),
    )
}


class MissingError(Exception):
    """A program can't be had here, and why."""


@cache
def program(name: str, seconds: int = SECONDS) -> str:
    """The path of a program; it is built where it was not yet.

    Raises:
        pytest.skip.Exception: it can't be built here, or not in so many seconds, and why.

    """
    try:
        return str(_built(ENGINES_BY_NAME[name], seconds))
    except MissingError as error:
        pytest.skip(f"{name} is missing: {error}")


@cache
def module_folder(name: str) -> Path:
    """Where the files of a program's module are: what it is installed with, beside its sources.

    Raises:
        pytest.skip.Exception: it can't be had here, and why.

    """
    program(name)
    engine = ENGINES_BY_NAME[name]
    command = ["go", "list", "-mod=readonly", "-m", "-f", "{{.Dir}}", engine.module]
    folder = ENGINES / engine.pinned
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return Path(done.stdout.strip())


def _built(engine: Engine, seconds: int) -> Path:
    place = _cache() / _key(engine) / engine.name
    if place.exists():
        return place
    go = shutil.which("go")
    if go is None:
        message = "there is no Go to build it with"
        raise MissingError(message)
    place.parent.mkdir(parents=True, exist_ok=True)
    if not engine.inside:
        return _compiled(ENGINES / engine.pinned, engine.package, place, seconds)
    with TemporaryDirectory(dir=place.parent) as copy:
        _put_inside(engine, Path(copy) / "module")
        return _compiled(Path(copy) / "module", engine.package, place, seconds)


def _put_inside(engine: Engine, copy: Path) -> None:
    """Copy the module that is pinned, and our files into it."""
    folder = ENGINES / engine.pinned
    command = ["go", "mod", "download", "-json", engine.module]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise MissingError((json.loads(done.stdout or "{}").get("Error") or done.stderr)[-500:])
    shutil.copytree(json.loads(done.stdout)["Dir"], copy, copy_function=shutil.copyfile)
    for path in (copy, *copy.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    (copy / engine.inside).mkdir()
    for path in folder.iterdir():
        if path.name not in {"go.mod", "go.sum"}:
            shutil.copy(path, copy / engine.inside)


def _compiled(folder: Path, package: str, place: Path, seconds: int) -> Path:
    unfinished = place.with_suffix(f".{os.getpid()}")
    command = ["go", "build", "-mod=readonly", "-buildvcs=false", "-o", str(unfinished), package]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired as error:
        message = f"it was not built in {seconds} s; what is compiled by now is kept"
        raise MissingError(message) from error
    if done.returncode:
        raise MissingError(done.stderr.strip()[-500:])
    unfinished.rename(place)
    return place


def _cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    return Path(home) / "spokerender" / "live"


def _key(engine: Engine) -> str:
    """A name for what a program is made of."""
    folder = ENGINES / engine.pinned
    made_of = [path.read_bytes() for path in sorted(folder.iterdir())]
    made_of.append(f"{engine.package} {engine.inside}".encode())
    return f"{engine.name}-{engine.version}-{hashlib.sha256(b''.join(made_of)).hexdigest()[:12]}"

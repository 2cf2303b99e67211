"""Small inputs that took minutes or gigabytes: what bounds them is a count, and so is each test."""

import io
import sys
from types import SimpleNamespace

import pytest

from spokerender.adopting import functions
from spokerender.cli import given_files
from spokerender.findings import phrasing
from spokerender.formats.patching import MOST_COPIED, PatchProblem, apply_patch
from spokerender.formats.yamlio import reading
from spokerender.topology import hostnames
from tests.cli.project import FLEET, PLACEMENT, PROJECT, WEB, Shell
from tests.support import each, end_to_end as e2e
from tests.support.counting import calls_of


def test_copies_of_copies_are_refused_before_they_are_made() -> None:
    """Forty of them would make 3.6 GiB."""
    operations = [{"op": "copy", "from": "/spec", "path": f"/spec/x{i}"} for i in range(40)]
    with pytest.raises(PatchProblem, match=f"more than {MOST_COPIED:,} characters"):
        apply_patch({"spec": {"a": "b"}}, operations)


def test_a_few_copies_are_not() -> None:
    operations = [{"op": "copy", "from": "/spec", "path": f"/spec/x{i}"} for i in range(3)]
    assert apply_patch({"spec": {"a": "b"}}, operations)["spec"]["x2"]["x1"]["x0"] == {"a": "b"}


@each(11, 5_000, 100_000)
@each("add", "remove", "replace", "test")
def test_an_index_of_thousands_of_digits(op: str, digits: int) -> None:
    operation = {"op": op, "path": f"/list/{'9' * digits}", "value": 1}
    with pytest.raises(PatchProblem, match="it is a list of 1"):
        apply_patch({"list": [1]}, [operation])


def test_thousands_of_wrong_names_are_not_compared_with_thousands(
    empty: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = calls_of(monkeypatch, phrasing, "_is_near")
    spokes = "".join(f"  - name: spoke-number-{i}\n" for i in range(1000))
    wrong = ", ".join(f"spoke-numbr-{i}" for i in range(1000))
    rule = f"  rules:\n  - {{gateways: {{names: [infra/web]}}, spokes: {{names: [{wrong}]}}}}\n"
    head = PLACEMENT.partition("spec:\n")[0]
    e2e.write(
        empty.folder, {**PROJECT, "placement.yaml": f"{head}spec:\n  spokes:\n{spokes}{rule}"}
    )
    done = empty.run("build")
    assert done.status == 2
    assert "spoke-numbr-999" in done.err
    assert 0 < len(compared) <= 5 * phrasing.MOST_COMPARED  # a word's parts are compared as well


def test_outside_of_a_command_every_word_gets_its_hint() -> None:
    known = [f"name-{'abcdefghij'[i % 10]}{i}" for i in range(500)]
    hints = {phrasing.did_you_mean(f"nmae-{name[5:]}", known) for name in known[:100]}
    assert hints == {f'did you mean "{name}"?' for name in known[:100]}


def test_thousands_of_wrong_fields_are_found_in_one_pass(
    empty: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = calls_of(monkeypatch, reading, "key_name")
    reading._by_name.cache_clear()
    fields = "".join(f"  wrong{i}: 1\n" for i in range(2000))
    e2e.write(empty.folder, {**PROJECT, "fleet.yaml": FLEET + fields})
    assert empty.run("build").err.count("SR1103") >= 2000
    assert len(named) < 10_000


@each("  k: 1\n", "  - !x y\n")
def test_lines_are_shown_of_so_many_findings_only(line: str, empty: Shell) -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n" + line * 1500
    e2e.write(empty.folder, {**PROJECT, "hub/many.yaml": text})
    done = empty.run("build")
    assert done.status == 2
    assert done.err.count("SR1001") > 1400
    assert 0 < sum(line.endswith("^") for line in done.err.splitlines()) < 1000


@each("build", "check")
def test_listeners_and_hostnames_that_no_api_server_takes_are_not_compared(
    command: str, empty: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = calls_of(monkeypatch, hostnames, "_intersects")
    listeners = "".join(
        f"  - {{name: l{i}, port: {i + 1}, protocol: HTTP, hostname: '*.example.com'}}\n"
        for i in range(1400)
    )
    names = ", ".join(f"h{i}.example.com" for i in range(1400))
    gateway, _, route = WEB.partition("---\n")
    gateway, _, _ = gateway.partition("  - name")
    route = route.replace("spec:", f"spec:\n  hostnames: [{names}]")
    e2e.write(empty.folder, {**PROJECT, "hub/web.yaml": f"{gateway}{listeners}---\n{route}"})
    done = empty.run(command)
    assert done.status == 2
    assert "error SR1016 Gateway infra/web spec.listeners: has 1,400 entries" in done.err
    assert "spec.hostnames: has 1,400 entries, and its CRD allows 16" in done.err
    assert len(asked) < 10_000


class Endless(io.RawIOBase):
    """Gives as much as is asked for, and counts it."""

    given = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def read(self, size: int = -1) -> bytes:
        """So much of it."""
        assert size >= 0, "it would never end"
        self.given += size
        return b"#" * size


@each("fn", "import -", "crds add -")
def test_standard_input_that_never_ends(
    command: str, empty: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(given_files, "MOST_PIPED", 100_000)
    source = Endless()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=source))
    done = empty.run(*command.split())
    assert done.status == 2
    assert "error SR1204: standard input is larger than 100,000 bytes" in done.err
    assert source.given == 100_001


def test_items_of_a_pipe_are_not_asked_of_every_folder(
    empty: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = calls_of(monkeypatch, functions, "PurePosixPath")
    folders = ", ".join(f"hub/{i}" for i in range(300))
    config = f"{FLEET}  hub: [{folders}]\n".replace("\n", "\n  ")
    items = "- {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: b}}\n" * 300
    text = (
        "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"
        f"items:\n{items}functionConfig:\n  {config}\n"
    )
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
    assert empty.run("fn").status == 2
    assert len(asked) < 1_000

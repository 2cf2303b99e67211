"""Asked of the real readers: kubectl, and kustomize, through which Argo CD and Flux read."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from spokerender.formats.yamlio import Document, compose, emit, read, unsupported, unsupported_key
from spokerender.formats.yamlio.simple import key_text, resolve
from tests.formats.yamlio.oracle import (
    NASTY,
    RefusedError,
    kubectl_reads,
    kustomize_writes,
    one_object,
)
from tests.support import each, rows_of

pytestmark = pytest.mark.kubectl


def rows(fixtures: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((fixtures / "yaml-scalars-kubectl.json").read_text())[
        "rows"
    ]
    return found


def as_json(data: Any) -> str:
    """To Python, 1 is `True`."""
    return json.dumps(data, sort_keys=True)


def assert_all_read(kubectl: str, folder: Path, text: str, expected: list[Any]) -> None:
    """Assert what kubectl reads in a stream, and what it reads behind kustomize."""
    assert as_json(kubectl_reads(kubectl, text)) == as_json(expected)
    behind = kubectl_reads(kubectl, kustomize_writes(kubectl, folder, text))
    name = lambda value: value["metadata"]["name"]  # noqa: E731
    assert as_json(sorted(behind, key=name)) == as_json(sorted(expected, key=name))


def test_every_string_arrives_in_every_place(kubectl: str, tmp_path: Path, fixtures: Path) -> None:
    scalars = [row["scalar"] for row in rows(fixtures)]
    texts = list(dict.fromkeys([*scalars, *NASTY]))
    assert not any(map(unsupported, texts))
    keys = [text for text in texts if unsupported_key(text) is None]
    assert len(keys) == len(texts) - 1
    thing = one_object(
        "all",
        values={f"k{at}": text for at, text in enumerate(texts)},
        listed=texts,
        nested=[[text, [text]] for text in texts],
        keys={text: at for at, text in enumerate(keys)},
        mixed=[{text: {text: [text]}, "and": text} for text in keys],
    )
    assert_all_read(kubectl, tmp_path, emit(thing), [thing])


def test_every_number_arrives(kubectl: str, tmp_path: Path) -> None:
    numbers = [0, -1, 2**53, 2**63 - 1, -(2**63), 1e15, 1e20, 1e21, 1.5e300, 5e-324, 0.1, -1e-7]
    thing = one_object("all", values=numbers, keys={f"k{at}": it for at, it in enumerate(numbers)})
    expected = read(emit(thing).encode(), "")[0][0].value
    assert expected == thing
    assert_all_read(kubectl, tmp_path, emit(thing), [expected])


def test_plain_scalars_of_the_hub_arrive_as_kubectl_reads_them(
    kubectl: str, tmp_path: Path, fixtures: Path
) -> None:
    readable = [row for row in rows(fixtures) if "error" not in row["kubectl"]]
    values = {f"k{at}": row["kubectl"]["value"] for at, row in enumerate(readable)}
    lines = "".join(f"  k{at}: {row['scalar']}\n" for at, row in enumerate(readable))
    flow = ", ".join(row["scalar"] for row in readable if "," not in row["scalar"])
    text = f"{emit(one_object('all'))}values:\n{lines}flow: [{flow}]\n"
    (document,), problems = read(text.encode(), "")
    assert problems == ()
    assert as_json(document.value["values"]) == as_json(values)
    kept = compose(text, document.value, document.value).text
    assert kept.count("\n") == text.count("\n")
    assert kubectl_reads(kubectl, text) == [document.value]
    assert_all_read(kubectl, tmp_path, kept, [document.value])


def test_plain_scalars_that_kubectl_refuses_are_refused(kubectl: str, fixtures: Path) -> None:
    refused = [row["scalar"] for row in rows(fixtures) if "error" in row["kubectl"]]
    for scalar in refused:
        text = f"{emit(one_object('all'))}value: {scalar}\n"
        with pytest.raises(RefusedError):
            kubectl_reads(kubectl, text)
        assert read(text.encode(), "")[0] == ()


def test_thousands_of_plain_scalars(kubectl: str) -> None:
    short = (
        "".join(parts) for size in (1, 2, 3) for parts in product("0178_.+-eExXoObBa", repeat=size)
    )
    longer = ("".join(parts) for parts in product("017_.e-", repeat=4))
    scalars = [scalar for scalar in (*short, *longer) if scalar != "-"]
    text = emit(one_object("all")) + "values:\n" + "".join(f"- {scalar}\n" for scalar in scalars)
    (thing,) = kubectl_reads(kubectl, text)
    read_so = dict(zip(scalars, thing["values"], strict=True))
    assert as_json(read_so) == as_json({scalar: resolve(scalar) for scalar in scalars})


def test_thousands_of_plain_keys(kubectl: str) -> None:
    short = (
        "".join(parts) for size in (1, 2, 3) for parts in product("0178_.+-eExXoObBay", repeat=size)
    )
    floats = (
        "1.5 1e7 123456789.5 18446744073709551616 .inf .nan 100000.5 1e-5 3.5e38 1e-50 Yes 1.10"
    )
    keys = [key for key in (*short, *floats.split()) if key != "-"]
    text = emit(one_object("all")) + "values:\n" + "".join(f"- {key}: x\n" for key in keys)
    (thing,) = kubectl_reads(kubectl, text)
    read_so = dict(zip(keys, (next(iter(value)) for value in thing["values"]), strict=True))
    assert read_so == {key: key_text(key) for key in keys}


@each("\x7f", "\x80", "\x9f", "\ufffe", "\uffff", {"a\x85": 1}, {"k" * 1023: 1})
def test_what_is_unsupported_is_refused_by_kustomize(
    value: Any, kubectl: str, tmp_path: Path
) -> None:
    text = emit(one_object("all", value=value))
    assert kubectl_reads(kubectl, text) == [one_object("all", value=value)]
    with pytest.raises(RefusedError, match="yaml: "):
        kustomize_writes(kubectl, tmp_path, text)


@each("a\x85b", {"<<": {"a": 1}}, "a\n\u2028")
def test_what_is_unsupported_is_spoilt_by_kustomize(
    value: Any, kubectl: str, tmp_path: Path
) -> None:
    things = [one_object(name, value=value) for name in ("one", "two")]
    text = "---\n".join(map(emit, things))
    assert kubectl_reads(kubectl, text) == things
    assert kubectl_reads(kubectl, kustomize_writes(kubectl, tmp_path, text)) != things


HARD: str = rows_of(__file__, "hard")


def test_what_is_kept_of_a_hard_text_arrives(kubectl: str, tmp_path: Path) -> None:
    (document,), _ = read(HARD.encode(), "")
    assert kubectl_reads(kubectl, HARD) == [document.value]
    kept = compose(HARD, document.value, document.value).text
    assert kept != emit(document.value)
    assert_all_read(kubectl, tmp_path, kept, [document.value])


def hub_documents(fixtures: Path) -> list[Document]:
    found: list[Document] = []
    for path in sorted((fixtures / "hubs").rglob("*.yaml")):
        documents, problems = read(path.read_bytes(), path.name)
        assert problems == ()
        found += documents
    return [one for one in found if "kind" in one.value and one.value["kind"] != "Kustomization"]


def test_the_hubs_are_read_as_kubectl_does(kubectl: str, fixtures: Path) -> None:
    documents = hub_documents(fixtures)
    expected = [document.value for document in documents]
    read_so = kubectl_reads(kubectl, "---\n".join(document.text for document in documents))
    assert as_json(read_so) == as_json(expected)


def test_the_hubs_arrive_with_their_comments(kubectl: str, tmp_path: Path, fixtures: Path) -> None:
    texts, objects = [], []
    for at, document in enumerate(hub_documents(fixtures)):
        metadata = {**document.value["metadata"], "name": f"n{at}", "namespace": "on"}
        changed = {**document.value, "metadata": metadata}
        texts.append(compose(document.text, document.value, changed).text)
        objects.append(changed)
        assert texts[-1].count("#") == document.text.count("#")
    assert_all_read(kubectl, tmp_path, "---\n".join(texts), objects)

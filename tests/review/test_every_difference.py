"""The law of changes: a file that differs is in a difference, or is counted as left out."""

from collections.abc import Mapping

import pytest
from hypothesis import given, settings, strategies as st

from spokerender.model import Ref
from spokerender.model.plan import HEADER, KUSTOMIZATION, FilePair, FolderPlan, planned
from spokerender.review.changes.differences import find_differences
from spokerender.review.changes.pairs import NO_OBJECT, read_objects
from tests.property.laws import law
from tests.support import rows_of
from tests.support.profiles import examples

Folder = Mapping[str, bytes]
NAMES = ("a", "b", "c")
OBJECT = rows_of(__file__, "object")
OTHERS = (
    b"\x00\xff\xfe binary",
    b"# only a comment\n",
    b"- a list\n- of texts\n",
    b"{not: [yaml\n",
    b"",
    HEADER + b"<<<<<<< ours\nkind: X\n=======\n>>>>>>> theirs\n",
)


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    """One object, several, or what is no object at all."""
    if draw(st.integers(0, 4)) == 0:
        return draw(st.sampled_from(OTHERS))
    texts = []
    for _ in range(draw(st.integers(1, 2))):
        version, kind = draw(
            st.sampled_from(
                [("kuadrant.io/v1", "AuthPolicy"), ("apps/v1", "Deployment"), ("v1", "ConfigMap")]
            )
        )
        own = OBJECT.format(
            version=version,
            kind=kind,
            name=draw(st.sampled_from(NAMES)),
            namespace=draw(st.sampled_from(("x", "y"))),
            value=draw(st.integers(0, 2)),
        )
        texts.append(own + "# note\n" * draw(st.integers(0, 1)))
    return HEADER + "---\n".join(texts).encode()


@st.composite
def folders(draw: st.DrawFn) -> dict[str, bytes]:
    """The files of a folder, with or without a kustomization that lists them."""
    paths = st.sampled_from([f"{name}.yaml" for name in NAMES] + ["sub/a.yaml", "d.bin"])
    files = draw(st.dictionaries(paths, documents(), max_size=4))
    is_listed = draw(st.booleans())
    if files and is_listed:
        rest = draw(st.sampled_from(("", "namePrefix: x-\n")))
        listed = "".join(f"- {path}\n" for path in sorted(files))
        files[KUSTOMIZATION] = HEADER + f"resources:\n{listed}{rest}".encode()
    return files


Tree = Mapping[str, Folder]
TREES = st.fixed_dictionaries({}, optional=dict.fromkeys(("eu", "us", "_fleet"), folders()))


def pair(old: Tree, new: Tree) -> tuple[list[FolderPlan], list[FilePair]]:
    """The plans and pairs of two trees, as commands make them."""
    plans = [planned(name, old.get(name, {}), new.get(name, {})) for name in sorted({*old, *new})]
    plans = [plan for plan in plans if plan.changes]
    pairs = [
        (plan.folder, path, old.get(plan.folder, {}).get(path), new.get(plan.folder, {}).get(path))
        for plan in plans
        for path in sorted((*plan.create, *plan.update, *plan.delete))
    ]
    return plans, pairs


@pytest.mark.property
@settings(law, max_examples=examples(1000, house=25))
@given(TREES, TREES)
def test_a_file_that_differs_is_shown_or_counted(old: Tree, new: Tree) -> None:
    plans, pairs = pair(old, new)
    found = find_differences(pairs, plans)
    shown = {(folder, item.path) for item in found.items for folder in item.folders}
    whole = {folder for item in found.items if not item.path for folder in item.folders}
    moved: dict[str, set[Ref]] = {}
    for item in found.items:
        for folder in item.folders if item.was is not None else ():
            assert item.was is not None
            moved.setdefault(folder, set()).add(item.was)
    silent = [
        (folder, path)
        for folder, path, before, after in pairs
        if folder not in whole
        and (folder, path) not in shown
        and not (after is None and before and _names(before, moved.get(folder, set())))
    ]
    left_out = sum(found.left_out.values())
    joined = [place for place in silent if not place[1].endswith(KUSTOMIZATION)]
    # A file whose objects are in another file now is in the differences of that file.
    assert all(_is_elsewhere(old, new, folder, path) for folder, path in joined)
    assert len(silent) - len(joined) == left_out


def _names(data: bytes, refs: set[Ref]) -> bool:
    text = data.decode(errors="replace")
    return any(f"kind: {r.kind}" in text and f"name: {r.name}," in text for r in refs)


def _is_elsewhere(old: Tree, new: Tree, folder: str, path: str) -> bool:
    """Tell whether an object of a file that comes or goes is in such a file of the other side."""
    own, other = old.get(folder, {}), new.get(folder, {})
    if path not in own:
        own, other = other, own
    refs = _read_refs(own[path])
    return any(refs & _read_refs(data) for name, data in other.items() if name not in own)


def _read_refs(data: bytes) -> set[Ref]:
    values, _ = read_objects(data)
    return {ref for ref, _ in values} - {NO_OBJECT}

"""Laws of the disk: twice is once, a refused build writes nothing, what is not ours stays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from spokerender.cli import run
from spokerender.edge import files
from spokerender.model.plan import HEADER
from spokerender.rendering.values.rendered import Rendered
from tests.edge.files.trees import snapshot
from tests.property.fleets import Fleet, fleets, spoke_entries
from tests.property.laws import law
from tests.support import end_to_end as e2e


@contextmanager
def somewhere() -> Iterator[Path]:
    """A folder for one example; the fixtures of pytest would last for all of them."""
    with TemporaryDirectory() as folder:
        yield Path(folder)


def put(output: Path, found: Rendered) -> None:
    with files.locked(output):
        files.apply(output, files.compare(output, found.tree), found.tree)


@law
@given(fleets())
def test_building_twice_is_building_once(fleet: Fleet) -> None:
    found = e2e.rendered(fleet.files)
    assume(not e2e.errors(found.results))
    with somewhere() as folder:
        output = folder / "clusters"
        put(output, found)
        assert snapshot(output) == e2e.tree(found)
        assert files.compare(output, e2e.rendered(fleet.files).tree).folders == ()


@law
@given(fleets(mistakes=True))
def test_a_build_writes_everything_or_nothing(fleet: Fleet) -> None:
    with somewhere() as folder:
        e2e.write(folder, fleet.files)
        before = snapshot(folder)
        status = run(["build", str(folder)])
        found = e2e.rendered(fleet.files)
        if e2e.errors(found.results):
            assert status == 2
            assert snapshot(folder) == before
            assert not (folder / "clusters").exists()
        else:
            assert status == 0
            assert snapshot(folder / "clusters") == e2e.tree(found)


FOREIGN = (
    *("README.md", "eu/README.md", "eu/notes/of/ours.yaml", "us/secret.yaml", "ap/.hidden"),
    *("other/kustomization.yaml", ".git/HEAD", "zz/manifests.yaml", "_fleet/notes.txt"),
)
NOT_OURS = (b"", b"kind: Secret\n", b"\n" + HEADER, HEADER[1:], HEADER[:-3], b"# " + HEADER)

strangers = st.dictionaries(st.sampled_from(FOREIGN), st.sampled_from(NOT_OURS), min_size=1)


@law
@given(fleets(), strangers, st.sampled_from(["eu", "us", "ap"]), spoke_entries("zz"))
def test_what_is_not_ours_stays(
    fleet: Fleet, foreign: dict[str, bytes], gone: str, coming: dict[str, object]
) -> None:
    """One spoke leaves, another comes where foreign files may lie already."""
    later = fleet.without(gone)
    later = replace(later, spokes=(*later.spokes, coming))
    first, second = e2e.rendered(fleet.files), e2e.rendered(later.files)
    assume(not e2e.errors([*first.results, *second.results]))
    assume(not foreign.keys() & e2e.tree(second).keys())
    with somewhere() as folder:
        put(folder, first)
        e2e.write(folder, foreign)
        put(folder, second)
        assert snapshot(folder) == e2e.tree(second) | foreign
        assert files.compare(folder, second.tree).is_empty


@law
@given(fleets(), st.data())
def test_a_foreign_file_in_our_place_stops_everything(fleet: Fleet, data: st.DataObject) -> None:
    found = e2e.rendered(fleet.files)
    assume(not e2e.errors(found.results))
    place = data.draw(st.sampled_from(sorted(e2e.tree(found))))
    foreign = data.draw(st.sampled_from(NOT_OURS))
    with somewhere() as folder:
        e2e.write(folder, fleet.files)
        e2e.write(folder / "clusters", {place: foreign})
        before = snapshot(folder)
        assert run(["build", str(folder)]) == 2
        assert snapshot(folder) == before

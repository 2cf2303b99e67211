"""The laws of a rendered fleet: one random fleet is drawn and rendered, and held to all of them."""

import json
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings, strategies as st
from msgspec.structs import replace

from spokerender.cli import run
from spokerender.edge import files
from spokerender.explain import explain_named
from spokerender.explain.values import SpokeExplanation
from spokerender.findings.results import Severity
from spokerender.model.plan import HEADER, KUSTOMIZATION
from spokerender.rendering.values.layout import ALL_IN_ONE
from spokerender.rendering.values.rendered import Rendered
from tests.edge.files.trees import snapshot
from tests.judging.fleet.exact import assert_alike
from tests.property.fleets import ODD, Fleet, arranged, fleets, mistaken, spoke_entries
from tests.property.hubs import Draw, Object
from tests.property.laws import hold, law, ref_of, told, told_of
from tests.property.oracle import Oracle
from tests.property.references import entries, named
from tests.support import end_to_end as e2e
from tests.support.openly import in_the_open
from tests.support.profiles import examples

FOREIGN = (
    *("README.md", "eu/README.md", "eu/notes/of/ours.yaml", "us/secret.yaml", "ap/.hidden"),
    *("other/kustomization.yaml", ".git/HEAD", "zz/manifests.yaml", "_fleet/notes.txt"),
)
NOT_OURS = (b"", b"kind: Secret\n", b"\n" + HEADER, HEADER[1:], HEADER[:-3], b"# " + HEADER)


class Trial:
    """A fleet, and everything that a law compares it with."""

    def __init__(self, draw: Draw) -> None:
        """Draw all at once, so that laws do not depend on each other."""
        self.fleet: Fleet = draw(fleets())
        self.mistaken: Fleet = draw(st.just(self.fleet) | mistaken(self.fleet))
        numbers = range(len(self.mistaken.texts))
        self.order: list[int] = draw(st.permutations(numbers))
        self.placed: list[int] = [draw(st.integers(0, 3)) for _ in numbers]
        self.is_by_name: bool = draw(st.booleans())
        names = st.sampled_from([entry["name"] for entry in self.fleet.spokes])
        self.changing: Object = draw(names.flatmap(spoke_entries))
        self.going: str = draw(names)
        self.coming: Object = draw(spoke_entries("zz"))
        if draw(st.booleans()):
            self.coming["values"]["text"] = ODD[0]
        self.foreign: dict[str, bytes] = draw(
            st.dictionaries(st.sampled_from(FOREIGN), st.sampled_from(NOT_OURS), min_size=1)
        )
        self.in_our_place: tuple[int, bytes] = draw(
            st.tuples(st.integers(0, 99), st.sampled_from(NOT_OURS))
        )

    def __repr__(self) -> str:
        """Return everything that was drawn, with the files of each fleet."""
        return "\n".join(f"## {key}: {value!r}" for key, value in vars(self).items())

    @cached_property
    def plain(self) -> Fleet:
        """The fleet without overrides, of which oracles know nothing."""
        return replace(self.fleet, overrides=())

    @cached_property
    def later(self) -> Fleet:
        """The fleet after a spoke has left and another one has come."""
        rest = self.fleet.without(self.going)
        return replace(rest, spokes=(*rest.spokes, self.coming))

    @cached_property
    def rendered(self) -> Rendered:
        """The fleet, rendered."""
        return e2e.rendered(self.fleet.files)

    @cached_property
    def rendered_mistaken(self) -> Rendered:
        """The fleet with a mistake, if it has any, rendered."""
        same = self.mistaken is self.fleet
        return self.rendered if same else e2e.rendered(self.mistaken.files)

    @cached_property
    def rendered_plain(self) -> Rendered:
        """The fleet without overrides, rendered."""
        return e2e.rendered(self.plain.files) if self.fleet.overrides else self.rendered

    @cached_property
    def rendered_later(self) -> Rendered:
        """The later fleet, rendered."""
        return e2e.rendered(self.later.files)


LAWS: list[Callable[[Trial], None]] = []


def of_fleets(check: Callable[[Trial], None]) -> Callable[[Trial], None]:
    """Add to the laws that every fleet is held to."""
    LAWS.append(check)
    return check


trials = st.composite(Trial)


@settings(law, max_examples=examples(house=6))
@given(trials())
def test_a_fleet_keeps_all_laws(trial: Trial) -> None:
    """Takes ten CPU seconds: each fleet is rendered ten times, judged, written and built."""
    hold(LAWS, trial)


# Order: shuffling input files and documents changes no output byte.


@of_fleets
def hub_files_and_documents_are_in_any_order(trial: Trial) -> None:
    shuffled = arranged(trial.mistaken, trial.order, trial.placed)
    first, second = trial.rendered_mistaken, e2e.rendered(shuffled.files)
    assert told(first) == told(second)
    if not e2e.errors(first.results):
        assert e2e.tree(first) == e2e.tree(second)


@of_fleets
def placements_are_in_any_order(trial: Trial) -> None:
    """Documents count in the order of their names, whatever their files are called."""
    fleet = trial.fleet
    documents = [
        _placement("a", spokes=fleet.spokes[::2], rules=fleet.rules[:1]),
        _placement("b", overrides=fleet.overrides),
        _placement("c", rules=fleet.rules[1:], spokes=fleet.spokes[1::2]),
    ]
    parts = {path: text for path, text in fleet.files.items() if path != "placement.yaml"}
    if trial.is_by_name:
        parts |= {f"placement/{9 - number}.json": text for number, text in enumerate(documents)}
    else:
        parts["placement.yaml"] = "---\n".join(f"{text}\n" for text in reversed(documents))
    assert e2e.tree(trial.rendered) == e2e.tree(e2e.rendered(parts))


def _placement(name: str, **spec: object) -> str:
    header = {"apiVersion": "spokerender.io/v1alpha1", "kind": "Placement"}
    return json.dumps({**header, "metadata": {"name": name}, "spec": spec})


# Conservation: every hub object ships to a spoke, or a result names it and says why not.


@of_fleets
def nothing_of_the_hub_is_lost_in_silence(trial: Trial) -> None:
    rendered, objects = trial.rendered_mistaken, trial.mistaken.objects
    explained = {
        result.resource
        for result in rendered.results
        if result.message
        and (result.code in {"SR1501", "SR1502", "SR1513"} or result.severity is Severity.ERROR)
    }
    assert {*map(ref_of, objects)} - shipped_by(rendered) - explained == set()


@of_fleets
def nothing_that_ships_somewhere_is_told_to_ship_nowhere(trial: Trial) -> None:
    results = trial.rendered.results
    nowhere = {result.resource for result in results if result.code in {"SR1501", "SR1513"}}
    assert nowhere & shipped_by(trial.rendered) == set()


def shipped_by(rendered: Rendered) -> set[Any]:
    """The hub objects that some spoke gets."""
    bundles = rendered.bundles.values()
    return {variant.manifest.ref for bundle in bundles for variant in bundle.blueprint.variants}


# Closure: every reference in a spoke's tree resolves there, or a result says otherwise.


@of_fleets
def every_reference_resolves_or_is_told(trial: Trial) -> None:
    """A Service is the spoke's own: it is told with what the spoke needs."""
    rendered = trial.rendered_plain
    for spoke in [] if e2e.errors(rendered.results) else rendered.bundles:
        explanation = explain_named(rendered, spoke=spoke)
        assert isinstance(explanation, SpokeExplanation)
        here = {ref_of(item): item for item in e2e.objects(rendered, spoke).values()}
        needed = explanation.requirements
        theirs = {gateway.ref for gateway in needed.gateways}
        theirs |= {thing.ref for thing in needed.objects if thing.ref.kind == "Service"}
        sources = {shipped.ref: shipped.hub for shipped in explanation.objects}
        results = {(result.resource, result.field) for result in explanation.results}
        for ref, item in here.items():
            for field, entry in entries(item):
                target = named(item, entry)
                if target in here:
                    assert_section(here[target], entry)
                elif target not in theirs:
                    assert (sources[ref], field) in results


def assert_section(target: Object, entry: Object) -> None:
    """A section name is one that its target has."""
    section = entry.get("sectionName")
    listeners = target["spec"].get("listeners", [])
    assert section is None or section in {listener["name"] for listener in listeners}


@of_fleets
def no_gateway_reads_a_certificate_without_a_grant(trial: Trial) -> None:
    rendered = trial.rendered_plain
    for spoke in [] if e2e.errors(rendered.results) else rendered.bundles:
        items = list(e2e.objects(rendered, spoke).values())
        granted = {
            (entry["namespace"], item["metadata"]["namespace"])
            for item in items
            if item["kind"] == "ReferenceGrant"
            for entry in item["spec"]["from"]
        }
        assert {crossing for item in items for crossing in certificates(item)} <= granted


def certificates(item: Object) -> Iterator[tuple[str, Any]]:
    """From which namespace to which a Gateway's certificates cross."""
    if item["kind"] == "Gateway":
        own = item["metadata"]["namespace"]
        for listener in item["spec"]["listeners"]:
            for reference in listener["tls"]["certificateRefs"]:
                if reference.get("namespace", own) != own:
                    yield own, reference["namespace"]


# Types: a reference changes only if it names a placed gateway by all parts of its identity.


@of_fleets
def every_object_is_what_the_placement_says(trial: Trial) -> None:
    """Each object of a spoke is exactly what an oracle of its own makes of the hub's."""
    rendered = trial.rendered_plain
    for spoke in [] if e2e.errors(rendered.results) else trial.plain.spokes:
        expected = Oracle(trial.plain, spoke).objects()
        assert e2e.objects(rendered, spoke["name"]) == {
            e2e.identity(item): item for item in expected
        }


# Text: what is read back from the files is exactly what the stages made.


@of_fleets
def files_read_back_are_the_model(trial: Trial) -> None:
    rendered = trial.rendered
    for spoke, bundle in rendered.bundles.items():
        if not e2e.errors(bundle.blueprint.results):
            read = e2e.objects(rendered, spoke)
            shipped = {name: item for name, item in read.items() if item["kind"] != "Namespace"}
            assert shipped == e2e.model(rendered, spoke)


@of_fleets
def a_kustomization_lists_what_is_there(trial: Trial) -> None:
    rendered = trial.rendered
    for spoke in [] if e2e.errors(rendered.results) else rendered.bundles:
        texts = dict(rendered.tree.files(spoke))
        assert all(data.startswith(HEADER) and data.endswith(b"\n") for data in texts.values())
        (kustomization,) = e2e.parsed(texts.pop(KUSTOMIZATION))
        assert kustomization == {
            "apiVersion": "kustomize.config.k8s.io/v1beta1",
            "kind": "Kustomization",
            "resources": sorted(texts),
        }
        assert trial.fleet.layout == "object" or set(texts) <= {ALL_IN_ONE}


# Isolation: one spoke's coming, going or changing changes no byte of another's tree.


@of_fleets
def spokes_that_come_and_go_change_no_other_one(trial: Trial) -> None:
    """One of them may have characters that stood for values elsewhere once."""
    assert_same(trial.rendered, trial.rendered_later, trial.going, "zz")


@of_fleets
def a_spoke_that_changes_changes_no_other_one(trial: Trial) -> None:
    name, spokes = trial.changing["name"], trial.fleet.spokes
    changed = tuple(trial.changing if entry["name"] == name else entry for entry in spokes)
    assert_same(trial.rendered, e2e.rendered(replace(trial.fleet, spokes=changed).files), name)


def assert_same(first: Rendered, second: Rendered, *but: str) -> None:
    """Every spoke but some has the same files, and the same is told of it."""
    others = first.bundles.keys() - {*but}
    assert others == second.bundles.keys() - {*but}
    for spoke in others:
        assert first.tree.files(spoke) == second.tree.files(spoke)
        assert told_of(first, spoke) == told_of(second, spoke)


# Slots are only a way to be quick: without any, spoke by spoke, everything means the same.


@of_fleets
def rendering_without_slots_gives_the_same_bytes(trial: Trial) -> None:
    """And the same is told of every spoke."""
    with in_the_open():
        without = e2e.rendered(trial.fleet.files)
    assert all(bundle.values == {} for bundle in without.bundles.values())
    for spoke in trial.rendered.bundles:
        assert told_of(trial.rendered, spoke) == told_of(without, spoke)
    if not e2e.errors(without.results):
        assert e2e.tree(trial.rendered) == e2e.tree(without)


@of_fleets
def judging_many_spokes_says_what_each_would_be_told_alone(trial: Trial) -> None:
    assert_alike(trial.rendered)


# Disk: twice is once, a refused build writes nothing, what is not ours stays.


def put(output: Path, rendered: Rendered) -> None:
    with files.locked(output):
        files.apply(output, files.compare(output, rendered.tree), rendered.tree)


@of_fleets
def building_twice_is_building_once(trial: Trial) -> None:
    if not e2e.errors(trial.rendered.results):
        with TemporaryDirectory() as folder:
            output = Path(folder, "clusters")
            put(output, trial.rendered)
            assert snapshot(output) == e2e.tree(trial.rendered)
            again = e2e.rendered(trial.fleet.files)
            assert files.compare(output, again.tree).folders == ()


@of_fleets
def a_build_writes_everything_or_nothing(trial: Trial) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        e2e.write(folder, trial.mistaken.files)
        before = snapshot(folder)
        status = run(["build", name])
        if e2e.errors(trial.rendered_mistaken.results):
            assert status == 2
            assert snapshot(folder) == before
            assert not (folder / "clusters").exists()
        else:
            assert status == 0
            assert snapshot(folder / "clusters") == e2e.tree(trial.rendered_mistaken)


@of_fleets
def foreign_files_stay(trial: Trial) -> None:
    """One spoke leaves, another comes where foreign files may lie already."""
    first, second, foreign = trial.rendered, trial.rendered_later, trial.foreign
    if e2e.errors([*first.results, *second.results]) or foreign.keys() & e2e.tree(second).keys():
        return
    with TemporaryDirectory() as name:
        folder = Path(name)
        put(folder, first)
        e2e.write(folder, foreign)
        put(folder, second)
        assert snapshot(folder) == e2e.tree(second) | foreign
        assert files.compare(folder, second.tree).is_empty


@of_fleets
def a_foreign_file_in_our_place_stops_everything(trial: Trial) -> None:
    if e2e.errors(trial.rendered.results):
        return
    index, foreign = trial.in_our_place
    places = sorted(e2e.tree(trial.rendered))
    with TemporaryDirectory() as name:
        folder = Path(name)
        e2e.write(folder, trial.fleet.files)
        e2e.write(folder / "clusters", {places[index % len(places)]: foreign})
        before = snapshot(folder)
        assert run(["build", name]) == 2
        assert snapshot(folder) == before

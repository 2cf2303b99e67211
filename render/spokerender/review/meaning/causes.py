"""The lines that cause changes of objects: in the hub, in a placement, in a definition.

An object of a spoke follows from an object of the hub, from the rule that places its gateway,
from overrides and metapolicies, and from the spoke's own labels and values. What is the same
before and after a change has caused nothing, whoever gave a field its value.
"""

from functools import cached_property

from msgspec import Struct

from spokerender.formats.comparing import Change, changes, is_same_json
from spokerender.model import Edit, Manifest, Origin, Ref, Spoke
from spokerender.model.refs import OCM
from spokerender.model.shapes import Json
from spokerender.rendering.values.bundles import Bundle, How, Variant
from spokerender.rendering.values.placement import Decision, Override, PlacementEntry, Rule
from spokerender.rendering.values.provenance import FieldSource, History
from spokerender.rendering.values.rendered import Rendered
from spokerender.topology.node import GATEWAY_CLASS
from spokerender.topology.places import hub_line


class PlacedVariant(Struct, frozen=True, eq=False):
    """An object as one spoke gets it."""

    bundle: Bundle
    variant: Variant


class Causes:
    """The causes of changes between two rendered fleets; each is worked out once."""

    def __init__(self, before: Rendered, after: Rendered) -> None:
        self._before, self._after = before, after
        self._old_hub, self._new_hub = (
            {manifest.ref: manifest for manifest in side.hub.manifests} for side in (before, after)
        )
        self._lines: dict[tuple[Variant | None, Variant, str], Origin | None] = {}

    def of_field(self, was: PlacedVariant | None, now: PlacedVariant, change: Change) -> Origin:
        """Return the line that made a field of an object another one."""
        key = was.variant if was is not None else None, now.variant, repr(change.path)
        if key not in self._lines:
            self._lines[key] = self._trace(was, now, change)
        line = self._lines[key]
        return now.bundle.spoke.origin if line is None else line

    def _trace(
        self, was: PlacedVariant | None, now: PlacedVariant, change: Change
    ) -> Origin | None:
        """Return the line for all spokes that share the object; None where each has its own."""
        histories = [History(self._after, now.bundle, now.variant)]
        if was is not None:
            histories.append(History(self._before, was.bundle, was.variant))
        source, *earlier = (history.source(change.path) for history in histories)
        edit, *earlier_edits = (history.find_edit(change.path) for history in histories)
        if was is None:
            return source.origin
        (old,), (old_edit,) = earlier, earlier_edits
        is_hub_same = is_same_json(was.variant.manifest.object, now.variant.manifest.object)
        is_made = any(item is not None and item.definition for item in (edit, old_edit))
        if (is_hub_same or is_made) and self._is_of_spoke(was.bundle, now.bundle):
            return None
        asked = edit or old_edit
        if asked is not None and asked.definition is not None and self._is_defined_otherwise(asked):
            return self._line_of_definition(asked)
        is_placed_alike = _is_placed(old) and self._is_edited_alike(old_edit, edit)
        is_of_hub = not is_hub_same and _is_placed(source) and is_placed_alike
        if is_of_hub or (
            not is_made and self._is_placement_same and _is_written_otherwise(was, now)
        ):
            return source.hub
        entry = self._find_override(asked) if edit is None or old_edit is None else None
        if entry is not None and self._is_decided_otherwise(entry):
            return self._line_of(entry)
        return old.origin if _is_placed(old) and not _is_placed(source) else source.origin

    def _find_override(self, edit: Edit | None) -> Override | None:
        sides = (self._before.decision, self._after.decision)
        overrides = (item for side in sides for item in side.overrides)
        return next((o for o in overrides if edit is not None and o.place is edit.place), None)

    def _is_edited_alike(self, old: Edit | None, new: Edit | None) -> bool:
        """Tell whether the same rule or override gave a field its values."""
        patches = [item.patch if item is not None else None for item in (old, new)]
        is_same_patch = patches[0] is not None and is_same_json(*patches)
        is_rule = new is not None and new.how == How.RULE
        return is_same_patch or (is_rule and self._is_placement_same)

    def _is_of_spoke(self, old: Bundle, new: Bundle) -> bool:
        """Tell whether a spoke is declared otherwise, and all is placed as before."""
        return not are_declared_alike(old.spoke, new.spoke) and self._is_placement_same

    @cached_property
    def _is_placement_same(self) -> bool:
        return _list_entries(self._before.decision) == _list_entries(self._after.decision)

    def _is_defined_otherwise(self, edit: Edit) -> bool:
        """Tell whether the object that asked for an edit is the same, and what it asks for not."""
        return (
            edit.by is not None and self._is_in_both(edit.by) and not self._is_defined_alike(edit)
        )

    def _is_defined_alike(self, edit: Edit) -> bool:
        old, new = self._find_definitions(edit)
        return old is not None and is_same_json(old, new)

    def _find_definitions(self, edit: Edit) -> tuple[Json, Json]:
        """Return what objects like the one that asked for an edit ask for, before and after."""
        kind = (edit.by.group, edit.by.kind) if edit.by is not None else ("", "")
        sides = (self._before.contribution.definitions, self._after.contribution.definitions)
        return sides[0].get(kind), sides[1].get(kind)

    def _line_of_definition(self, edit: Edit) -> Origin:
        """Return the first line of a definition that says something else than before."""
        assert edit.definition is not None  # noqa: S101  (its callers ask)
        old, new = self._find_definitions(edit)
        fields = changes(old, new) if old is not None and new is not None else ()
        lines = [edit.definition(*field.path) for field in fields]
        return min(lines, key=lambda line: line.line, default=edit.definition())

    def is_derived(self, was: Variant, now: Variant | None) -> bool:
        """Tell whether an object follows from metapolicies and definitions that stay as they are.

        Then something else of what these read is the cause of its change.
        """
        sides = [side.shipped for side in (was, now) if side is not None]
        edits = [edit for side in sides for edit in side.edits if edit.definition is not None]
        written = [side.written.object if side.written else {} for side in sides]
        return (
            bool(edits)
            and written[0] == written[-1]
            and all(
                edit.by is not None and self._is_in_both(edit.by) and self._is_defined_alike(edit)
                for edit in edits
            )
        )

    def _is_in_both(self, ref: Ref) -> bool:
        old, new = self._old_hub.get(ref), self._new_hub.get(ref)
        return old is not None and new is not None and is_same_json(old.object, new.object)

    def of_gone(self, gone: PlacedVariant, bundle: Bundle) -> tuple[Ref, Origin]:
        """Return what takes an object away from a spoke, `bundle` after the change, and its line.

        It is the object itself, or the ConfigMap that lists its kind no more.
        """
        source, sides = _find_source(gone.variant.manifest), (self._before, self._after)
        unlisted = self._find_list(source, *sides) if source in self._new_hub else None
        return unlisted or (gone.variant.manifest.ref, self._find_line(gone, bundle, source))

    def of_added(self, added: PlacedVariant, bundle: Bundle) -> tuple[Ref, Origin]:
        """Return what brings an object to a spoke, `bundle` before the change, and its line.

        It is the object itself, or the ConfigMap that lists its kind now.
        """
        manifest, making = added.variant.manifest, _find_making(added.variant.manifest)
        source = _find_source(manifest)
        if making is not None and making.definition and self._is_defined_otherwise(making):
            return manifest.ref, self._line_of_definition(making)
        if source not in self._old_hub:
            return manifest.ref, manifest.origin
        if listed := self._find_list(source, self._after, self._before):
            return listed
        rule = self._find_placing(source, bundle, added.bundle)
        if rule is None:
            return manifest.ref, manifest.origin
        is_of_spoke = self._is_of_spoke(bundle, added.bundle)
        name = added.bundle.spoke.name
        line = added.bundle.spoke.origin if is_of_spoke else self._line_of(rule, name)
        return manifest.ref, line

    def _find_line(self, gone: PlacedVariant, bundle: Bundle, source: Ref) -> Origin:
        """Return the line; `source` is the object of the hub that the spoke had it for."""
        manifest, making = gone.variant.manifest, _find_making(gone.variant.manifest)
        if making is not None and making.definition and self._is_defined_otherwise(making):
            return self._line_of_definition(making)
        if source in self._new_hub:
            if self._is_of_spoke(gone.bundle, bundle):
                return bundle.spoke.origin
            rule = self._find_rule(source, bundle.spoke.name)
            if rule is not None:
                return self._line_of(rule, bundle.spoke.name)
            return self._new_hub[source].origin
        copy = self._before.contribution.copies.get(manifest.ref)
        if copy is not None and not self._is_in_both(copy.published.ref):
            declared = self._new_hub.get(copy.published.ref, copy.published)
            return declared.origin
        return manifest.origin

    def _find_list(self, ref: Ref, with_it: Rendered, other: Rendered) -> tuple[Ref, Origin] | None:
        """Return what lists an object's kind to sync on one side alone; None if nothing does."""
        kind, topology = (ref.group, ref.kind), with_it.topology
        for gateway in sorted(topology.ships_with(ref)):
            name = topology.nodes[gateway].gateway_class
            if kind in with_it.sync.kinds(name) and kind not in other.sync.kinds(name):
                listing = with_it.sync.classes.get(name)
                if listing is not None and kind in listing.kinds and listing.config_map is not None:
                    config_map = listing.config_map
                    config_map = self._new_hub.get(config_map.ref, config_map)
                    return config_map.ref, hub_line(config_map, ("data", "params"))
                if (at := self._after.sync.fleet_at) is not None:
                    return ref, at("spec", "policiesToSync")
        return None

    def of_unseen(self) -> tuple[Ref | None, Origin] | None:
        """Return what changes though no object of a spoke does: of the hub, or in fleet.yaml.

        The first of it are GatewayClasses, which say whose the Gateways are.
        """
        hubs = self._old_hub, self._new_hub
        changed = [ref for ref in sorted({*hubs[0], *hubs[1]}) if not self._is_in_both(ref)]
        for ref in sorted(changed, key=lambda ref: (ref.group, ref.kind) != GATEWAY_CLASS):
            return ref, (hubs[1] if ref in hubs[1] else hubs[0])[ref].origin
        at = self._after.sync.fleet_at
        if at is None:
            return None
        sides = self._before.settings, self._after.settings
        return None, at("spec", *(("external",) if sides[0].external != sides[1].external else ()))

    def of_needed(self, ref: Ref) -> Origin | None:
        """Return the line of the hub's object, which no spoke gets, that changes or goes."""
        manifest = self._new_hub.get(ref, self._old_hub.get(ref))
        is_other = ref in self._old_hub and not self._is_in_both(ref)
        return manifest.origin if manifest is not None and is_other else None

    def _is_decided_otherwise(self, entry: PlacementEntry) -> bool:
        """Tell whether a Placement of the hub, in both states, decides on other spokes."""
        sides = (self._before.decision, self._after.decision)
        decided = [side.placements.get(entry.spokes.placement) for side in sides]
        return None not in decided and len({item.groups for item in decided if item}) > 1

    def _line_of(self, entry: PlacementEntry, spoke: str = "") -> Origin:
        """Return the line of a rule or override, or of what says in the hub which spokes it is for.

        That is the spoke's ManagedCluster if it differs, else the decision, or its Placement.
        """
        if not self._is_decided_otherwise(entry):
            return entry.origin
        cluster = Ref(OCM, "ManagedCluster", "", spoke)
        manifest = self._new_hub.get(cluster, self._old_hub.get(cluster))
        if manifest is not None and not self._is_in_both(cluster):
            return manifest.origin
        return self._after.decision.placements[entry.spokes.placement].place("status", "decisions")

    def _find_rule(self, ref: Ref, spoke: str) -> Rule | None:
        """Return the rule that places an object's gateways elsewhere now, or did so here before.

        None where a gateway that the object goes with is on the spoke still.
        """
        follows = self._before.topology.ships_with(ref)
        now = {gateway for gateway, _ in self._after.decision.gateways_on(spoke)}
        before = self._before.decision.gateways_on(spoke)
        rules = {gateway: rule for gateway, rule in before if gateway in follows}
        if rules.keys() & now:
            return None
        decision = self._after.decision
        still = (
            rule
            for rule in decision.rules
            if rules.keys() & set(decision.gateways_of_rule[rule.number])
        )
        return next(still, next(iter(rules.values()), None))

    def _find_placing(self, ref: Ref, old: Bundle, new: Bundle) -> Rule | None:
        """Return the rule that places a gateway of an object on a spoke which was not there."""
        follows = self._after.topology.ships_with(ref)
        before = {gateway for gateway, _ in self._before.decision.gateways_on(old.spoke.name)}
        now = self._after.decision.gateways_on(new.spoke.name)
        rules = (rule for gateway, rule in now if gateway in follows and gateway not in before)
        return next(rules, None)


def _is_written_otherwise(was: PlacedVariant, now: PlacedVariant) -> bool:
    """Tell whether the hub's own text of an object says something else."""
    old, new = was.variant.manifest.written, now.variant.manifest.written
    return old is not None and new is not None and not is_same_json(old.object, new.object)


def _find_making(manifest: Manifest) -> Edit | None:
    """Return the edit that made an object; None for one that is written in the hub."""
    return manifest.edits[0] if manifest.written is None else None


def _find_source(manifest: Manifest) -> Ref:
    """Return the object of the hub that asks for an object: itself, or a metapolicy."""
    making = _find_making(manifest)
    return making.by if making is not None and making.by is not None else manifest.ref


def are_declared_alike(one: Spoke, other: Spoke) -> bool:
    """Tell whether two spokes have the same labels, values, claims and namespaces."""
    sides = ((it.labels, it.values, it.claims, {**it.namespaces}) for it in (one, other))
    return next(sides) == next(sides)


def _is_placed(source: FieldSource) -> bool:
    """Tell whether a placement gave a field its value, or something else beside the hub."""
    return source.origin != source.hub


def _list_entries(decision: Decision) -> list[list[object]]:
    """Return what the rules and overrides of a placement say, wherever they stand."""
    return [
        [
            _read_plain(getattr(entry, name))
            for name in entry.__struct_fields__
            if name not in ("number", "place", "field")
        ]
        for entry in (*decision.rules, *decision.overrides)
    ]


def _read_plain(value: object) -> object:
    """Return a value that is compared by its fields."""
    if isinstance(value, Struct):
        fields = value.__struct_fields__
        return type(value).__name__, [_read_plain(getattr(value, name)) for name in fields]
    return value

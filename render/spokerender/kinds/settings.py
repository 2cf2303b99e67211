"""A controller's own configuration, as fleet.yaml declares it (`spec.controllers`)."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.phrasing import did_you_mean
from spokerender.kinds.columns import Demand, Setting
from spokerender.kinds.fields import read_value
from spokerender.kinds.kind import Kind
from spokerender.kinds.table import CONTROLLER_NAMES, find_controller, vendor_rows
from spokerender.model.shapes import Json

_Settings = Mapping[str, Any]
"""Settings in the structure of the controller's own configuration."""
_Values = Mapping[str, bool | str]


class SettingProblem(Struct, frozen=True):
    """A fault in an entry of `controllers`; `place` is the path in the entry.

    If `is_key`, the key is wrong, not its value.
    """

    place: tuple[str, ...]
    message: str
    cure: str
    is_key: bool = False


class ConfiguredController(Struct, frozen=True, eq=False):
    """An entry of `controllers` in fleet.yaml; an absent setting has the release's default."""

    name: str
    settings: _Settings

    @property
    def identities(self) -> tuple[tuple[str, str], ...]:
        """Return the kinds that the controller implements, by group and kind."""
        vendor = CONTROLLER_NAMES.get(self.name)
        rows = vendor_rows(vendor) if vendor is not None else {}
        return tuple(name for name, kind in rows.items() if self.name in kind.controller.names)

    def amend(self, kind: Kind) -> Kind:
        """Return the kind as the controller treats it with these settings."""
        items = kind.controller.settings
        values = {item.path: _read_setting(item, self.settings) for item in items}
        merging = kind.merging
        if merging is not None and merging.fields.deep:
            usual = {item.path: item.choices[0] for item in items if item.choices}
            fields = merging.fields
            # The result of a recursive merge is not computed, so such fields are unknown.
            merged = tuple(name for name, path in fields.deep if values[path] != usual[path])
            fields = replace(fields, deep=(), opaque=(*fields.opaque, *merged))
            merging = replace(merging, fields=fields)
        return replace(kind, merging=merging, demands=tuple(_settle_demands(kind.demands, values)))


def _settle_demands(demands: Iterable[Demand], values: _Values) -> Iterator[Demand]:
    """Yield the demands that apply: they have no setting, or their setting is off in `values`."""
    for demand in demands:
        if not demand.setting:
            yield demand
        elif not values[demand.setting]:
            says = f"{demand.says}, and that is off"
            cure = f"remove it, or switch {demand.setting} on, also under `controllers`"
            yield replace(demand, setting="", says=says, cure=cure)


def _read_setting(setting: Setting, settings: _Settings) -> bool | str:
    """Return the value of a setting; its default if it is absent."""
    value = _find_value(setting.path, settings)
    if setting.is_block:
        return value is not None
    if setting.choices:
        return str(value or setting.choices[0])
    if value is None and setting.opposite:
        return _find_value(setting.opposite, settings) is False
    return value is True


def _find_value(path: str, settings: _Settings) -> Json:
    return read_value(settings, tuple(path.split(".")))


def find_setting_problems(name: str, settings: _Settings) -> Iterator[SettingProblem]:
    """Yield the faults in the entry of the controller `name`."""
    controller = find_controller(name)
    if not controller.settings:
        message = f"no controller {name} is known" if not controller.id else controller.id
        if controller.id:
            message += " has no setting that is known to decide about policies"
        # Loads every vendor's rows, which only a wrong entry costs.
        names = [other for other in CONTROLLER_NAMES if find_controller(other).settings]
        yield SettingProblem(("name",), message, did_you_mean(name, names, "known are"))
        return
    by_path = {
        path: item for item in controller.settings for path in (item.path, item.opposite) if path
    }
    yield from _check_block(by_path, settings, ())
    for item in controller.settings:
        values = [_find_value(path, settings) for path in (item.path, item.opposite) if path]
        if len(values) > 1 and None not in values:
            place = ("settings", *item.opposite.split("."))
            message = f"{item.path} and {item.opposite} exclude each other"
            yield SettingProblem(place, message, f"keep {item.path}")


def _check_block(
    by_path: Mapping[str, Setting], block: _Settings, above: tuple[str, ...]
) -> Iterator[SettingProblem]:
    for key, value in block.items():
        inside = (*above, str(key))
        path, place = ".".join(inside), ("settings", *inside)
        if path in by_path:
            kind = _name_kind(by_path[path])
            if not _is_of_kind(by_path[path], value):
                yield SettingProblem(place, f"has to be {kind}", f"write {kind}")
        elif not any(name.startswith(f"{path}.") for name in by_path):
            message = "is no setting that decides about policies"
            yield SettingProblem(
                place, message, did_you_mean(path, by_path, "those that do are"), is_key=True
            )
        elif isinstance(value, Mapping):
            yield from _check_block(by_path, value, inside)
        else:
            yield SettingProblem(place, "has to be a mapping", "write a mapping")


def _name_kind(setting: Setting) -> str:
    if setting.is_block:
        return "a mapping"
    return " or ".join(setting.choices or ("true", "false"))


def _is_of_kind(setting: Setting, value: object) -> bool:
    if setting.is_block:
        return isinstance(value, Mapping)
    return value in setting.choices if setting.choices else isinstance(value, bool)

"""What controllers ask of values that any API server takes, and what no file can tell them."""

from __future__ import annotations

from msgspec import Struct


class Demand(Struct, frozen=True):
    """What a controller asks of a field besides what the CRD does; it refuses the policy else.

    `path` is a pattern (`kinds.paths`) from the root of the object, `rule` CEL about what
    is there (`self`), and `says` completes the sentence that begins with the field's name: what it
    has to be. `protocols` are those of the listeners on which it is asked, and `targets` the kinds
    of target that it is asked of; none: all. `fails` is set where requests are refused until it
    is mended, not set where nothing of the policy is carried out.
    """

    path: str
    rule: str
    says: str
    protocols: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    fails: bool = True


class Unseen(Struct, frozen=True):
    """A field of which only the controller can tell whether it takes it.

    `why` says on what it depends. It is told already where one of `unless` is set. With `rule`
    (CEL about what is there, `self`) it is so only where that is true, and with `targets` only of
    targets of these kinds.
    """

    path: str
    why: str
    unless: tuple[str, ...] = ()
    rule: str = ""
    targets: tuple[str, ...] = ()


_AMOUNT = "isQuantity(string(self)) && quantity(string(self)).isInteger()"


def duration(path: str, protocols: tuple[str, ...] = ()) -> Demand:
    """A duration as Go reads it (`time.ParseDuration`)."""
    says = "has to be a duration such as 10s"
    return Demand(path, "duration(self) == duration(self)", says, protocols)


def amount(path: str, least: int, most: int, protocols: tuple[str, ...] = ()) -> Demand:
    """A quantity that is a whole number of bytes within bounds."""
    bounds = (
        f"quantity(string(self)).compareTo(quantity('{least}')) >= 0",
        f"quantity(string(self)).compareTo(quantity('{most}')) <= 0",
    )
    says = f"has to be a whole number of bytes from {least} to {most}"
    return Demand(path, " && ".join((_AMOUNT, *bounds)), says, protocols)


def whole(path: str, most: int = 2**32 - 1) -> Demand:
    """A number that is not negative."""
    return Demand(path, f"self >= 0 && self <= {most}", f"has to be from 0 to {most}")


def expression(path: str, when: str = "") -> Demand:
    """A regular expression of RE2's, where `when` is true; `path` leads to a `value` beside it."""
    rule = "''.matches(self.value) in [true, false]"
    rule = f"!({when}) || !has(self.value) || {rule}" if when else rule
    return Demand(path, rule, "has to have a regular expression of RE2's")

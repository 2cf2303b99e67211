"""What a row of the table of functions says, and which functions of sprig are refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

_CLOCK = "a build must not depend on when it runs"
_CHANCE = "a build must give the same bytes each time"
_SURROUNDINGS = "a build must not depend on where it runs"

REFUSED: Mapping[str, str] = {
    **dict.fromkeys(
        (
            *("ago", "date", "dateInZone", "dateModify", "date_in_zone", "date_modify", "duration"),
            *("durationRound", "htmlDate", "htmlDateInZone", "mustDateModify", "mustToDate"),
            *("must_date_modify", "now", "toDate", "unixEpoch"),
        ),
        _CLOCK,
    ),
    **dict.fromkeys(
        (
            *("bcrypt", "buildCustomCert", "derivePassword", "encryptAES", "decryptAES"),
            *("genCA", "genCAWithKey", "genPrivateKey", "genSelfSignedCert"),
            *("genSelfSignedCertWithKey", "genSignedCert", "genSignedCertWithKey", "htpasswd"),
            *("randAlpha", "randAlphaNum", "randAscii", "randBytes", "randInt", "randNumeric"),
            *("shuffle", "uuidv4"),
        ),
        _CHANCE,
    ),
    **dict.fromkeys(("env", "expandenv", "getHostByName"), _SURROUNDINGS),
}
"""Functions that upstream has and a pure function of files can't, with the reason (sprig v3)."""


class Function(Struct, frozen=True):
    """A row: a function of templates.

    `parameters` are the types that it takes, by their words in `values.CONVERTED`; with `more` the
    last of them may come any number of times. `optional` is how many of the last may be absent.
    What `nests` puts values into others, which can double with every step: it is weighed.
    """

    name: str
    call: Callable[..., Any]
    parameters: tuple[str, ...] = ()
    optional: int = 0
    more: bool = False
    nests: bool = False

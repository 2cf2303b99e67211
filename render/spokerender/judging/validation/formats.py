"""The values of `format` that the API server enforces for strings (kube-openapi, `strfmt`).

Formats that are missing here (isbn, creditcard, ssn, bsonobjectid, ...) are not checked.
"""

import ipaddress
import re
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Callable

_DATE = r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
_TIME = (
    r"[Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]|:60)?([.,][0-9]{1,9})?"
    r"([Zz]|[+-][0-9]{2}:?[0-9]{2})?"
)
# There is one way only to match each part: a second one would double the time with every part.
_GO_DURATION = r"[+-]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)"
_DURATION = r"(?>[0-9]+\s*(?>second|minute|hour|week|day|ns|us|µs|ms|hr|s|m|h|d|w)s?\s*)++"
_HOSTNAME = r"[a-zA-Z0-9]([-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?"
_UUID = r"(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?([0-9a-f])[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}"
_MAC = r"(?i)[0-9a-f]{2}([:-][0-9a-f]{2}){5}([:-][0-9a-f]{2}){0,14}|([0-9a-f]{4}\.){2,}[0-9a-f]{4}"
_EMAIL = r'[^\s@<>()",;:\\\[\]]+@[^\s@<>()",;:\\]+'
# As Go's `url.ParseRequestURI`: absolute, or an absolute path.
_URI = r"([A-Za-z][A-Za-z0-9+.-]*:|/)[^\x00-\x20\x7f]*"
_COLOR = r"#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})"
_HOSTNAME_LENGTH = 255


def _parsed(parse: Callable[[str], object], text: str) -> bool:
    try:
        parse(text)
    except (ValueError, Base64Error):
        return False
    return True


def _base64(text: str) -> bytes:
    return b64decode(text, validate=True)


def _is_date_time(text: str) -> bool:
    date, time = text[:10], text[10:]
    return bool(re.fullmatch(_DATE, date)) and (not time or bool(re.fullmatch(_TIME, time)))


def _is_hostname(text: str) -> bool:
    return len(text) <= _HOSTNAME_LENGTH and all(
        re.fullmatch(_HOSTNAME, label) for label in text.split(".")
    )


def _is_uuid(version: str) -> Callable[[str], bool]:
    def check(text: str) -> bool:
        match = re.fullmatch(_UUID, text)
        return match is not None and version in ("", match[1])

    return check


FORMATS: dict[str, Callable[[str], bool]] = {
    "byte": lambda text: _parsed(_base64, text),
    "cidr": lambda text: (
        "/" in text and _parsed(lambda t: ipaddress.ip_network(t, strict=False), text)
    ),
    "date": lambda text: bool(re.fullmatch(_DATE, text)),
    "date-time": _is_date_time,
    "datetime": _is_date_time,
    "duration": lambda text: bool(
        re.fullmatch(_GO_DURATION, text) or re.fullmatch(_DURATION, text)
    ),
    "email": lambda text: bool(re.fullmatch(_EMAIL, text)),
    "hexcolor": lambda text: bool(re.fullmatch(_COLOR, text)),
    "hostname": _is_hostname,
    "ipv4": lambda text: _parsed(ipaddress.IPv4Address, text),
    "ipv6": lambda text: "%" not in text and _parsed(ipaddress.IPv6Address, text),
    "mac": lambda text: bool(re.fullmatch(_MAC, text)),
    "uri": lambda text: bool(re.fullmatch(_URI, text)),
    "uuid": _is_uuid(""),
    "uuid3": _is_uuid("3"),
    "uuid4": _is_uuid("4"),
    "uuid5": _is_uuid("5"),
}
"""By name: whether a text has the format."""

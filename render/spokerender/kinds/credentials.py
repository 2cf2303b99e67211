"""Detection and redaction of credentials that an object contains instead of a Secret.

A kind's row lists the fields that may contain them (`Kind.credentials`). In every kind, fields and
headers with the name of a credential and strings in the format of one are also redacted: to hide
too much is better than to show one.

A report shows numbers in their place: the first credential is `<redacted:1>`, and equal ones have
equal numbers. A digest would be the same in every report, and could be compared between reports or
with the digests of likely passwords.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import Any

from spokerender.kinds.fields import find_values
from spokerender.kinds.kind import Kind
from spokerender.model.names import SUBDOMAIN
from spokerender.model.shapes import Json, as_mapping, map_children

_WORD = (
    r"(?:authorization|cookie|api[-_]?key|access[-_]?key|private[-_]?key|signature|token|secret|"
    r"credential|passw\w{0,30}|passphrase|account[-_]?key|shared[-_]?key)"
)
_PATTERNS = (
    re.compile(r"\b(?:bearer|basic|apikey|token)[ \t]+([A-Za-z0-9._~+/=-]{8,})", re.IGNORECASE),
    # In a URL: the password after the user's name, or a user's name as long as a token.
    re.compile(r"[a-z][a-z0-9+.-]{0,30}://[^\s/@:]*:(?!\d{1,5}/)([^\s@]{1,120})@"),
    re.compile(r"[a-z][a-z0-9+.-]{0,30}://([^\s/@:]{8,500})@"),
    re.compile(r"[?&]sig(?:nature)?=([^\s&#\"']{8,})", re.IGNORECASE),
    # A comparison, in CEL, Rego or Lua.
    re.compile(
        rf"{_WORD}['\"]?\s{{0,9}}\]?\s{{0,9}}[=!]=\s*(?:'([^']+)'|\"([^\"]+)\")", re.IGNORECASE
    ),
    # An assignment: in a query, a connection string, JSON, YAML or a program.
    re.compile(
        rf"{_WORD}\\?['\"]?\s{{0,9}}(?:[:=]|:=)\s{{0,9}}"
        r"(?:\\?\"([^\"\\]{4,500})|'([^']{4,500})'|([A-Za-z0-9_~+/=!#$%^*-]{8,500})"
        r"(?![A-Za-z0-9_.~+/(\[-]))",
        re.IGNORECASE,
    ),
    re.compile(r"\b(eyJ[\w-]{8,2000}\.[\w-]{8,20000}\.[\w-]{0,2000})"),
    re.compile(
        r"\b((?:AKIA|ASIA)[0-9A-Z]{16}|gh[pousr]_\w{20,255}|github_pat_\w{20,255}"
        r"|glpat-[\w-]{20,255}|xox[abeoprs]-[\w-]{10,255}|AIza[\w-]{35}"
        r"|npm_\w{36}|hvs\.[\w-]{20,255}|[sr]k_live_\w{10,255}|SG\.[\w-]{16,64}\.[\w-]{16,64})"
    ),
    # Who has the address of such a hook may call it.
    re.compile(r"hooks\.slack\.com/services/([\w/-]{8,255})"),
    re.compile(r"discord(?:app)?\.com/api/webhooks/([\w/-]{8,255})"),
    # What htpasswd and crypt(3) write: a list of users is as good as their passwords.
    re.compile(r"(\$(?:2[abxy]|apr1|[156y]|argon2\w{1,2})\$[^\s:,\"']{8,500})"),
    re.compile(r"(\{S?SHA\d{0,3}\}[^\s:,\"']{8,500})"),
    # An option of a command, and curl's.
    re.compile(rf"--[\w-]{{0,30}}{_WORD}[ \t]+['\"]?([^\s'\"-][^\s'\"]{{3,500}})", re.IGNORECASE),
    re.compile(r"(?:\s-u|--user|--proxy-user)[ \t=]+['\"]?[^\s:'\"]{1,120}:([^\s'\"]{1,500})"),
    # An element of XML.
    re.compile(rf"<[\w:]{{0,30}}{_WORD}>([^<]{{4,500}})<", re.IGNORECASE),
    # In JSON: of a private or symmetric JSON Web Key (RFC 7518, 6.2.2, 6.3.2, 6.4.1), of Docker.
    re.compile(r"\\?\"(?:d|p|q|dp|dq|qi|k|auth)\\?\"\s{0,9}:\s{0,9}\\?\"([\w=+/-]{16,2000})"),
)
_BOUNDARY = "-----"
_LINES = re.compile(r"\\[nr]|\s")
_SHORTEST_LINE = 8


def find_spelled_credentials(text: str) -> Iterator[str]:
    """Yield the credentials in a text; for a private key, the whole key and each line."""
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            yield next(filter(None, match.groups()), "")
    for label, body in pairwise(text.split(_BOUNDARY)):
        if label.startswith("BEGIN ") and label.endswith("PRIVATE KEY"):
            yield body
            yield from (line for line in _LINES.split(body) if len(line) >= _SHORTEST_LINE)


_SECRET, _CONTENT = "secret", ("data", "stringData")
_PLAIN = re.compile("[^a-z0-9]")
_FIELDS = frozenset(
    {
        "accesskey", "accesstoken", "adminkey", "apikey", "apisecret", "authtoken", "bearertoken",
        "clientsecret", "credential", "encryptionkey", "hashedpassword", "hmacsecret", "htpasswd",
        "idtoken", "inlinekey", "jwks", "passphrase", "passwd", "password", "privatekey",
        "refreshtoken", "secretaccesskey", "secretkey", "sessionsecret", "sessiontoken",
        "sharedsecret", "signingkey", "token",
    }
)  # fmt: skip
_ENDINGS = (
    "accesskey", "accesskeyid", "accountkey", "apikey", "connectionstring", "licensekey",
    "passphrase", "passwd", "password", "privatekey", "pwd", "secretkey", "signingkey", "token",
)  # fmt: skip
_OR_ITS_NAME = frozenset({"secret", "credentials", "bearer", "hmackey", "jwtkey", "sharedkey"})
_COPIES = frozenset({"kubectl.kubernetes.io/last-applied-configuration"})
"""Annotations that contain a whole object, and so may contain any of its credentials."""
_PRIVATE_OF_JWK = ("d", "p", "q", "dp", "dq", "qi", "k")
"""RFC 7518, 6.2.2, 6.3.2 and 6.4.1."""
_OPTION = re.compile("--?[A-Za-z][A-Za-z0-9_.-]*")
_VARIABLES = ("_PASS", "_PWD", "_SECRET", "_KEY", "_CREDENTIALS")
_NAME = re.compile(SUBDOMAIN)
_CARRIES = re.compile(
    "authorization|cookie|apikey|accesskey|privatekey|token|secret|passw|credential|signature"
)
_HEADERS = frozenset(
    {
        "authorization", "proxyauthorization", "cookie", "setcookie", "apikey", "xapikey",
        "xauthtoken", "xaccesstoken", "xamzsecuritytoken", "xgitlabtoken",
    }
)  # fmt: skip
_NAMES, _VALUES = ("name", "key", "header", "selector"), ("value", "values", "plain")
_SELECTS = frozenset({"In", "NotIn", "Exists", "DoesNotExist"})
_SCHEME = re.compile(r"(?:bearer|basic|apikey|token)[ \t]+(\S+)", re.IGNORECASE)
_SHORT = 4
_BEGINNING = 16
"""The number of characters by which a truncated credential is recognized."""


def find_credentials(kind: Kind, data: Mapping[str, Any]) -> frozenset[str]:
    """Return the credentials that an object contains, as texts; raise nothing."""
    declared = (
        text
        for pattern in kind.credentials
        for _, value in find_values(data, pattern)
        for text in _scalars(value)
    )
    contents = [data.get(key) for key in _CONTENT] if kind.kind.casefold() == _SECRET else []
    return _bare((*declared, *_scalars(contents), *_likely(data)))


def find_likely_credentials(data: Json) -> frozenset[str]:
    """Return likely credentials in data that is not an object, such as a spoke's values."""
    return _bare(_likely(data))


def _bare(texts: Iterable[str]) -> frozenset[str]:
    """Return texts without a header's scheme (`Bearer`), so that equal credentials are equal."""
    schemes = ((text, _SCHEME.fullmatch(text)) for text in texts)
    return frozenset(match[1] if match else text for text, match in schemes if text)


def _likely(data: Json) -> Iterator[str]:
    if isinstance(data, str):
        yield from find_spelled_credentials(data)
    elif isinstance(data, Mapping):
        yield from _named(data)
        if isinstance(data.get("kty"), str):
            yield from _scalars([data.get(key) for key in _PRIVATE_OF_JWK])
        for key, value in data.items():
            yield from _under(str(key), value)
            yield from _likely(value)
    elif isinstance(data, list):
        for item, before in zip(data, [None, *data], strict=False):
            yield from _likely(item)
            if isinstance(item, str) and isinstance(before, str) and _OPTION.fullmatch(before):
                yield from _under(before, item)


def _named(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield the value of a header or variable whose name suggests a credential."""
    operator = data.get("operator")
    # An entry of a label selector has `key` and `values`, too.
    if isinstance(operator, str) and operator in _SELECTS:
        return
    named = [data[key] for key in _NAMES if isinstance(data.get(key), str)]
    if any(_CARRIES.search(_plain(name)) for name in named):
        for key in _VALUES:
            yield from _scalars(data.get(key))


def _under(key: str, value: Json) -> Iterator[str]:
    """Yield the credentials in `value` if its `key` suggests that it contains any."""
    plain = _plain(key)
    if isinstance(value, str) and _is_named(key, plain, value):
        yield value
    if key == _CONTENT[1]:
        yield from _scalars(value)
    if plain in _FIELDS or plain in _HEADERS:
        if not isinstance(value, Mapping):
            yield from _scalars(value)
        elif plain in _HEADERS:
            inner = value.get("plain")
            for holder in (value, as_mapping(inner)):
                if not isinstance(holder.get("value"), Mapping | list):
                    yield from _scalars(holder.get("value"))


def _is_named(key: str, plain: str, value: str) -> bool:
    """Return whether a field's name ends like that of a credential: `dbPassword`, or `DB_PASS`.

    The value of `secret` or `credentials` is often the name of a Secret, and no credential.
    """
    if plain in _OR_ITS_NAME:
        return _NAME.fullmatch(value) is None
    if key in _COPIES:
        return True
    return plain.endswith(_ENDINGS) or (key.isupper() and key.endswith(_VARIABLES))


def _plain(name: str) -> str:
    return _PLAIN.sub("", name.casefold())


def _scalars(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, int) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _scalars(item)
    elif isinstance(value, list):
        for item in value:
            yield from _scalars(item)


@cache
def _forms(secret: str) -> tuple[str, ...]:
    """Return the forms in which a message may quote a secret: as it is, or as JSON."""
    return tuple(dict.fromkeys((secret, json.dumps(secret)[1:-1])))


class Redactor:
    """A redactor for one report, which replaces each credential with its number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def data(self, value: Json, secrets: Collection[str]) -> Json:
        """Return JSON data with these credentials replaced; the same data if it contains none."""
        if not secrets:
            return value
        if isinstance(value, str):
            return self.text(value, secrets)
        if isinstance(value, int) and not isinstance(value, bool) and str(value) in secrets:
            return self._shown(str(value))
        return map_children(value, lambda item: self.data(item, secrets))

    def text(self, text: str, secrets: Collection[str]) -> str:
        """Return a text, or a message that quotes a text, with these credentials replaced."""
        if text in secrets:
            return self._shown(text)
        quoted = [
            secret for secret in secrets if any(f[:_BEGINNING] in text for f in _forms(secret))
        ]
        # The longest first, since one credential may be a part of another.
        for secret in sorted(quoted, key=lambda secret: (-len(secret), secret)):
            for form in _forms(secret):
                text = self._without(text, form, secret)
        return text

    def _without(self, text: str, form: str, secret: str) -> str:
        # A few characters occur in words by chance: they are a credential only if quoted whole.
        if len(form) < _SHORT:
            return text.replace(f'"{form}"', f'"{self._shown(secret)}"')
        if form in text:
            return text.replace(form, self._shown(secret))
        # A message may cut a long value, and shows its beginning.
        start = text.find(form[:_BEGINNING]) if len(form) > _BEGINNING else -1
        if start < 0:
            return text
        end = start + _BEGINNING
        while end < len(text) and form.startswith(text[start : end + 1]):
            end += 1
        return text[:start] + self._shown(secret) + text[end:]

    def _shown(self, secret: str) -> str:
        number = self._numbers.setdefault(secret, len(self._numbers) + 1)
        return f"<redacted:{number}>"

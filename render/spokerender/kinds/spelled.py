"""Credentials that a text spells out: schemes, addresses, assignments, keys, tokens known by form.

Repetitions that meet are bounded: a long text must not be read for each place in it.

Sources of forms: RFC 7468 (PEM), RFC 7519 (JWT), and what the issuers document of their tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

_WORD = (
    r"(?:authorization|cookie|api[-_]?key|access[-_]?key|private[-_]?key|signature|token|secret|"
    r"credential|passw\w{0,30}|passphrase|account[-_]?key|shared[-_]?key)"
)
_PATTERNS = (
    re.compile(r"\b(?:bearer|basic|apikey|token)[ \t]+([A-Za-z0-9._~+/=-]{8,})", re.IGNORECASE),
    # Of an address: what is behind the user's name, or that where it is as long as tokens are.
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


def spelled_out(text: str) -> Iterator[str]:
    """The credentials in a text; of a private key each line, as it may be shown line by line."""
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            yield next(filter(None, match.groups()), "")
    for label, body in pairwise(text.split(_BOUNDARY)):
        if label.startswith("BEGIN ") and label.endswith("PRIVATE KEY"):
            yield body
            yield from (line for line in _LINES.split(body) if len(line) >= _SHORTEST_LINE)

"""A real Envoy on loopback, with the backends that it asks, and requests that are sent to it."""

import asyncio
import json
import re
import shutil
import socket
import ssl
import subprocess
import sysconfig
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from msgspec import Struct

from tests.live.envoy_credentials import basic
from tests.live.envoy_static import RULE

Json = dict[str, Any]
PORTS = (8080, 8081)
"""The ports of all backends."""
_ASKS = re.compile(r"/(2\d{4}|auth)(/|\?|$)")
"""The paths at which a service is asked who may call."""
_OF_BACKEND = b'{"backend"'
_LONG = 10.0
_HELLO = b"\x16"
"""The first byte of a connection in TLS."""


def find_envoy() -> str | None:
    """The path of the program, if it is installed."""
    beside = Path(sysconfig.get_path("scripts")) / "envoy"
    return str(beside) if beside.exists() else shutil.which("envoy")


def make_certificate(folder: Path) -> None:
    """Write a certificate for everything and its key: `crt` and `key`."""
    names = ("-keyout", str(folder / "key"), "-out", str(folder / "crt"))
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=example"]
    subprocess.run([*command, *names], check=True, capture_output=True)


class Probe(Struct, frozen=True):
    """A request to be sent: from an address to a port of a proxy."""

    scheme: str
    address: str
    port: int
    host: str
    method: str = "GET"
    target: str = "/"
    headers: tuple[tuple[str, str], ...] = ()
    source: str = ""
    has_certificate: bool = True


class Seen(Struct, frozen=True):
    """What came back; `request` is what the backend at `backend` got. A status of 0 is none."""

    status: int = 0
    route: str = ""
    backend: str = ""
    headers: Mapping[str, str] = {}
    method: str = ""
    path: str = ""
    sent: Mapping[str, str] = {}


class EnvoyError(Exception):
    """Envoy does not take what it is given, and why."""


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Tell a caller who is asked, and what it asks."""
    own = "{}:{}".format(*writer.get_extra_info("sockname"))
    with suppress(OSError, ValueError, asyncio.IncompleteReadError, asyncio.CancelledError):
        while first := await reader.read(1):
            if first == _HELLO:
                writer.write(own.encode())
                break
            head = (first + await reader.readuntil(b"\r\n\r\n")).decode("latin1")
            line, *rest = head.strip().split("\r\n")
            method, path, _ = line.split(" ")
            headers: dict[str, str] = {}
            for name, _, text in (one.partition(": ") for one in rest):
                key = name.lower()
                headers[key] = f"{headers[key]},{text}" if key in headers else text
            await reader.readexactly(int(headers.get("content-length", 0)))
            is_refused = _ASKS.match(path) and headers.get("authorization") != basic()
            reply = {"backend": own, "method": method, "path": path, "sent": headers}
            body = json.dumps(reply).encode()
            status = "403 Forbidden" if is_refused else "200 OK"
            lines = (f"HTTP/1.1 {status}", f"content-length: {len(body)}", "", "")
            writer.write("\r\n".join(lines).encode() + body)
            await writer.drain()
    writer.close()


@contextmanager
def backends(addresses: Sequence[str]) -> Iterator[None]:
    """Have backends at all addresses, on each of their ports."""
    loop = asyncio.new_event_loop()
    started = threading.Event()

    async def serve() -> None:
        servers = [
            await asyncio.start_server(_answer, list(addresses), port, limit=1 << 20)
            for port in PORTS
        ]
        started.set()
        await asyncio.gather(*(one.serve_forever() for one in servers))

    def run() -> None:
        with suppress(asyncio.CancelledError, RuntimeError):
            loop.run_until_complete(serve())

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    if not started.wait(_LONG):
        raise EnvoyError(f"no backend can listen on {addresses[0]}")
    try:
        yield
    finally:
        loop.call_soon_threadsafe(lambda: [task.cancel() for task in asyncio.all_tasks(loop)])
        thread.join(_LONG)
        loop.close()


@contextmanager
def envoy(bootstrap: Json, folder: Path) -> Iterator[None]:
    """Have an Envoy with this bootstrap; raise `EnvoyError` where it does not take it."""
    path, log, admin = folder / "envoy.json", folder / "envoy.log", folder / "admin"
    admin.unlink(missing_ok=True)
    address = {"socket_address": {"address": "127.0.0.1", "port_value": 0}}
    path.write_text(json.dumps({"admin": {"address": address}, **bootstrap}))
    command = [find_envoy() or "envoy", "-c", str(path), "--admin-address-path", str(admin)]
    command += ["--disable-hot-restart", "--concurrency", "1", "--log-level", "error"]
    with log.open("wb") as output:
        process = subprocess.Popen([*command], stdout=output, stderr=output)
    try:
        _wait(process, admin, log)
        yield
    finally:
        process.kill()
        process.wait()


def _wait(process: subprocess.Popen[bytes], admin: Path, log: Path) -> None:
    """Wait until it serves."""
    end = time.monotonic() + 6 * _LONG
    while time.monotonic() < end:
        if process.poll() is not None:
            raise EnvoyError(log.read_text(errors="replace"))
        with suppress(OSError, HTTPException, ValueError), closing(_connect(admin)) as connection:
            connection.request("GET", "/ready")
            if connection.getresponse().status == 200:
                return
        time.sleep(0.02)
    raise EnvoyError("it is not ready: " + log.read_text(errors="replace")[-1500:])


def _connect(admin: Path) -> HTTPConnection:
    return HTTPConnection(admin.read_text().strip(), timeout=_LONG)


class Client:
    """Sends requests, with a certificate where it is asked for one."""

    def __init__(self, folder: Path) -> None:
        self._contexts = {has: _make_context(folder, has_certificate=has) for has in (True, False)}

    def send(self, probe: Probe) -> Seen:
        """Send a request, or open a connection; no answer is none, unless the machine is too busy.

        Raises:
            EnvoyError: nothing comes in time, which says nothing of the configuration.

        """
        try:
            with socket.create_connection(
                (probe.address, probe.port), _LONG, (probe.source or "127.0.0.1", 0)
            ) as raw:
                if probe.scheme == "tls" and (passed := self._greet(raw, probe)):
                    return passed
                if probe.scheme in ("tcp", "http"):
                    return _ask(raw, probe)
            with socket.create_connection(
                (probe.address, probe.port), _LONG, (probe.source or "127.0.0.1", 0)
            ) as raw:
                context = self._contexts[probe.has_certificate]
                with context.wrap_socket(raw, server_hostname=probe.host) as wrapped:
                    return _ask(wrapped, probe)
        except TimeoutError as error:
            raise EnvoyError(f"no answer within {_LONG} s to {probe}") from error
        except (OSError, HTTPException, ValueError):
            return Seen()

    def _greet(self, raw: socket.socket, probe: Probe) -> Seen | None:
        """Begin TLS; a backend that gets it as it is tells who it is."""
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        greeting = self._contexts[True].wrap_bio(incoming, outgoing, server_hostname=probe.host)
        with suppress(ssl.SSLWantReadError):
            greeting.do_handshake()
        raw.sendall(outgoing.read())
        reply = raw.recv(100)
        if reply.startswith(b"127."):
            return Seen(200, backend=reply.decode())
        return None if reply.startswith(_HELLO) else Seen()


def _make_context(folder: Path, *, has_certificate: bool) -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if has_certificate:
        context.load_cert_chain(folder / "crt", folder / "key")
    return context


def _ask(connection: socket.socket, probe: Probe) -> Seen:
    client = HTTPConnection(probe.address, probe.port, timeout=_LONG)
    client.sock = connection
    client.putrequest(probe.method, probe.target, skip_host=True, skip_accept_encoding=True)
    for name, text in (("host", probe.host), *probe.headers):
        client.putheader(name, text)
    client.putheader("content-length", "0")
    client.endheaders()
    answer = client.getresponse()
    body = answer.read() if probe.method != "HEAD" else b""
    headers = {name.lower(): text for name, text in answer.getheaders()}
    reply: Json = json.loads(body) if body.startswith(_OF_BACKEND) else {}
    return Seen(answer.status, headers.get(RULE, ""), headers=headers, **reply)

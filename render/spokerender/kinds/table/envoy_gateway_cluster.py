"""What Envoy Gateway asks of the settings of a backend cluster, wherever they stand.

Source: envoyproxy/gateway d32f282, internal/gatewayapi: clustersettings.go, http.go.
"""

from __future__ import annotations

from spokerender.kinds.demands import Demand, amount, duration, whole

UINT32 = 2**32 - 1

_PRIMES = [n for n in range(2, 2237) if all(n % d for d in range(2, int(n**0.5) + 1))]
"""Those up to the root of the largest table of a consistent hash, 5000011."""

_BREAKERS = (
    "maxConnections",
    "maxParallelRequests",
    "maxPendingRequests",
    "maxParallelRetries",
    "maxRequestsPerConnection",
)
_TIMEOUTS = (
    "tcp.connectTimeout",
    "http.connectionIdleTimeout",
    "http.maxConnectionDuration",
    "http.requestTimeout",
    "http.maxStreamDuration",
    "http.streamIdleTimeout",
)
_UTILIZATION = (
    "blackoutPeriod",
    "weightExpirationPeriod",
    "weightUpdatePeriod",
    "outOfBand.reportingPeriod",
)


def http2(path: str, protocols: tuple[str, ...] = ()) -> tuple[Demand, ...]:
    """The settings of HTTP/2."""
    windows = ("initialStreamWindowSize", "initialConnectionWindowSize")
    alive = ("interval", "timeout", "idleInterval")
    return (
        *(amount(f"{path}.{field}", 65535, 2**31 - 1, protocols) for field in windows),
        *(duration(f"{path}.connectionKeepalive.{field}", protocols) for field in alive),
    )


def cluster(path: str) -> tuple[Demand, ...]:
    """The settings of a backend cluster: of a policy itself, or of a backend that it names."""
    back_off = f"{path}.retry.perRetry.backOff"
    return (
        *(whole(f"{path}.circuitBreaker.{field}") for field in _BREAKERS),
        *(duration(f"{path}.timeout.{field}") for field in _TIMEOUTS),
        *(duration(f"{path}.tcpKeepalive.{field}") for field in ("idleTime", "interval")),
        amount(f"{path}.connection.bufferLimit", 0, UINT32),
        Demand(
            f"{path}.loadBalancer.consistentHash.tableSize",
            f"self > 1 && self <= 5000011 && {_PRIMES}.all(p, self == p || self % p != 0)",
            "has to be a prime number up to 5000011",
        ),
        *(duration(f"{path}.loadBalancer.backendUtilization.{field}") for field in _UTILIZATION),
        duration(f"{path}.retry.perRetry.timeout"),
        *(
            Demand(
                f"{back_off}.{field}", "duration(self) != duration('0s')", "has to be more than 0s"
            )
            for field in ("baseInterval", "maxInterval")
        ),
        Demand(
            back_off,
            "!has(self.baseInterval) || !has(self.maxInterval) || "
            "duration(self.baseInterval) <= duration(self.maxInterval)",
            "has to have a maxInterval that is not less than its baseInterval",
        ),
        *http2(f"{path}.http2"),
    )

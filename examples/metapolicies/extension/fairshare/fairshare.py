"""Give each client a fair share, on every hostname of a FairSharePolicy's target."""

from spokerender.authoring.extensions import Event, Extension, Task

KIND = "FairSharePolicy.policies.example.com"
HOSTNAMES = "self.findHostnames()"
extension = Extension("fairshare", "1.0.0")


@extension.transforms(KIND, writes=["RateLimitPolicy.kuadrant.io"])
def fair_share(task: Task) -> None:
    """Make a RateLimitPolicy of a FairSharePolicy."""
    if task.spec["perMinute"] > 10_000:
        task.tell(f"nobody needs {task.spec['perMinute']} a minute", field="spec.perMinute")
    limit = task.spec["perMinute"] * task.spoke["values"]["clients"]
    limits = {
        host: {
            "rates": [{"limit": limit, "window": "1m"}],
            "when": [{"predicate": f"request.host == '{host}'"}],
            "counters": [{"expression": "source.remote_address"}],
        }
        for host in task.query(HOSTNAMES)
    }
    task.make(
        {
            "apiVersion": "kuadrant.io/v1",
            "kind": "RateLimitPolicy",
            "metadata": {"name": f"{task.name}-share"},
            "spec": {"targetRef": task.spec["targetRef"], "limits": limits},
        }
    )


@extension.subscribes(KIND, HOSTNAMES)
def log_hostnames(event: Event) -> None:
    """Log the hostnames of a FairSharePolicy when they change."""
    extension.log.warning("%s on %s has new hostnames: %s", event.name, event.spoke, event.value)


if __name__ == "__main__":
    extension.serve()

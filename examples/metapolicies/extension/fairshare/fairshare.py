"""Give each client a fair share, on every hostname of a FairSharePolicy's target."""

from spokerender.authoring.extensions import Extension, Task

extension = Extension("fairshare", "1.0.0")


@extension.transforms("FairSharePolicy.policies.example.com")
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
        for host in task.query("self.findHostnames()")
    }
    task.make(
        {
            "apiVersion": "kuadrant.io/v1",
            "kind": "RateLimitPolicy",
            "metadata": {"name": f"{task.name}-share"},
            "spec": {"targetRef": task.spec["targetRef"], "limits": limits},
        }
    )


if __name__ == "__main__":
    extension.serve()

package gateway

import (
	"istio.io/istio/pilot/pkg/status"
	"istio.io/istio/pkg/kube/krt"
)

// StatusesTo lets a queue have the statuses that the controller would write.
func (c *Controller) StatusesTo(queue status.Queue) []krt.Syncer {
	return c.status.SetQueue(queue)
}

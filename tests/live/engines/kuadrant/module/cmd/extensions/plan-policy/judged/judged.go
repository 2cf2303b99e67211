// Package judged is a door to the extension's own code, which is internal to it.
package judged

import "github.com/kuadrant/kuadrant-operator/cmd/extensions/plan-policy/internal/controller"

// Written is the policy that the extension writes for one of its own.
var Written = controller.Written

// WithStatus is a policy of the extension with the status that it writes.
var WithStatus = controller.WithStatus

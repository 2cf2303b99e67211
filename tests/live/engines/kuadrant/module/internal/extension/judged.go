package extension

import (
	"github.com/kuadrant/policy-machinery/machinery"

	extpb "github.com/kuadrant/kuadrant-operator/pkg/extension/grpc/v1"
)

// HasGateway tells whether `findGateways()` of an extension finds one for a target.
func HasGateway(topology *machinery.Topology, kind, name string) (bool, error) {
	target := &extpb.TargetRef{Kind: kind, Name: name}
	gateways, err := (&StateAwareDAG{topology: topology}).FindGatewaysFor([]*extpb.TargetRef{target})
	return len(gateways) > 0, err
}

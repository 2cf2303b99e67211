package controller

import (
	"encoding/json"

	gatewayapiv1 "sigs.k8s.io/gateway-api/apis/v1"

	kuadrantv1 "github.com/kuadrant/kuadrant-operator/api/v1"
	"github.com/kuadrant/kuadrant-operator/cmd/extensions/oidc-policy/api/v1alpha1"
)

// Written is the AuthPolicy that the extension writes for the target of an OIDCPolicy.
func Written(text []byte) (*kuadrantv1.AuthPolicy, error) {
	policy := &v1alpha1.OIDCPolicy{}
	if err := json.Unmarshal(text, policy); err != nil {
		return nil, err
	}
	gateway := &ingressGatewayInfo{Hostname: "a.example", Protocol: gatewayapiv1.HTTPProtocolType, Port: 80}
	written, err := buildMainAuthPolicy(policy, gateway)
	if err != nil {
		return nil, err
	}
	written.CreationTimestamp = policy.CreationTimestamp
	return written, nil
}

// WithStatus is an OIDCPolicy with the status that the extension writes, once the operator has judged
// the AuthPolicy for its target; the one for the callback is taken to be enforced. It writes nothing
// if it finds no Gateway.
func WithStatus(text []byte, written *kuadrantv1.AuthPolicy, hasGateway bool) (*v1alpha1.OIDCPolicy, error) {
	policy := &v1alpha1.OIDCPolicy{}
	if err := json.Unmarshal(text, policy); err != nil {
		return nil, err
	}
	if hasGateway {
		policy.Status = *calculateEnforcedStatus(policy, isAuthPolicyEnforced(written))
	}
	return policy, nil
}

package controller

import (
	"encoding/json"

	kuadrantv1 "github.com/kuadrant/kuadrant-operator/api/v1"
	"github.com/kuadrant/kuadrant-operator/cmd/extensions/plan-policy/api/v1alpha1"
)

// Written is the RateLimitPolicy that the extension writes for a PlanPolicy.
func Written(text []byte) (*kuadrantv1.RateLimitPolicy, error) {
	policy := &v1alpha1.PlanPolicy{}
	if err := json.Unmarshal(text, policy); err != nil {
		return nil, err
	}
	written := NewPlanPolicyReconciler().buildDesiredRateLimitPolicy(policy)
	written.TypeMeta.Kind, written.APIVersion = kuadrantv1.RateLimitPolicyGroupKind.Kind, kuadrantv1.GroupVersion.String()
	written.CreationTimestamp = policy.CreationTimestamp
	return written, nil
}

// WithStatus is a PlanPolicy with the status that the extension writes, once the operator has judged
// the RateLimitPolicy.
func WithStatus(text []byte, written *kuadrantv1.RateLimitPolicy) (*v1alpha1.PlanPolicy, error) {
	policy := &v1alpha1.PlanPolicy{}
	if err := json.Unmarshal(text, policy); err != nil {
		return nil, err
	}
	if err := isRateLimitPolicyEnforced(written); err != nil {
		policy.Status = *calculateErrorStatus(policy, err)
	} else {
		policy.Status = *calculateEnforcedStatus(policy, nil)
	}
	return policy, nil
}

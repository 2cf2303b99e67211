package controllers

import (
	"context"
	"sync"

	"github.com/kuadrant/policy-machinery/controller"
	"github.com/kuadrant/policy-machinery/machinery"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	kuadrantv1beta1 "github.com/kuadrant/kuadrant-operator/api/v1beta1"
	"github.com/kuadrant/kuadrant-operator/internal/wasm"
)

// Plugins makes the configuration of each Gateway's plugin, by the Gateway's locator: what the
// operator does on an event, without writing anything.
func Plugins(ctx context.Context, options []machinery.GatewayAPITopologyOptionsFunc) (map[string]wasm.Config, error) {
	own := &kuadrantv1beta1.Kuadrant{
		TypeMeta:   metav1.TypeMeta{APIVersion: kuadrantv1beta1.GroupVersion.String(), Kind: "Kuadrant"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "kuadrant-system", Name: "kuadrant"},
	}
	store := controller.Store{"kuadrant": own}
	topology, err := machinery.NewGatewayAPITopology(append(options,
		machinery.ExpandGatewayListeners(),
		machinery.ExpandHTTPRouteRules(),
		machinery.ExpandGRPCRouteRules(),
		machinery.WithGatewayAPITopologyObjects(own),
		machinery.WithGatewayAPITopologyLinks(kuadrantv1beta1.LinkKuadrantToGatewayClasses(store)),
	)...)
	if err != nil {
		return nil, err
	}
	state := &sync.Map{}
	for _, reconcile := range []controller.ReconcileFunc{
		(&AuthPolicyValidator{true, true, true}).Validate,
		(&RateLimitPolicyValidator{true, true, true}).Validate,
		(&TokenRateLimitPolicyValidator{true, true, true}).Validate,
		(&EffectiveAuthPolicyReconciler{}).Reconcile,
		(&EffectiveRateLimitPolicyReconciler{}).Reconcile,
		(&EffectiveTokenRateLimitPolicyReconciler{}).Reconcile,
	} {
		if err := reconcile(ctx, nil, topology, nil, state); err != nil {
			return nil, err
		}
	}
	return (&IstioExtensionReconciler{}).buildWasmConfigs(ctx, topology, state)
}

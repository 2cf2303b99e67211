package gateway_api

import (
	"context"
	"encoding/json"
	"log/slog"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"github.com/cilium/cilium/operator/pkg/gateway-api/helpers"
	"github.com/cilium/cilium/operator/pkg/gateway-api/indexers"
	"github.com/cilium/cilium/operator/pkg/gateway-api/loading"
	"github.com/cilium/cilium/operator/pkg/model/translation"
	gatewayApiTranslation "github.com/cilium/cilium/operator/pkg/model/translation/gateway-api"
	slim_meta_v1 "github.com/cilium/cilium/pkg/k8s/slim/k8s/apis/meta/v1"
)

// judgedKinds are those that get a status.
var judgedKinds = []client.Object{
	&gatewayv1.Gateway{}, &gatewayv1.ListenerSet{}, &gatewayv1.HTTPRoute{}, &gatewayv1.GRPCRoute{},
	&gatewayv1.TLSRoute{}, &gatewayv1.TCPRoute{}, &gatewayv1.UDPRoute{}, &gatewayv1.BackendTLSPolicy{},
}

// Judge returns the objects of a hub that have a status, once the reconciler has written it. Each
// Gateway is reconciled twice: the Service that it gets at first has an address the second time.
func Judge(ctx context.Context, texts []json.RawMessage) ([]client.Object, error) {
	c, err := judgedClient(texts)
	if err != nil {
		return nil, err
	}
	reconciler := judgingReconciler(c)
	for range 2 {
		gateways := &gatewayv1.GatewayList{}
		if err := c.List(ctx, gateways); err != nil {
			return nil, err
		}
		for _, each := range gateways.Items {
			// An error is one of the statuses that are written.
			_, _ = reconciler.Reconcile(ctx, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(&each)})
		}
		services := &corev1.ServiceList{}
		if err := c.List(ctx, services); err != nil {
			return nil, err
		}
		for _, each := range services.Items {
			each.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}
			if err := c.Status().Update(ctx, &each); err != nil {
				return nil, err
			}
		}
	}
	var objects []client.Object
	for _, list := range []client.ObjectList{
		&gatewayv1.GatewayList{}, &gatewayv1.ListenerSetList{}, &gatewayv1.HTTPRouteList{}, &gatewayv1.GRPCRouteList{},
		&gatewayv1.TLSRouteList{}, &gatewayv1.TCPRouteList{}, &gatewayv1.UDPRouteList{},
	} {
		if err := c.List(ctx, list); err != nil {
			return nil, err
		}
		if err := meta.EachListItem(list, func(item runtime.Object) error {
			objects = append(objects, item.(client.Object))
			return nil
		}); err != nil {
			return nil, err
		}
	}
	return objects, nil
}

// judgedClient is an API server in memory with the objects of a hub.
func judgedClient(texts []json.RawMessage) (client.Client, error) {
	scheme := helpers.TestScheme(helpers.AllOptionalKinds)
	decoder := serializer.NewCodecFactory(scheme).UniversalDeserializer()
	typed := func(object runtime.Object) error {
		gvks, _, err := scheme.ObjectKinds(object)
		if err != nil {
			return err
		}
		object.GetObjectKind().SetGroupVersionKind(gvks[0])
		return nil
	}
	builder := fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(&corev1.Service{}).
		WithStatusSubresource(judgedKinds...).
		WithInterceptorFuncs(interceptor.Funcs{
			Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
				if err := c.Get(ctx, key, object, options...); err != nil {
					return err
				}
				return typed(object)
			},
			List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
				if err := c.List(ctx, list, options...); err != nil {
					return err
				}
				return meta.EachListItem(list, typed)
			},
		}).
		WithIndex(&gatewayv1.ListenerSet{}, indexers.ListenerSetGatewayIndex, indexers.IndexListenerSetByGateway).
		WithIndex(&gatewayv1.HTTPRoute{}, indexers.GatewayHTTPRouteIndex, indexers.IndexHTTPRouteByGateway).
		WithIndex(&gatewayv1.HTTPRoute{}, indexers.BackendServiceHTTPRouteIndex, byService).
		WithIndex(&gatewayv1.HTTPRoute{}, indexers.HTTPRouteListenerSetIndex, indexers.IndexHTTPRouteByListenerSet).
		WithIndex(&gatewayv1.GRPCRoute{}, indexers.GatewayGRPCRouteIndex, indexers.IndexGRPCRouteByGateway).
		WithIndex(&gatewayv1.GRPCRoute{}, indexers.GRPCRouteListenerSetIndex, indexers.IndexGRPCRouteByListenerSet).
		WithIndex(&gatewayv1.TLSRoute{}, indexers.GatewayTLSRouteIndex, indexers.IndexTLSRouteByGateway).
		WithIndex(&gatewayv1.TLSRoute{}, indexers.TLSRouteListenerSetIndex, indexers.IndexTLSRouteByListenerSet).
		WithIndex(&gatewayv1.TCPRoute{}, indexers.GatewayTCPRouteIndex, indexers.IndexTCPRouteByGateway).
		WithIndex(&gatewayv1.TCPRoute{}, indexers.TCPRouteListenerSetIndex, indexers.IndexTCPRouteByListenerSet).
		WithIndex(&gatewayv1.UDPRoute{}, indexers.GatewayUDPRouteIndex, indexers.IndexUDPRouteByGateway).
		WithIndex(&gatewayv1.UDPRoute{}, indexers.UDPRouteListenerSetIndex, indexers.IndexUDPRouteByListenerSet)
	for _, text := range texts {
		object, _, err := decoder.Decode(text, nil, nil)
		if runtime.IsNotRegisteredError(err) {
			continue // the operator reads nothing of it
		}
		if err != nil {
			return nil, err
		}
		builder.WithRuntimeObjects(object)
	}
	return builder.Build(), nil
}

// byService are the Services of a route, as the operator's index has them but for ServiceImports,
// which it looks up in the cluster.
func byService(object client.Object) []string {
	var services []string
	for _, rule := range object.(*gatewayv1.HTTPRoute).Spec.Rules {
		for _, backend := range rule.BackendRefs {
			if helpers.IsService(backend.BackendObjectReference) {
				namespace := helpers.NamespaceDerefOr(backend.Namespace, object.GetNamespace())
				services = append(services, namespace+"/"+string(backend.Name))
			}
		}
	}
	return services
}

// judgingReconciler is the operator's, by its own test of the conformance suite.
func judgingReconciler(c client.Client) *gatewayReconciler {
	logger := slog.New(slog.DiscardHandler)
	const name = "io.cilium/gateway-controller"
	config := translation.Config{
		SecretsNamespace:          "cilium-secrets",
		RouteConfig:               translation.RouteConfig{HostNameSuffixMatch: true},
		ServiceConfig:             translation.ServiceConfig{ExternalTrafficPolicy: string(corev1.ServiceExternalTrafficPolicyCluster)},
		HostNetworkConfig:         translation.HostNetworkConfig{NodeLabelSelector: &slim_meta_v1.LabelSelector{}},
		OriginalIPDetectionConfig: translation.OriginalIPDetectionConfig{UseRemoteAddress: true},
	}
	return &gatewayReconciler{
		client:     c,
		scheme:     c.Scheme(),
		translator: gatewayApiTranslation.NewTranslator(translation.NewCECTranslator(config), config),
		inputLoader: loading.NewTranslationInputLoader(c, logger, name, loading.TranslationInputLoaderConfig{
			IncludeTCPRoutes:      true,
			IncludeUDPRoutes:      true,
			IncludeServiceImports: true,
			IncludeListenerSets:   true,
		}),
		gatewayAddressStatusManager:   NewGatewayAddressStatusManager(c, logger, metav1.LabelSelector{}),
		listenerStatusManager:         NewListenerStatusManager(c, logger, ListenerStatusManagerConfig{TCPUDPRouteSupport: true}),
		routeStatusManager:            NewRouteStatusManager(c, logger, name, RouteStatusManagerConfig{IncludeTCPRoutes: true, IncludeUDPRoutes: true, TCPUDPRouteSupport: true}),
		backendTLSPolicyStatusManager: NewBackendTLSPolicyStatusManager(c, name),
		logger:                        logger,
		controllerName:                name,
		tcpUDPRouteSupport:            true,
	}
}

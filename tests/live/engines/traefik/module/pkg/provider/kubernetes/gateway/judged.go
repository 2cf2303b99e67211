package gateway

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/rs/zerolog"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubefake "k8s.io/client-go/kubernetes/fake"
	kscheme "k8s.io/client-go/kubernetes/scheme"
	gatev1 "sigs.k8s.io/gateway-api/apis/v1"
	gatev1alpha2 "sigs.k8s.io/gateway-api/apis/v1alpha2"
	gatev1beta1 "sigs.k8s.io/gateway-api/apis/v1beta1"
	gatefake "sigs.k8s.io/gateway-api/pkg/client/clientset/versioned/fake"
)

func init() {
	for _, add := range []func(*runtime.Scheme) error{
		gatev1.AddToScheme, gatev1beta1.AddToScheme, gatev1alpha2.AddToScheme,
	} {
		if err := add(kscheme.Scheme); err != nil {
			panic(err)
		}
	}
}

// Judge returns the objects of a hub that have a status, once the provider has written it.
func Judge(texts []json.RawMessage, ports []int) ([]runtime.Object, error) {
	zerolog.SetGlobalLevel(zerolog.Disabled)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var core []runtime.Object
	hub := gatefake.NewSimpleClientset()
	for _, text := range texts {
		object, kind, err := kscheme.Codecs.UniversalDeserializer().Decode(text, nil, nil)
		if err != nil {
			return nil, err
		}
		if kind.Group != gatev1.GroupName {
			core = append(core, object)
			continue
		}
		named, err := meta.Accessor(object)
		if err != nil {
			return nil, err
		}
		resource, _ := meta.UnsafeGuessKindToResource(*kind)
		if kind.Kind == "Gateway" {
			resource.Resource = "gateways"
		}
		if err := hub.Tracker().Create(resource, object, named.GetNamespace()); err != nil {
			return nil, err
		}
	}
	client := newClientImpl(kubefake.NewSimpleClientset(core...), hub)
	client.experimentalChannel = true
	if _, err := client.WatchAll(nil, ctx.Done()); err != nil {
		return nil, err
	}
	provider := Provider{EntryPoints: map[string]Entrypoint{}, ExperimentalChannel: true, client: client}
	provider.StatusAddress = &StatusAddress{IP: "1.2.3.4"}
	for _, port := range ports {
		provider.EntryPoints[fmt.Sprintf("p%d", port)] = Entrypoint{Address: fmt.Sprintf(":%d", port)}
	}
	provider.loadConfigurationFromGateways(ctx)
	return written(ctx, hub)
}

func written(ctx context.Context, hub *gatefake.Clientset) ([]runtime.Object, error) {
	every := metav1.ListOptions{}
	var objects []runtime.Object
	gateways, err := hub.GatewayV1().Gateways("").List(ctx, every)
	if err != nil {
		return nil, err
	}
	for _, each := range gateways.Items {
		each.Kind = "Gateway"
		objects = append(objects, &each)
	}
	https, err := hub.GatewayV1().HTTPRoutes("").List(ctx, every)
	if err != nil {
		return nil, err
	}
	for _, each := range https.Items {
		each.Kind = kindHTTPRoute
		objects = append(objects, &each)
	}
	grpcs, err := hub.GatewayV1().GRPCRoutes("").List(ctx, every)
	if err != nil {
		return nil, err
	}
	for _, each := range grpcs.Items {
		each.Kind = kindGRPCRoute
		objects = append(objects, &each)
	}
	tlss, err := hub.GatewayV1().TLSRoutes("").List(ctx, every)
	if err != nil {
		return nil, err
	}
	for _, each := range tlss.Items {
		each.Kind = kindTLSRoute
		objects = append(objects, &each)
	}
	tcps, err := hub.GatewayV1alpha2().TCPRoutes("").List(ctx, every)
	if err != nil {
		return nil, err
	}
	for _, each := range tcps.Items {
		each.Kind = kindTCPRoute
		objects = append(objects, &each)
	}
	return objects, nil
}

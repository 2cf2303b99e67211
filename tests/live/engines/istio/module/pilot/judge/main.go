// Istio's control plane on hubs of JSON lists: the statuses that its gateway controller would write,
// and the policies that it selects for the workload of each Gateway.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/pkg/consts"

	"istio.io/istio/pilot/pkg/config/kube/crd"
	"istio.io/istio/pilot/pkg/config/kube/extensions"
	"istio.io/istio/pilot/pkg/config/kube/gateway"
	"istio.io/istio/pilot/pkg/features"
	"istio.io/istio/pilot/pkg/model"
	"istio.io/istio/pilot/pkg/networking/core"
	"istio.io/istio/pilot/pkg/serviceregistry/kube/controller"
	"istio.io/istio/pilot/pkg/status"
	"istio.io/istio/pkg/config"
	"istio.io/istio/pkg/config/host"
	"istio.io/istio/pkg/config/protocol"
	"istio.io/istio/pkg/config/schema/gvk"
	"istio.io/istio/pkg/config/schema/gvr"
	"istio.io/istio/pkg/kube"
	"istio.io/istio/pkg/kube/kclient/clienttest"
	"istio.io/istio/pkg/kube/krt"
	"istio.io/istio/pkg/log"
	"istio.io/istio/pkg/test"
)

const (
	suffix = "cluster.local"
	named  = "gateway.networking.k8s.io/gateway-name"
)

// written has the statuses by resource, namespace and name.
type written struct {
	mutex    sync.Mutex
	statuses map[string]any
}

func (w *written) EnqueueStatusUpdateResource(context any, target status.Resource) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.statuses[strings.Join([]string{target.Resource, target.Namespace, target.Name}, "/")] = context
}

func main() {
	options := log.DefaultOptions()
	options.OutputPaths = []string{"/dev/null"}
	if err := log.Configure(options); err != nil {
		fail(err)
	}
	features.EnableGatewayAPIGatewayClassController = false
	var hubs [][]json.RawMessage
	if err := json.NewDecoder(os.Stdin).Decode(&hubs); err != nil {
		fail(err)
	}
	answers := make([]any, len(hubs))
	for i, hub := range hubs {
		if err := test.Wrap(func(t test.Failer) { answers[i] = judged(t, hub) }); err != nil {
			answers[i] = map[string]any{"error": err.Error()}
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func judged(t test.Failer, hub []json.RawMessage) any {
	var objects []runtime.Object
	var policies []config.Config
	var services []*model.Service
	var gateways []types.NamespacedName
	for _, text := range hub {
		object, kind, err := kube.IstioCodec.UniversalDeserializer().Decode(text, nil, nil)
		check(t, err)
		if strings.HasSuffix(kind.Group, "istio.io") {
			read, unknown, err := crd.ParseInputs(string(text))
			check(t, err)
			if len(unknown) > 0 {
				t.Fatalf("%s is not read here", kind)
			}
			for _, each := range read {
				if each.GroupVersionKind == gvk.WasmPlugin {
					each = extensions.TranslateWasmPlugin(each)
				}
				policies = append(policies, each)
			}
			continue
		}
		objects = append(objects, object)
		if service, ok := object.(*corev1.Service); ok {
			services = append(services, registered(service))
		}
		if kind.Kind == gvk.KubernetesGateway.Kind {
			gateways = append(gateways, nameOf(t, text))
		}
	}
	generator := core.NewConfigGenTest(t, core.TestOptions{Services: services, Configs: policies})
	return map[string]any{
		"statuses": statuses(t, objects, generator.PushContext()),
		"policies": selected(generator.PushContext(), gateways),
	}
}

func statuses(t test.Failer, objects []runtime.Object, push *model.PushContext) map[string]any {
	client := kube.NewFakeClient(objects...)
	for _, kind := range []schema.GroupVersionResource{
		gvr.KubernetesGateway, gvr.ReferenceGrant, gvr.ListenerSet, gvr.GatewayClass, gvr.HTTPRoute, gvr.GRPCRoute,
		gvr.TCPRoute, gvr.TLSRoute, gvr.ServiceEntry, gvr.BackendTLSPolicy,
	} {
		clienttest.MakeCRDWithAnnotations(t, client, kind, map[string]string{
			gatewayv1.BundleVersionAnnotation: gatewayv1.BundleVersion,
		})
	}
	stop := test.NewStop(t)
	served := func(schema.GroupVersionResource, <-chan struct{}) bool { return true }
	options := controller.Options{DomainSuffix: suffix, KrtDebugger: new(krt.DebugHandler)}
	routes := gateway.NewController(client, served, options, nil)
	go routes.Run(stop)
	client.RunAndWait(stop)
	routes.Reconcile(push)
	kube.WaitForCacheSync("judge", stop, routes.HasSynced)
	queue := &written{statuses: map[string]any{}}
	for _, each := range routes.StatusesTo(queue) {
		each.WaitUntilSynced(stop)
	}
	queue.mutex.Lock()
	defer queue.mutex.Unlock()
	return queue.statuses
}

// selected are the policies that the workload of each Gateway gets, by kind, namespace and name.
func selected(push *model.PushContext, gateways []types.NamespacedName) map[string][]string {
	answers := map[string][]string{}
	for _, each := range gateways {
		labels := map[string]string{named: each.Name}
		matcher := model.PolicyMatcherFor(each.Namespace, labels, false).WithRootNamespace(push.Mesh.RootNamespace)
		names := []string{}
		rules := push.AuthzPolicies.ListAuthorizationPolicies(matcher)
		for _, list := range [][]model.AuthorizationPolicy{rules.Custom, rules.Deny, rules.Allow, rules.Audit} {
			for _, policy := range list {
				names = append(names, fmt.Sprintf("AuthorizationPolicy %s/%s", policy.Namespace, policy.Name))
			}
		}
		for _, policy := range push.AuthnPolicies.GetJwtPoliciesForWorkload(matcher) {
			names = append(names, fmt.Sprintf("RequestAuthentication %s/%s", policy.Namespace, policy.Name))
		}
		proxy := &model.Proxy{
			Type: model.Router, ConfigNamespace: each.Namespace, Labels: labels, Metadata: &model.NodeMetadata{},
		}
		for _, list := range push.TrafficExtensions(proxy) {
			for _, extension := range list {
				kind, name := extensions.NameOf(extension.Name)
				names = append(names, fmt.Sprintf("%s %s/%s", kind, extension.Namespace, name))
			}
		}
		if filters := push.EnvoyFilters(proxy); filters != nil {
			for _, patches := range filters.Patches {
				for _, patch := range patches {
					names = append(names, fmt.Sprintf("EnvoyFilter %s/%s", patch.Namespace, patch.Name))
				}
			}
		}
		for _, provider := range push.Telemetry.ProvidersFor(proxy) {
			names = append(names, "Telemetry "+provider)
		}
		answers[each.String()] = names
	}
	return answers
}

func registered(service *corev1.Service) *model.Service {
	ports := model.PortList{}
	for _, port := range service.Spec.Ports {
		ports = append(ports, &model.Port{Name: port.Name, Port: int(port.Port), Protocol: protocol.HTTP})
	}
	return &model.Service{
		Hostname:   host.Name(fmt.Sprintf("%s.%s.svc.%s", service.Name, service.Namespace, suffix)),
		Attributes: model.ServiceAttributes{Name: service.Name, Namespace: service.Namespace},
		Ports:      ports,
	}
}

func nameOf(t test.Failer, text []byte) types.NamespacedName {
	var named struct {
		Metadata struct{ Name, Namespace string }
	}
	check(t, json.Unmarshal(text, &named))
	return types.NamespacedName{Name: named.Metadata.Name, Namespace: named.Metadata.Namespace}
}

func check(t test.Failer, err error) {
	if err != nil {
		t.Fatal(err)
	}
}

package controllers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	egv1alpha1 "github.com/envoyproxy/gateway/api/v1alpha1"
	authorinooperatorv1beta1 "github.com/kuadrant/authorino-operator/api/v1beta1"
	authorinov1beta3 "github.com/kuadrant/authorino/api/v1beta3"
	kuadrantdnsv1alpha1 "github.com/kuadrant/dns-operator/api/v1alpha1"
	limitadorv1alpha1 "github.com/kuadrant/limitador-operator/api/v1alpha1"
	"github.com/kuadrant/policy-machinery/controller"
	"github.com/kuadrant/policy-machinery/machinery"
	istioclientnetworkingv1alpha3 "istio.io/client-go/pkg/apis/networking/v1alpha3"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	gatewayv1alpha2 "sigs.k8s.io/gateway-api/apis/v1alpha2"

	kuadrantv1 "github.com/kuadrant/kuadrant-operator/api/v1"
	kuadrantv1alpha1 "github.com/kuadrant/kuadrant-operator/api/v1alpha1"
	kuadrantv1beta1 "github.com/kuadrant/kuadrant-operator/api/v1beta1"
	kuadrantauthorino "github.com/kuadrant/kuadrant-operator/internal/authorino"
	"github.com/kuadrant/kuadrant-operator/internal/cel"
	"github.com/kuadrant/kuadrant-operator/internal/envoygateway"
	"github.com/kuadrant/kuadrant-operator/internal/extension"
	"github.com/kuadrant/kuadrant-operator/internal/istio"
	kuadrantpolicymachinery "github.com/kuadrant/kuadrant-operator/internal/policymachinery"
	"github.com/kuadrant/kuadrant-operator/internal/wasm"
)

// kinds are what the operator reads, and what it writes and reads again.
var kinds = map[string]controller.Object{
	"GatewayClass":         &gatewayv1.GatewayClass{},
	"Gateway":              &gatewayv1.Gateway{},
	"HTTPRoute":            &gatewayv1.HTTPRoute{},
	"GRPCRoute":            &gatewayv1.GRPCRoute{},
	"AuthPolicy":           &kuadrantv1.AuthPolicy{},
	"RateLimitPolicy":      &kuadrantv1.RateLimitPolicy{},
	"TokenRateLimitPolicy": &kuadrantv1alpha1.TokenRateLimitPolicy{},
	"DNSPolicy":            &kuadrantv1.DNSPolicy{},
	"TLSPolicy":            &kuadrantv1.TLSPolicy{},
	"Issuer":               &certmanagerv1.Issuer{},
	"ClusterIssuer":        &certmanagerv1.ClusterIssuer{},
	"Kuadrant":             &kuadrantv1beta1.Kuadrant{},
	"Limitador":            &limitadorv1alpha1.Limitador{},
	"Authorino":            &authorinooperatorv1beta1.Authorino{},
	"AuthConfig":           &authorinov1beta3.AuthConfig{},
	"EnvoyFilter":          &istioclientnetworkingv1alpha3.EnvoyFilter{},
	"EnvoyPatchPolicy":     &egv1alpha1.EnvoyPatchPolicy{},
	"EnvoyExtensionPolicy": &egv1alpha1.EnvoyExtensionPolicy{},
	"DNSRecord":            &kuadrantdnsv1alpha1.DNSRecord{},
	"Certificate":          &certmanagerv1.Certificate{},
}

// own are the operator's components.
var own = []string{
	`{"apiVersion": "kuadrant.io/v1beta1", "kind": "Kuadrant", "metadata": {"name": "kuadrant", "namespace": "kuadrant-system"}}`,
	`{"apiVersion": "limitador.kuadrant.io/v1alpha1", "kind": "Limitador", "metadata": {"name": "limitador", "namespace": "kuadrant-system"}}`,
	`{"apiVersion": "operator.authorino.kuadrant.io/v1beta1", "kind": "Authorino", "metadata": {"name": "authorino", "namespace": "kuadrant-system"}}`,
}

var links = []controller.LinkFunc{
	kuadrantv1beta1.LinkKuadrantToGatewayClasses,
	kuadrantv1beta1.LinkKuadrantToLimitador,
	kuadrantv1beta1.LinkKuadrantToAuthorino,
	kuadrantauthorino.LinkHTTPRouteRuleToAuthConfig,
	kuadrantauthorino.LinkGRPCRouteRuleToAuthConfig,
	istio.LinkGatewayToEnvoyFilter,
	envoygateway.LinkGatewayToEnvoyPatchPolicy,
	envoygateway.LinkGatewayToEnvoyExtensionPolicy,
	LinkListenerToDNSRecord,
	LinkDNSPolicyToDNSRecord,
	LinkListenerToCertificateFunc,
	LinkTLSPolicyToIssuerFunc,
	LinkTLSPolicyToClusterIssuerFunc,
}

// InForce is the effective policy of a kind on a path: by the locators of the path's objects the
// keys of its rules with the locators of their policies. If it is refused, for an error in CEL, the
// plugin gets nothing of it, or of limits of tokens not all.
type InForce struct {
	Kind    string            `json:"kind"`
	Path    []string          `json:"path"`
	Rules   map[string]string `json:"rules"`
	Refused bool              `json:"refused"`
}

// Judged is what the operator makes of a hub: what is in force on each path, the objects with the
// statuses that it writes, and the configuration of each Gateway's plugin.
type Judged struct {
	InForce []InForce                   `json:"inForce"`
	Ignored []InForce                   `json:"ignored"`
	Objects []controller.Object         `json:"objects"`
	Plugins map[string][]wasm.ActionSet `json:"plugins"`
	Error   string                      `json:"error,omitempty"`

	topology *machinery.Topology
}

// HasGateway tells whether an extension finds a Gateway for a target.
func (j *Judged) HasGateway(target gatewayv1alpha2.LocalPolicyTargetReferenceWithSectionName) (bool, error) {
	return extension.HasGateway(j.topology, string(target.Kind), string(target.Name))
}

// enough events follow each other until the operator changes nothing more, unless two policies
// write one object in turn.
const enough = 5

// Judge runs the operator on a hub, with its components and all that it makes ready, until it
// changes nothing more.
func Judge(ctx context.Context, hub []json.RawMessage) (*Judged, error) {
	world := &world{objects: controller.Store{}}
	for _, text := range own {
		if err := world.put([]byte(text)); err != nil {
			return nil, err
		}
	}
	for _, text := range hub {
		if err := world.put(text); err != nil {
			return nil, err
		}
	}
	client, err := dynamic.NewForConfig(&rest.Config{Host: "http://hub", QPS: -1, Transport: world})
	if err != nil {
		return nil, err
	}
	judged := &Judged{Plugins: map[string][]wasm.ActionSet{}}
	for event := range enough {
		world.changed = false
		topology, err := world.topology()
		if err != nil {
			return nil, err
		}
		judged.topology = topology
		state := &sync.Map{}
		if err := runSteps(ctx, client, topology, state); err != nil {
			judged.Error = err.Error()
			break
		}
		if !world.changed || event == enough-1 {
			for _, build := range []func(context.Context, *machinery.Topology, *sync.Map) (map[string]wasm.Config, error){
				(&IstioExtensionReconciler{client: client}).buildWasmConfigs,
				(&EnvoyGatewayExtensionReconciler{client: client}).buildWasmConfigs,
			} {
				configs, err := build(ctx, topology, state)
				if err != nil {
					return nil, err
				}
				for gateway, config := range configs {
					judged.Plugins[gateway] = config.ActionSets
				}
			}
			judged.InForce, judged.Ignored = inForce(state)
			break
		}
	}
	for _, object := range world.objects {
		judged.Objects = append(judged.Objects, object)
	}
	return judged, nil
}

// runSteps runs the steps of the operator's workflows one after the other, in their order.
func runSteps(ctx context.Context, client *dynamic.DynamicClient, topology *machinery.Topology, state *sync.Map) error {
	scheme := runtime.NewScheme()
	if err := kuadrantv1.AddToScheme(scheme); err != nil {
		return err
	}
	for _, step := range []controller.ReconcileFunc{
		NewDNSPoliciesValidator(true, true).validate,
		NewEffectiveDNSPoliciesReconciler(client, scheme).reconcile,
		NewDNSPolicyStatusUpdater(client).updateStatus,
		NewTLSPoliciesValidator(true, true).Validate,
		NewEffectiveTLSPoliciesReconciler(client, scheme).Reconcile,
		NewTLSPolicyStatusUpdater(client).UpdateStatus,
		(&AuthPolicyValidator{true, true, true}).Validate,
		(&RateLimitPolicyValidator{true, true, true}).Validate,
		(&TokenRateLimitPolicyValidator{true, true, true}).Validate,
		(&EffectiveAuthPolicyReconciler{client}).Reconcile,
		(&EffectiveRateLimitPolicyReconciler{client}).Reconcile,
		(&EffectiveTokenRateLimitPolicyReconciler{client}).Reconcile,
		(&AuthConfigsReconciler{client}).Reconcile,
		(&LimitadorLimitsReconciler{client}).Reconcile,
		(&IstioAuthClusterReconciler{client}).Reconcile,
		(&IstioRateLimitClusterReconciler{client}).Reconcile,
		(&IstioExtensionReconciler{client}).Reconcile,
		(&EnvoyGatewayAuthClusterReconciler{client}).Reconcile,
		(&EnvoyGatewayRateLimitClusterReconciler{client}).Reconcile,
		(&EnvoyGatewayExtensionReconciler{client}).Reconcile,
		(&AuthPolicyStatusUpdater{client}).UpdateStatus,
		(&RateLimitPolicyStatusUpdater{client}).UpdateStatus,
		(&TokenRateLimitPolicyStatusUpdater{client}).UpdateStatus,
		NewGatewayPolicyDiscoverabilityReconciler(client).reconcile,
		NewRoutePolicyDiscoverabilityReconciler(client).reconcile,
	} {
		if err := step(ctx, nil, topology, nil, state); err != nil {
			return err
		}
	}
	return nil
}

// inForce lists the effective policies, and those on paths of which nothing is made.
func inForce(state *sync.Map) (all, ignored []InForce) {
	add := func(kind string, path []machinery.Targetable, rules map[string]kuadrantv1.MergeableRule) {
		one := InForce{Kind: kind, Rules: map[string]string{}}
		if issues, ok := state.Load(cel.StateCELValidationErrors); ok {
			byPath, _ := issues.(*cel.IssueCollection).GetByPolicyKind(kind)
			one.Refused = len(byPath[kuadrantv1.PathID(path)]) > 0
		}
		for _, object := range path {
			one.Path = append(one.Path, object.GetLocator())
		}
		for key, rule := range rules {
			one.Rules[key] = rule.GetSource()
		}
		if _, err := kuadrantpolicymachinery.ParseTopologyPath(path); err != nil {
			ignored = append(ignored, one)
		} else {
			all = append(all, one)
		}
	}
	if auth, ok := state.Load(StateEffectiveAuthPolicies); ok {
		for _, one := range auth.(EffectiveAuthPolicies) {
			add("AuthPolicy", one.Path, one.Spec.Rules())
		}
	}
	if limits, ok := state.Load(StateEffectiveRateLimitPolicies); ok {
		for _, one := range limits.(EffectiveRateLimitPolicies) {
			add("RateLimitPolicy", one.Path, one.Spec.Rules())
		}
	}
	if tokens, ok := state.Load(StateEffectiveTokenRateLimitPolicies); ok {
		for _, one := range tokens.(EffectiveTokenRateLimitPolicies) {
			add("TokenRateLimitPolicy", one.Path, one.Spec.Rules())
		}
	}
	return all, ignored
}

// world is a cluster in memory, with an API server that takes everything. What the operator's
// components and other controllers make of objects is ready at once.
type world struct {
	lock    sync.Mutex
	objects controller.Store
	changed bool
}

func (w *world) put(text []byte) error {
	var of struct{ Kind string }
	if err := json.Unmarshal(text, &of); err != nil {
		return err
	}
	example, ok := kinds[of.Kind]
	if !ok {
		return nil // the operator reads nothing of it
	}
	object := example.DeepCopyObject().(controller.Object)
	if err := json.Unmarshal(text, object); err != nil {
		return fmt.Errorf("%s: %w", text, err)
	}
	key := strings.Join([]string{of.Kind, object.GetNamespace(), object.GetName()}, "/")
	object.SetUID(types.UID(key))
	if status, ok := ready[of.Kind]; ok {
		if err := json.Unmarshal([]byte(status), object); err != nil {
			return err
		}
	}
	readyForGateway(object)
	w.objects[key] = object
	return nil
}

const isReady = `{"status": {"conditions": [{"type": "Ready", "status": "True"}]}}`

var ready = map[string]string{
	"Limitador":     `{"status": {"service": {"host": "limitador", "ports": {"grpc": 8081, "http": 8080}}, "conditions": [{"type": "Ready", "status": "True"}]}}`,
	"Authorino":     isReady,
	"AuthConfig":    isReady,
	"DNSRecord":     isReady,
	"Certificate":   isReady,
	"Issuer":        isReady,
	"ClusterIssuer": isReady,
}

func readyForGateway(object controller.Object) {
	entry := func(name gatewayv1.ObjectName, condition string) gatewayv1alpha2.PolicyStatus {
		status := fmt.Sprintf(
			`{"ancestors": [{"ancestorRef": {"name": %q, "namespace": %q}, "controllerName": %q, "conditions": [{"type": %q, "status": "True"}]}]}`,
			name, object.GetNamespace(), defaultEnvoyGatewayGatewayControllerName, condition,
		)
		var read gatewayv1alpha2.PolicyStatus
		_ = json.Unmarshal([]byte(status), &read)
		return read
	}
	switch one := object.(type) {
	case *egv1alpha1.EnvoyPatchPolicy:
		one.Status = entry(one.Spec.TargetRef.Name, "Programmed")
	case *egv1alpha1.EnvoyExtensionPolicy:
		one.Status = entry(one.Spec.TargetRefs[0].Name, "Accepted")
	}
}

func (w *world) topology() (*machinery.Topology, error) {
	var functions []machinery.LinkFunc
	for _, link := range links {
		functions = append(functions, link(w.objects))
	}
	options := []machinery.GatewayAPITopologyOptionsFunc{
		machinery.ExpandGatewayListeners(),
		machinery.ExpandHTTPRouteRules(),
		machinery.ExpandGRPCRouteRules(),
		machinery.WithGatewayAPITopologyLinks(functions...),
	}
	for _, object := range w.objects {
		switch one := object.(type) {
		case *gatewayv1.GatewayClass:
			options = append(options, machinery.WithGatewayClasses(one))
		case *gatewayv1.Gateway:
			options = append(options, machinery.WithGateways(one))
		case *gatewayv1.HTTPRoute:
			options = append(options, machinery.WithHTTPRoutes(one))
		case *gatewayv1.GRPCRoute:
			options = append(options, machinery.WithGRPCRoutes(one))
		case machinery.Policy:
			options = append(options, machinery.WithGatewayAPITopologyPolicies(one))
		case *kuadrantv1beta1.Kuadrant:
			options = append(options, machinery.WithGatewayAPITopologyObjects(one))
		default:
			options = append(options, machinery.WithGatewayAPITopologyObjects(&controller.RuntimeObject{Object: one}))
		}
	}
	return machinery.NewGatewayAPITopology(options...)
}

// RoundTrip answers as an API server. Statuses are in the objects already.
func (w *world) RoundTrip(request *http.Request) (*http.Response, error) {
	w.lock.Lock()
	defer w.lock.Unlock()
	text, code := []byte(`{"apiVersion": "v1", "kind": "Status"}`), http.StatusOK
	if request.Body != nil {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return nil, err
		}
		text = body
	}
	switch {
	case request.Method == http.MethodGet:
		text = []byte(`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system", "uid": "cluster"}}`)
	case request.Method == http.MethodDelete:
		text, code = []byte(`{"apiVersion": "v1", "kind": "Status", "status": "Failure", "reason": "NotFound", "code": 404}`), http.StatusNotFound
	case !strings.HasSuffix(request.URL.Path, "/status"):
		if err := w.put(text); err != nil {
			return nil, err
		}
		w.changed = true
	}
	return &http.Response{
		StatusCode: code,
		Header:     http.Header{"Content-Type": {"application/json"}},
		Body:       io.NopCloser(bytes.NewReader(text)),
		Request:    request,
	}, nil
}

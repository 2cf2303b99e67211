// Authorino behind its own gRPC service on loopback. Each line of standard input is a set of
// AuthConfigs and Secrets in place of the former ones; the answer is a line with the AuthConfigs
// that it does not take, each with its error. The first line out says where it is asked, where its
// issuer of tokens is, and has a token for each of the claims in the arguments.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"time"

	envoyauth "github.com/envoyproxy/go-control-plane/envoy/service/auth/v3"
	"github.com/go-logr/logr"
	"google.golang.org/grpc"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kuadrant/authorino/api/v1beta3"
	"github.com/kuadrant/authorino/controllers"
	"github.com/kuadrant/authorino/pkg/index"
	"github.com/kuadrant/authorino/pkg/service"
)

// Objects are what a cluster has for Authorino.
type Objects struct {
	AuthConfigs []v1beta3.AuthConfig `json:"authConfigs"`
	Secrets     []corev1.Secret      `json:"secrets"`
}

// Started is where Authorino and the issuer are asked, with a token for each of the claims, in
// order, and one of the same claims that another key signed.
type Started struct {
	Check  string   `json:"check"`
	Issuer string   `json:"issuer"`
	Tokens []string `json:"tokens"`
	Forged []string `json:"forged"`
}

// cluster reads objects in place of an API server. Authorino calls no other method of a client.
type cluster struct {
	client.Client
	Objects
}

func (c *cluster) Get(_ context.Context, key client.ObjectKey, object client.Object, _ ...client.GetOption) error {
	switch one := object.(type) {
	case *v1beta3.AuthConfig:
		for _, each := range c.AuthConfigs {
			if each.Namespace == key.Namespace && each.Name == key.Name {
				each.DeepCopyInto(one)
				return nil
			}
		}
	case *corev1.Secret:
		for _, each := range c.Secrets {
			if each.Namespace == key.Namespace && each.Name == key.Name {
				each.DeepCopyInto(one)
				return nil
			}
		}
	}
	return apierrors.NewNotFound(schema.GroupResource{}, key.String())
}

func (c *cluster) List(_ context.Context, list client.ObjectList, options ...client.ListOption) error {
	chosen := (&client.ListOptions{}).ApplyOptions(options)
	switch all := list.(type) {
	case *v1beta3.AuthConfigList:
		all.Items = c.AuthConfigs
	case *corev1.SecretList:
		for _, each := range c.Secrets {
			isIn := chosen.Namespace == "" || chosen.Namespace == each.Namespace
			if isIn && (chosen.LabelSelector == nil || chosen.LabelSelector.Matches(labels.Set(each.Labels))) {
				all.Items = append(all.Items, each)
			}
		}
	}
	return nil
}

// authorino is its reconciler of AuthConfigs with the index that its service reads.
type authorino struct {
	*cluster
	reconciler *controllers.AuthConfigReconciler
}

// take replaces the objects, and tells the errors of AuthConfigs that are not taken.
func (a *authorino) take(ctx context.Context, objects Objects) map[string]string {
	former, failures := a.AuthConfigs, map[string]string{}
	// Else one that is not taken leaves the former one of its name in the index.
	a.Objects = Objects{}
	a.reconcile(ctx, former, failures)
	a.Objects = objects
	a.reconcile(ctx, objects.AuthConfigs, failures)
	return failures
}

func (a *authorino) reconcile(ctx context.Context, all []v1beta3.AuthConfig, failures map[string]string) {
	for _, each := range all {
		key := types.NamespacedName{Namespace: each.Namespace, Name: each.Name}
		if _, err := a.reconciler.Reconcile(ctx, ctrl.Request{NamespacedName: key}); err != nil {
			failures[each.Name] = err.Error()
		}
	}
}

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	issuer, err := newIssuer()
	if err != nil {
		return err
	}
	started := Started{Check: listener.Addr().String(), Issuer: issuer.url}
	for _, claims := range os.Args[1:] {
		token, forged, err := issuer.sign(claims)
		if err != nil {
			return err
		}
		started.Tokens, started.Forged = append(started.Tokens, token), append(started.Forged, forged)
	}
	ctrl.SetLogger(logr.Discard())
	cache := index.NewIndex()
	server := grpc.NewServer()
	envoyauth.RegisterAuthorizationServer(server, service.NewAuthService(cache, 10*time.Second, 8192))
	go server.Serve(listener)
	objects := &cluster{}
	asked := &authorino{objects, &controllers.AuthConfigReconciler{
		Client:       objects,
		Logger:       logr.Discard(),
		Index:        cache,
		StatusReport: controllers.NewStatusReportMap(),
	}}
	answers := json.NewEncoder(os.Stdout)
	if err := answers.Encode(started); err != nil {
		return err
	}
	for lines := json.NewDecoder(bufio.NewReader(os.Stdin)); lines.More(); {
		var next Objects
		if err := lines.Decode(&next); err != nil {
			return err
		}
		if err := answers.Encode(asked.take(ctx, next)); err != nil {
			return err
		}
	}
	return nil
}

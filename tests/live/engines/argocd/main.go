// Argo CD's generators of ApplicationSets, its checks of Applications, and its repository server.
//
// It reads a JSON list of ApplicationSets and Applications, and tells of each which Applications it
// comes to, and of each of these what Argo CD says against it and the objects that it would apply.
// Projects and clusters are those of an API server; the repositories are read with Git.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"time"

	"github.com/sirupsen/logrus"
	"google.golang.org/grpc"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/argoproj/argo-cd/v3/applicationset/controllers/template"
	"github.com/argoproj/argo-cd/v3/applicationset/generators"
	"github.com/argoproj/argo-cd/v3/applicationset/services"
	"github.com/argoproj/argo-cd/v3/applicationset/utils"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/reposerver/apiclient"
	repocache "github.com/argoproj/argo-cd/v3/reposerver/cache"
	"github.com/argoproj/argo-cd/v3/reposerver/metrics"
	"github.com/argoproj/argo-cd/v3/reposerver/repository"
	"github.com/argoproj/argo-cd/v3/util/argo"
	"github.com/argoproj/argo-cd/v3/util/cache"
	"github.com/argoproj/argo-cd/v3/util/db"
	"github.com/argoproj/argo-cd/v3/util/git"
	"github.com/argoproj/argo-cd/v3/util/settings"
	"github.com/argoproj/argo-cd/v3/util/tls"
)

const (
	seconds  = 60
	lifetime = time.Hour
)

type judge struct {
	ctx        context.Context
	objects    client.Client
	db         db.ArgoDB
	generators map[string]generators.Generator
	repository apiclient.RepoServerServiceClient
}

type application struct {
	Application v1alpha1.Application `json:"application"`
	Refusals    []string             `json:"refusals"`
	Objects     []json.RawMessage    `json:"objects"`
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "of the API server with the projects and the clusters' Secrets")
	namespace := flag.String("namespace", "argocd", "Argo CD's namespace")
	folder := flag.String("folder", "", "for working copies of the repositories")
	flag.Parse()
	logrus.SetOutput(io.Discard)
	var given []json.RawMessage
	check(json.NewDecoder(os.Stdin).Decode(&given))
	judge := newJudge(*kubeconfig, *namespace, *folder)
	answers := make([]any, len(given))
	for i, object := range given {
		answers[i] = judge.answer(object)
	}
	check(json.NewEncoder(os.Stdout).Encode(answers))
}

func newJudge(kubeconfig, namespace, folder string) judge {
	ctx := context.Background()
	config := must(clientcmd.BuildConfigFromFlags("", kubeconfig))
	check(v1alpha1.AddToScheme(scheme.Scheme))
	objects := must(client.New(config, client.Options{Scheme: scheme.Scheme}))
	kube := must(kubernetes.NewForConfig(config))
	database := db.NewDB(namespace, settings.NewSettingsManager(ctx, kube, namespace), kube)
	clients := apiclient.NewRepoServerClientset(serve(folder), seconds, tls.Configuration{DisableTLS: true})
	_, client, err := clients.NewRepoServerClient()
	check(err)
	repos := services.NewArgoCDService(database, false, clients, false)
	terminal := map[string]generators.Generator{
		"List":     generators.NewListGenerator(),
		"Clusters": generators.NewClusterGenerator(objects, namespace),
		"Git":      generators.NewGitGenerator(repos, namespace),
	}
	all := map[string]generators.Generator{"Matrix": generators.NewMatrixGenerator(terminal)}
	for name, generator := range terminal {
		all[name] = generator
	}
	return judge{ctx, objects, database, all, client}
}

// serve starts the repository server, and gives its address.
func serve(folder string) string {
	memory := cache.NewCache(cache.NewInMemoryCache(lifetime))
	cached := repocache.NewCache(memory, lifetime, lifetime, lifetime)
	service := repository.NewService(metrics.NewMetricsServer(), cached, repository.RepoServerInitConstants{}, git.NoopCredsStore{}, folder)
	check(service.Init())
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	server := grpc.NewServer()
	apiclient.RegisterRepoServerServiceServer(server, service)
	go func() { log.Fatal(server.Serve(listener)) }()
	return listener.Addr().String()
}

func (j judge) answer(object json.RawMessage) any {
	var kind struct{ Kind string }
	check(json.Unmarshal(object, &kind))
	var applications []v1alpha1.Application
	switch kind.Kind {
	case "ApplicationSet":
		var set v1alpha1.ApplicationSet
		check(json.Unmarshal(object, &set))
		made, _, err := template.GenerateApplications(logrus.NewEntry(logrus.StandardLogger()), set, j.generators, &utils.Render{}, j.objects)
		if err != nil {
			return map[string]any{"error": err.Error()}
		}
		applications = made
	case "Application":
		applications = make([]v1alpha1.Application, 1)
		check(json.Unmarshal(object, &applications[0]))
	default:
		log.Fatalf("the kind %s is not read here", kind.Kind)
	}
	judged := make([]application, len(applications))
	for i, each := range applications {
		judged[i] = j.judged(each)
	}
	return map[string]any{"applications": judged}
}

func (j judge) judged(app v1alpha1.Application) application {
	answer := application{Application: app}
	refuse := func(err error) application {
		answer.Refusals = append(answer.Refusals, err.Error())
		return answer
	}
	project := &v1alpha1.AppProject{}
	if err := j.objects.Get(j.ctx, client.ObjectKey{Namespace: app.Namespace, Name: app.Spec.Project}, project); err != nil {
		return refuse(err)
	}
	conditions, err := argo.ValidatePermissions(j.ctx, &app.Spec, project, j.db)
	if err != nil {
		return refuse(err)
	}
	for _, condition := range conditions {
		answer.Refusals = append(answer.Refusals, condition.Message)
	}
	source := app.Spec.GetSource()
	response, err := j.repository.GenerateManifest(j.ctx, &apiclient.ManifestRequest{
		Repo:              &v1alpha1.Repository{Repo: source.RepoURL},
		Revision:          source.TargetRevision,
		AppName:           app.Name,
		Namespace:         app.Spec.Destination.Namespace,
		ApplicationSource: &source,
		AppLabelKey:       "app.kubernetes.io/instance",
		TrackingMethod:    string(v1alpha1.TrackingMethodAnnotation),
		ProjectName:       project.Name,
	})
	if err != nil {
		return refuse(err)
	}
	cluster, err := argo.GetDestinationCluster(j.ctx, app.Spec.Destination, j.db)
	if err != nil {
		return refuse(err)
	}
	for _, manifest := range response.Manifests {
		answer.Objects = append(answer.Objects, json.RawMessage(manifest))
		if err := j.permitted(project, cluster, manifest); err != nil {
			answer.Refusals = append(answer.Refusals, err.Error())
		}
	}
	return answer
}

// permitted asks as a sync does, before it applies an object.
func (j judge) permitted(project *v1alpha1.AppProject, cluster *v1alpha1.Cluster, manifest string) error {
	object := &unstructured.Unstructured{}
	if err := runtime.DecodeInto(unstructured.UnstructuredJSONScheme, []byte(manifest), object); err != nil {
		return err
	}
	clusters := func(name string) ([]*v1alpha1.Cluster, error) { return j.db.GetProjectClusters(j.ctx, name) }
	ok, err := project.IsResourcePermitted(object.GroupVersionKind().GroupKind(), object.GetName(), object.GetNamespace(), cluster, clusters)
	if err == nil && !ok {
		err = fmt.Errorf("%s %s/%s is not permitted in project %s", object.GetKind(), object.GetNamespace(), object.GetName(), project.Name)
	}
	return err
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// The controllers of Open Cluster Management's work agent, wired as the agent wires them where its
// works come from an API server; without the message brokers that they could come from as well.
package main

import (
	"context"
	"flag"
	"log"
	"os/signal"
	"syscall"
	"time"

	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"
	crds "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/clock"
	works "open-cluster-management.io/api/client/work/clientset/versioned"
	informers "open-cluster-management.io/api/client/work/informers/externalversions"
	"open-cluster-management.io/api/feature"
	"open-cluster-management.io/ocm/pkg/features"
	"open-cluster-management.io/ocm/pkg/work/helper"
	"open-cluster-management.io/ocm/pkg/work/spoke/auth/basic"
	"open-cluster-management.io/ocm/pkg/work/spoke/controllers/finalizercontroller"
	"open-cluster-management.io/ocm/pkg/work/spoke/controllers/manifestcontroller"
	"open-cluster-management.io/ocm/pkg/work/spoke/controllers/statuscontroller"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

const (
	workers      = 2
	feedbackSize = 1024
	evictedAfter = time.Hour
)

func main() {
	hub := flag.String("hub", "", "the hub's kubeconfig")
	spoke := flag.String("spoke", "", "the spoke's kubeconfig")
	name := flag.String("cluster", "", "the name of the spoke's ManagedCluster")
	flag.Parse()
	done(features.SpokeMutableFeatureGate.Add(feature.DefaultSpokeWorkFeatureGates))
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	run(ctx, config(*hub), config(*spoke), *name)
	<-ctx.Done()
}

func run(ctx context.Context, hub, spoke *rest.Config, name string) {
	recorder := events.NewLoggingEventRecorder("work-agent", clock.RealClock{})
	objects := made(dynamic.NewForConfig(spoke))
	kube := made(kubernetes.NewForConfig(spoke))
	spokeWorks := made(works.NewForConfig(spoke))
	hubWorks := made(works.NewForConfig(hub))
	mapper := mapperOf(spoke)
	applied := informers.NewSharedInformerFactory(spokeWorks, time.Hour)
	factories := informers.NewSharedInformerFactoryWithOptions(hubWorks, time.Hour, informers.WithNamespace(name))
	wanted := factories.Work().V1().ManifestWorks()
	client, lister := hubWorks.WorkV1().ManifestWorks(name), wanted.Lister().ManifestWorks(name)
	appliedClient, appliedInformer := spokeWorks.WorkV1().AppliedManifestWorks(), applied.Work().V1().AppliedManifestWorks()
	hash := helper.HubHash(hub.Host)
	controllers := []factory.Controller{
		manifestcontroller.NewManifestWorkController(recorder, objects, kube, made(crds.NewForConfig(spoke)), client,
			wanted, lister, appliedClient, appliedInformer, hash, hash, mapper, basic.NewSARValidator(spoke, kube)),
		finalizercontroller.NewAddFinalizerController(recorder, client, wanted, lister),
		finalizercontroller.NewAppliedManifestWorkFinalizeController(recorder, objects, appliedClient, appliedInformer, hash),
		finalizercontroller.NewManifestWorkFinalizeController(recorder, client, wanted, lister, appliedClient, appliedInformer, hash),
		finalizercontroller.NewUnManagedAppliedWorkController(recorder, wanted, lister, appliedClient, appliedInformer, evictedAfter, hash, hash),
		made(statuscontroller.NewAvailableStatusController(recorder, objects, client, wanted, lister, feedbackSize, time.Second)),
	}
	applied.Start(ctx.Done())
	factories.Start(ctx.Done())
	for _, controller := range controllers {
		go controller.Run(ctx, workers)
	}
}

func config(path string) *rest.Config {
	found := made(clientcmd.BuildConfigFromFlags("", path))
	found.QPS, found.Burst = 50, 100
	return found
}

func mapperOf(spoke *rest.Config) meta.RESTMapper {
	return made(apiutil.NewDynamicRESTMapper(spoke, made(rest.HTTPClientFor(spoke))))
}

func made[T any](value T, err error) T {
	done(err)
	return value
}

func done(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

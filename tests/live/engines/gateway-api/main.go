// The Gateway API's conformance suite, unchanged, against an API server and a data plane on loopback.
//
// Options of the suite are its own flags. Three environment variables are ours: KUBECONFIG names
// the API server, ASKED the URL of what stands for the data plane, and RESULTS the file for the
// tests' results, an object of JSON on each line.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/gateway-api/conformance"
	pb "sigs.k8s.io/gateway-api/conformance/echo-basic/grpcechoserver"
	"sigs.k8s.io/gateway-api/conformance/utils/grpc"
	"sigs.k8s.io/gateway-api/conformance/utils/roundtripper"
	"sigs.k8s.io/gateway-api/conformance/utils/suite"
)

func main() {
	everything := func(string, string) (bool, error) { return true, nil }
	testing.Main(everything, []testing.InternalTest{{Name: "Conformance", F: run}}, nil, nil)
}

func run(t *testing.T) {
	results, err := os.Create(os.Getenv("RESULTS"))
	require.NoError(t, err)
	defer results.Close()
	options := conformance.DefaultOptions(t)
	// The client sends objects of Kubernetes' own kinds in another form, unless it is told to send JSON.
	options.RestConfig.ContentType = "application/json"
	options.ClientOptions.Scheme = options.Client.Scheme()
	options.Client, err = client.New(options.RestConfig, options.ClientOptions)
	require.NoError(t, err)
	// What becomes of a request is no question of time here.
	options.TimeoutConfig.RequiredConsecutiveSuccesses = 1
	data := asker{os.Getenv("ASKED")}
	options.RoundTripper, options.GRPCClient = data, data
	var lock sync.Mutex
	options.Hook = func(t *testing.T, test suite.ConformanceTest, _ *suite.ConformanceTestSuite) {
		lock.Lock()
		defer lock.Unlock()
		result := map[string]any{
			"name": test.ShortName, "features": test.Features, "failed": t.Failed(), "skipped": t.Skipped(),
		}
		require.NoError(t, json.NewEncoder(results).Encode(result))
	}
	conformance.RunConformanceWithOptions(t, options)
}

// asker tells the data plane's stand-in what is sent, and takes its word for what becomes of it.
type asker struct{ url string }

type question struct {
	Scheme, Address, Host, ServerName, Method, Target, Protocol string
	Headers                                                     map[string]string
}

type answer struct {
	// Error says that there is no answer, as of a connection that is closed.
	Error    string
	Request  roundtripper.CapturedRequest
	Response roundtripper.CapturedResponse
}

func (a asker) CaptureRoundTrip(request roundtripper.Request) (*roundtripper.CapturedRequest, *roundtripper.CapturedResponse, error) {
	headers := map[string]string{}
	for name, values := range request.Headers {
		headers[strings.ToLower(name)] = values[0]
	}
	method := request.Method
	if method == "" {
		method = http.MethodGet
	}
	answered, err := a.ask(question{
		request.URL.Scheme, request.URL.Host, request.Host, request.ServerName, method,
		request.URL.RequestURI(), request.Protocol, headers,
	})
	if err != nil {
		return nil, nil, err
	}
	if answered.Error != "" {
		return nil, nil, errors.New(answered.Error)
	}
	response := &answered.Response
	if locations := response.Headers["Location"]; roundtripper.IsRedirect(response.StatusCode) && len(locations) > 0 {
		location, err := url.Parse(locations[0])
		if err != nil {
			return nil, nil, err
		}
		response.RedirectRequest = &roundtripper.RedirectRequest{
			Scheme: location.Scheme, Host: location.Hostname(), Port: location.Port(), Path: location.Path,
		}
	}
	return &answered.Request, response, nil
}

func (a asker) ask(asked question) (*answer, error) {
	body, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	told, err := http.Post(a.url, "application/json", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	defer told.Body.Close()
	answered := &answer{}
	return answered, json.NewDecoder(told.Body).Decode(answered)
}

// SendRPC asks what becomes of a call. A status of HTTP is told to its caller as gRPC's clients do.
func (a asker) SendRPC(_ *testing.T, address string, expected grpc.ExpectedResponse, _ time.Duration) (*grpc.Response, error) {
	asked := question{
		Scheme: "http", Address: address, Method: http.MethodPost, Target: pb.GrpcEcho_EchoThree_FullMethodName,
		Headers: map[string]string{"content-type": "application/grpc"},
	}
	if expected.EchoRequest != nil {
		asked.Target = pb.GrpcEcho_Echo_FullMethodName
	} else if expected.EchoTwoRequest != nil {
		asked.Target = pb.GrpcEcho_EchoTwo_FullMethodName
	}
	if sent := expected.RequestMetadata; sent != nil {
		asked.Host = sent.Authority
		for name, value := range sent.Metadata {
			asked.Headers[strings.ToLower(name)] = value
		}
	}
	answered, err := a.ask(asked)
	if err != nil {
		return nil, err
	}
	if answered.Response.StatusCode == http.StatusNotFound {
		return &grpc.Response{Code: codes.Unimplemented}, nil
	}
	if answered.Response.StatusCode != http.StatusOK {
		return &grpc.Response{Code: codes.Unavailable}, nil
	}
	got := answered.Request
	return &grpc.Response{Response: &pb.EchoResponse{Assertions: &pb.Assertions{
		FullyQualifiedMethod: got.Path, Context: &pb.Context{Namespace: got.Namespace, Pod: got.Pod},
	}}}, nil
}

// Close closes nothing: each call is a request of its own.
func (a asker) Close() {}

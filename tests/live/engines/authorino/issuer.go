package main

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"net"
	"net/http"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// issuer serves its key and its configuration (OpenID Connect Discovery) on loopback.
type issuer struct {
	url          string
	own, another jose.Signer
}

func newIssuer() (*issuer, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	made := &issuer{url: "http://" + listener.Addr().String()}
	var key *rsa.PrivateKey
	for _, signer := range []*jose.Signer{&made.another, &made.own} {
		if key, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
			return nil, err
		}
		named := jose.JSONWebKey{Key: key, KeyID: "key"}
		if *signer, err = jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: named}, nil); err != nil {
			return nil, err
		}
	}
	public := jose.JSONWebKey{Key: key.Public(), KeyID: "key", Algorithm: "RS256", Use: "sig"}
	documents := map[string]any{
		"/.well-known/openid-configuration": map[string]string{"issuer": made.url, "jwks_uri": made.url + "/keys"},
		"/keys":                             jose.JSONWebKeySet{Keys: []jose.JSONWebKey{public}},
	}
	go http.Serve(listener, http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		answer.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(answer).Encode(documents[request.URL.Path])
	}))
	return made, nil
}

// sign returns a token of claims, and one that another key signed.
func (i *issuer) sign(text string) (string, string, error) {
	claims := map[string]any{"iss": i.url, "exp": time.Now().Add(24 * time.Hour).Unix()}
	if err := json.Unmarshal([]byte(text), &claims); err != nil {
		return "", "", err
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", "", err
	}
	var tokens [2]string
	for number, signer := range []jose.Signer{i.own, i.another} {
		signed, err := signer.Sign(payload)
		if err != nil {
			return "", "", err
		}
		if tokens[number], err = signed.CompactSerialize(); err != nil {
			return "", "", err
		}
	}
	return tokens[0], tokens[1], nil
}

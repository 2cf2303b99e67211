// The libraries that kcp's sync agent uses for names, paths, patterns and expressions: text/template
// with sprig, gjson, sjson, regexp, cel-go. It reads questions as a list of JSON, and answers them.
package main

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha3"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	html "html/template"
	"io"
	"os"
	"reflect"
	"regexp"
	"strings"
	text "text/template"

	"github.com/Masterminds/sprig/v3"
	"github.com/google/cel-go/cel"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
	"google.golang.org/protobuf/types/known/structpb"
)

// question has one document, and what is asked of it.
type question struct {
	Ask         string
	Document    json.RawMessage
	Template    string
	Path        string
	Value       any
	Pattern     string
	Text        string
	Replacement string
	Expression  string
}

type answer struct {
	Text  string `json:"text"`
	Value any    `json:"value"`
	Error string `json:"error,omitempty"`
}

func main() {
	var questions []question
	if err := json.NewDecoder(os.Stdin).Decode(&questions); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	answers := make([]answer, len(questions))
	for i, each := range questions {
		answers[i] = answered(each)
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func answered(each question) (result answer) {
	defer func() {
		if failure := recover(); failure != nil {
			result = answer{Error: fmt.Sprint("panic: ", failure)}
		}
	}()
	result, err := ask(each)
	if err != nil {
		return answer{Error: err.Error()}
	}
	return result
}

func ask(each question) (answer, error) {
	document := string(each.Document)
	switch each.Ask {
	case "name":
		return name(each.Template, each.Document)
	case "mutation":
		return mutation(each.Template, each.Path, each.Document)
	case "get":
		value := gjson.Get(document, each.Path)
		return answer{Text: value.String(), Value: value.Exists()}, nil
	case "set":
		return written(sjson.Set(document, each.Path, each.Value))
	case "delete":
		return written(sjson.Delete(document, each.Path))
	case "replace":
		pattern, err := regexp.Compile(each.Pattern)
		if err != nil {
			return answer{}, err
		}
		return answer{Text: pattern.ReplaceAllString(each.Text, each.Replacement)}, nil
	case "cel":
		return expression(each.Expression, each.Path, each.Document)
	}
	return answer{}, errors.New("no such question: " + each.Ask)
}

// written is a document that was written, as data.
func written(text string, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	if !json.Valid([]byte(text)) {
		return answer{}, errors.New("it is no JSON any more")
	}
	return answer{Value: json.RawMessage(text)}, nil
}

type namingContext struct {
	Object      map[string]any
	ClusterName string
	ClusterPath string
}

func name(source string, document json.RawMessage) (answer, error) {
	functions := sprig.TxtFuncMap()
	functions["sha3sum"] = sum
	functions["sha3short"] = short
	functions["shortHash"] = func(data string) string {
		hash := sha1.Sum([]byte(data))
		return hex.EncodeToString(hash[:])[:20]
	}
	parsed, err := text.New("name").Funcs(functions).Parse(source)
	if err != nil {
		return answer{}, err
	}
	object, err := decoded(document)
	if err != nil {
		return answer{}, err
	}
	return executed(parsed, namingContext{object, "c1", "root:c1"})
}

type executable interface {
	Execute(out io.Writer, context any) error
}

func executed(parsed executable, context any) (answer, error) {
	var out bytes.Buffer
	err := parsed.Execute(&out, context)
	return answer{Text: strings.TrimSpace(out.String())}, err
}

func sum(data string) string {
	hash := sha3.Sum256([]byte(data))
	return hex.EncodeToString(hash[:])
}

func short(data string, lengths ...int) (string, error) {
	length := 20
	if len(lengths) == 1 {
		length = lengths[0]
	}
	if length <= 0 || len(lengths) > 1 {
		return "", errors.New("one positive length at most")
	}
	return sum(data)[:min(length, 64)], nil
}

type mutationContext struct {
	Value        gjson.Result
	LocalObject  map[string]any
	RemoteObject map[string]any
}

func mutation(source, path string, document json.RawMessage) (answer, error) {
	parsed, err := html.New("mutation").Funcs(sprig.TxtFuncMap()).Parse(source)
	if err != nil {
		return answer{}, err
	}
	object, err := decoded(document)
	if err != nil {
		return answer{}, err
	}
	return executed(parsed, mutationContext{Value: gjson.Get(string(document), path), LocalObject: object})
}

func expression(source, path string, document json.RawMessage) (answer, error) {
	environment, err := cel.NewEnv(
		cel.Variable("self", cel.DynType), cel.Variable("other", cel.DynType), cel.Variable("value", cel.DynType))
	if err != nil {
		return answer{}, err
	}
	checked, issues := environment.Compile(source)
	if issues.Err() != nil {
		return answer{}, issues.Err()
	}
	program, err := environment.Program(checked)
	if err != nil {
		return answer{}, err
	}
	object, err := decoded(document)
	if err != nil {
		return answer{}, err
	}
	value, _, err := program.Eval(map[string]any{
		"self": object, "other": nil, "value": gjson.Get(string(document), path).Value()})
	if err != nil {
		return answer{}, err
	}
	plain, err := value.ConvertToNative(reflect.TypeFor[*structpb.Value]())
	if err != nil {
		return answer{}, err
	}
	return answer{Value: plain.(*structpb.Value).AsInterface()}, nil
}

// decoded is an object as Kubernetes reads one: a whole number is an int64.
func decoded(document json.RawMessage) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	var object map[string]any
	if err := decoder.Decode(&object); err != nil {
		return nil, err
	}
	return whole(object).(map[string]any), nil
}

func whole(value any) any {
	switch typed := value.(type) {
	case map[string]any:
		for key, each := range typed {
			typed[key] = whole(each)
		}
	case []any:
		for i, each := range typed {
			typed[i] = whole(each)
		}
	case json.Number:
		if number, err := typed.Int64(); err == nil {
			return number
		}
		number, _ := typed.Float64()
		return number
	}
	return value
}

// Reads YAML as Kubernetes' and Istio's programs do, for comparison with what src/yaml reads.
//
// Standard input has one JSON object a line, standard output one answer a line:
//
//	{"as": "proxy", "text": …}   an annotation proxy.istio.io/config, by Istio's own decoder: {"value": ProxyConfig as JSON}
//	{"as": "yaml", "text": …}    one document, by sigs.k8s.io/yaml: {"value": …}
//	{"as": "stream", "text": …}  a manifest, by the decoder that kubectl uses: {"value": [document, …]}
//
// What they refuse is {"error": …}; a stream's documents before the error are lost.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	meshconfig "istio.io/api/mesh/v1alpha1"
	"istio.io/istio/pkg/util/protomarshal"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

type question struct {
	As   string `json:"as"`
	Text string `json:"text"`
}

type answer struct {
	Value json.RawMessage `json:"value,omitempty"`
	Error string          `json:"error,omitempty"`
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			var asked question
			if err := json.Unmarshal(line, &asked); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(2)
			}
			value, err := read(asked)
			reply := answer{Value: value}
			if err != nil {
				reply = answer{Error: err.Error()}
			}
			if err := encoder.Encode(reply); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(2)
			}
		}
		if err != nil {
			break
		}
	}
	out.Flush()
}

// go-yaml panics on some texts, which is a refusal to whoever sent them.
func read(asked question) (value json.RawMessage, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("panic: %v", problem)
		}
	}()
	switch asked.As {
	case "proxy":
		config := &meshconfig.ProxyConfig{}
		if err := protomarshal.ApplyYAML(asked.Text, config); err != nil {
			return nil, err
		}
		text, err := protomarshal.ToJSON(config)
		return json.RawMessage(text), err
	case "yaml":
		return yaml.YAMLToJSON([]byte(asked.Text))
	case "stream":
		decoder := utilyaml.NewYAMLOrJSONDecoder(strings.NewReader(asked.Text), 4096)
		documents := []json.RawMessage{}
		for {
			var document json.RawMessage
			err := decoder.Decode(&document)
			if errors.Is(err, io.EOF) {
				return json.Marshal(documents)
			}
			if err != nil {
				return nil, err
			}
			documents = append(documents, document)
		}
	default:
		return nil, fmt.Errorf("unknown question %q", asked.As)
	}
}

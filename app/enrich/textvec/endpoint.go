package textvec

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"github.com/digital-asset-library/dal/app/enrich/service"
)

// The limits of an Endpoint.
const (
	maxEndpointText  = 64 << 10 // bytes of a text that are used
	maxPart          = 1000     // bytes: within the 256 to 512 tokens of small models
	maxParts         = 64       // per text
	maxInputs        = 32       // parts per request
	maxRequests      = 4        // concurrent requests
	endpointDeadline = time.Minute
)

// Endpoint computes embeddings with a service that has an OpenAI-compatible API, such as
// Ollama, llama.cpp or LM Studio. It is safe for concurrent use.
type Endpoint struct {
	model   string
	service *service.Client
	numbers atomic.Int64 // length of the vectors; 0 before the first
	wait    func(context.Context, time.Duration) error
}

// NewEndpoint returns the embedder for a model of a service. address is the base URL of the
// API, such as http://localhost:11434/v1, or the full URL that ends with /embeddings.
// Private addresses are allowed, because the administrator configures the address. key may
// be empty; it is sent as a bearer token and is never part of an error.
func NewEndpoint(address, model, key string) (*Endpoint, error) {
	client, err := service.New(service.Config{
		What: "embeddings endpoint", Address: address, Path: "/embeddings", Key: key,
		Deadline: endpointDeadline, MaxReply: maxReply, Requests: maxRequests,
	})
	if err == nil {
		err = service.CheckModel(model)
	}
	if err != nil {
		return nil, err
	}
	return &Endpoint{model: model, service: client, wait: service.Wait}, nil
}

// Model returns an identifier that contains the service's model name but not its address,
// so that the model can move. While the program runs, a model of the same name with another
// vector length is an error; across restarts, the caller must compare the length of the
// vectors.
func (e *Endpoint) Model() string { return "endpoint/" + e.model }

// String omits the key, so that it can be logged.
func (e *Endpoint) String() string { return e.model + " at " + e.service.URL }

// Embed returns a vector for each text, in order, and nil for an empty text or one of only
// whitespace. A text of more than 1000 bytes is sent in parts that end at a sentence if
// possible; its vector is the mean of the parts' vectors weighted by length. Only the first
// 64 parts and 64 KiB of a text are used.
//
// A request that fails temporarily is sent up to four times. An error is ErrUnavailable if
// a later call may succeed. It has a method Refused() bool that returns true if one of the
// texts is at fault. Other errors come from the context, the settings or the service.
func (e *Endpoint) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	var parts []string
	var of []int // index of each part's text
	for i, text := range texts {
		for _, part := range split(text) {
			parts, of = append(parts, part), append(of, i)
		}
	}
	vectors := make([][]float32, len(texts))
	for from := 0; from < len(parts); from += maxInputs {
		to := min(from+maxInputs, len(parts))
		answer, err := e.request(ctx, parts[from:to])
		if err != nil {
			return nil, err
		}
		for i, v := range answer {
			text := of[from+i]
			if vectors[text] == nil {
				vectors[text] = make([]float32, len(v))
			}
			addScaled(vectors[text], v, float32(len(parts[from+i])))
		}
	}
	for i, v := range vectors {
		if !scale(v) { // empty, or the vectors of its parts cancel out
			vectors[i] = nil
		}
	}
	return vectors, nil
}

// Reads reports whether a text contains more than whitespace.
func (e *Endpoint) Reads(text string) bool { return len(split(text)) > 0 }

// split splits a text into parts of at most maxPart bytes: after the last end of a sentence
// or line in the second half, otherwise at the last space there, otherwise at any character
// boundary.
func split(text string) []string {
	text = strings.ToValidUTF8(clip(strings.TrimSpace(text), maxEndpointText), "\uFFFD")
	var parts []string
	for text != "" && len(parts) < maxParts {
		part := clip(text, maxPart)
		if len(part) < len(text) {
			part = part[:lastBreak(part)]
		}
		text = strings.TrimSpace(text[len(part):])
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// lastBreak returns the end of a part that another one follows.
func lastBreak(part string) int {
	space := 0
	for i := len(part) - 1; i > len(part)/2; i-- {
		switch part[i] {
		case '\n':
			return i
		case ' ':
			if strings.IndexByte(".!?", part[i-1]) >= 0 {
				return i
			}
			if space == 0 {
				space = i
			}
		case '\x82': // last byte of the ideographic full stop, U+3002
			if strings.HasSuffix(part[:i+1], "。") {
				return i + 1
			}
		}
	}
	if space > 0 {
		return space
	}
	return len(part)
}

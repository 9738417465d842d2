package textvec

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"github.com/digital-asset-library/dal/app/enrich/service"
)

// The bounds of an Endpoint.
const (
	maxEndpointText  = 64 << 10 // bytes of a text that are read
	maxPart          = 1000     // bytes: within the 256 to 512 tokens of small models
	maxParts         = 64       // of a text
	maxInputs        = 32       // parts in a request
	maxRequests      = 4        // at the same time
	endpointDeadline = time.Minute
)

// Endpoint asks a service that speaks OpenAI's protocol for embeddings, such as
// Ollama, llama.cpp or LM Studio. Several goroutines may use it.
type Endpoint struct {
	model   string
	service *service.Client
	numbers atomic.Int64 // in each vector; 0 before the first
	wait    func(context.Context, time.Duration) error
}

// NewEndpoint returns the embedder for a model of the service at an address: the
// base of its interface, such as http://localhost:11434/v1, or the full one that
// ends with /embeddings. Private addresses are fine: the user has chosen it. The
// key, which may be empty, is sent as a bearer token and is in no error.
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

// Model returns a name made of the service's for the model, and not of its address:
// the same model may move. That a model of the same name gives vectors of another
// size now is an error while the program runs; across runs the caller has to look
// at the length of the vectors.
func (e *Endpoint) Model() string { return "endpoint/" + e.model }

// String keeps the key out of logs.
func (e *Endpoint) String() string { return e.model + " at " + e.service.URL }

// Embed returns a vector for each text, in order, and nil for one of white space.
// A text of more than 1000 bytes is sent in parts that end with a sentence where
// possible, and gets the mean of their vectors, each counting by its length; of a
// text of more than 64 parts or 64 KiB only the beginning counts.
//
// A request that fails for now is sent up to four times. An error is ErrUnavailable
// if it may pass, has a method Refused() bool that returns true if one of the texts
// is at fault, and else is the context's or due to the settings or the service.
func (e *Endpoint) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	var parts []string
	var of []int // the text of each part
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
		if !scale(v) { // no text, or its parts point in opposite ways
			vectors[i] = nil
		}
	}
	return vectors, nil
}

// Reads reports whether a text is more than white space.
func (e *Endpoint) Reads(text string) bool { return len(split(text)) > 0 }

// split cuts a text into parts of at most maxPart bytes: after the last end of a
// sentence or line in the second half, else at the last space there, else anywhere
// between characters.
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

// lastBreak returns where to cut a part that goes on.
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
		case '\x82': // the ideographic full stop, U+3002, ends in this byte
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

package textvec

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/digital-asset-library/dal/app/enrich/service"
)

const (
	maxTries = 4
	backOff  = 500 * time.Millisecond // before the first retry, then doubled each time
	maxWait  = 30 * time.Second       // maximum delay requested by a service; above it the request fails
	maxReply = 16 << 20               // bytes
)

// refusal is the error for texts that the service does not embed although it embeds others.
type refusal struct{ err error }

func (r refusal) Error() string { return r.err.Error() }
func (r refusal) Unwrap() error { return r.err }

// Refused reports that a retry with the same texts will fail.
func (r refusal) Refused() bool { return true }

// request returns the unit vectors of 1 to maxInputs parts of text.
func (e *Endpoint) request(ctx context.Context, parts []string) ([][]float32, error) {
	for try := 1; ; try++ {
		vectors, fail := e.try(ctx, parts)
		if fail == nil {
			return vectors, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !fail.Again || try == maxTries || fail.After > maxWait {
			return nil, e.verdict(ctx, fail)
		}
		// Random jitter between half and all of the delay keeps clients out of sync.
		pause := backOff << (try - 1)
		pause = max(pause/2+rand.N(pause/2), fail.After)
		if err := e.wait(ctx, pause); err != nil {
			return nil, err
		}
	}
}

// verdict determines whether a persistent failure is caused by the texts, or is a permanent
// or temporary problem of the service. The status is not conclusive (400 may be a wrong
// model, and 500 a text beyond the model's limit), so it requests the vector of a plain
// word.
func (e *Endpoint) verdict(ctx context.Context, fail *service.Failure) error {
	if fail.Inputs {
		_, other := e.try(ctx, []string{"picture"})
		if err := ctx.Err(); err != nil {
			return err
		}
		if other == nil {
			return refusal{fail.Err}
		}
	}
	if fail.Again {
		return fmt.Errorf("%w: %w", ErrUnavailable, fail.Err)
	}
	return fail.Err
}

// try sends a request once.
func (e *Endpoint) try(ctx context.Context, parts []string) ([][]float32, *service.Failure) {
	data, fail := e.service.Post(ctx, struct {
		Model string   `json:"model"`
		Input []string `json:"input"`
	}{e.model, parts})
	if fail != nil {
		return nil, fail
	}
	vectors, err := parseReply(data, len(parts))
	if err != nil {
		return nil, e.service.Wrong(data, err)
	}
	if err := e.checkSize(len(vectors[0])); err != nil {
		return nil, &service.Failure{Err: err}
	}
	return vectors, nil
}

// checkSize compares the length of a vector with that of the previous ones.
func (e *Endpoint) checkSize(n int) error {
	if e.numbers.CompareAndSwap(0, int64(n)) || e.numbers.Load() == int64(n) {
		return nil
	}
	return fmt.Errorf("the embeddings endpoint gives vectors of %d numbers, after ones of %d: "+
		"has the model %s been replaced?", n, e.numbers.Load(), e.model)
}

// maxNumbers is the maximum length of a vector; the largest models in use have 4096.
const maxNumbers = 16 << 10

// number is a JSON number that fits into a float32. In particular it rejects null, which
// would be decoded as 0.
type number float32

func (n *number) UnmarshalJSON(data []byte) error {
	v, err := strconv.ParseFloat(string(data), 32)
	if err != nil {
		return errors.New("a vector has something else than numbers")
	}
	*n = number(v)
	return nil
}

// parseReply parses a response with n vectors and normalizes them to length 1. The vectors
// may be in any order if they have an index.
func parseReply(data []byte, n int) ([][]float32, error) {
	var reply struct {
		// An array limits the number of decoded elements, unlike a slice.
		Data [maxInputs + 1]struct {
			Index     *int     `json:"index"`
			Embedding []number `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(data, &reply); err != nil {
		return nil, fmt.Errorf("no list of vectors: %w", err)
	}
	vectors := make([][]float32, n)
	count := 0
	for _, d := range reply.Data {
		if d.Index == nil && d.Embedding == nil {
			continue
		}
		if count++; count > n {
			break
		}
		if d.Index == nil || *d.Index < 0 || *d.Index >= n || vectors[*d.Index] != nil {
			return nil, fmt.Errorf("vector %d has no index, a wrong one, or another's", count)
		}
		if len(d.Embedding) == 0 || len(d.Embedding) > maxNumbers {
			return nil, fmt.Errorf("a vector of %d numbers", len(d.Embedding))
		}
		v := make([]float32, len(d.Embedding))
		for i, x := range d.Embedding {
			v[i] = float32(x)
		}
		if !scale(v) {
			return nil, errors.New("a vector of zeros")
		}
		vectors[*d.Index] = v
	}
	if count != n {
		return nil, fmt.Errorf("not the %d vectors asked for", n)
	}
	for _, v := range vectors {
		if len(v) != len(vectors[0]) {
			return nil, fmt.Errorf("vectors of %d and of %d numbers", len(vectors[0]), len(v))
		}
	}
	return vectors, nil
}

package web

import "context"

// one is the envelope of a single resource.
type one[T any] struct {
	Data T `json:"data"`
}

// oneOutput is an answer with a resource.
type oneOutput[T any] struct{ Body one[T] }

// answer builds the answer from the result of a use case: a resource or an error.
func answer[A, B any](to func(A) B) func(A, error) (*oneOutput[B], error) {
	return func(v A, err error) (*oneOutput[B], error) {
		if err != nil {
			return nil, err
		}
		return &oneOutput[B]{one[B]{to(v)}}, nil
	}
}

// listOutput is an answer with a page of a list.
type listOutput[T any] struct{ Body list[T] }

// pageAnswer builds the answer from the result of a use case: the items of the page and the
// total count, or an error.
func pageAnswer[A, B any](ctx context.Context, in *PageInput, to func(A) B) func([]A, int, error) (*listOutput[B], error) {
	return func(items []A, total int, err error) (*listOutput[B], error) {
		if err != nil {
			return nil, err
		}
		return &listOutput[B]{*paginate(ctx, in, mapped(items, to), total)}, nil
	}
}

// message is a body that reports an action.
type message struct {
	Message string `json:"message" doc:"Result of the request." example:"Asset deleted."`
}

type messageOutput struct{ Body message }

// done returns an answer with a message, or err.
func done(what string, err error) (*messageOutput, error) {
	if err != nil {
		return nil, err
	}
	return &messageOutput{message{what}}, nil
}

// created is the answer to a request that created a resource.
type created[T any] struct {
	Location string `header:"Location" doc:"URL of the new resource." example:"http://localhost:8080/api/v1/collections/2"`
	Body     one[T]
}

// made returns the answer for a new resource; path is relative to the API root.
func made[T any](ctx context.Context, path string, v T) *created[T] {
	return &created[T]{requestOf(ctx).base + apiRoot + path, one[T]{v}}
}

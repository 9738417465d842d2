package dam

import (
	"context"
	"io"
)

// WriteTable writes a table as CSV.
type WriteTable func(context.Context, io.Writer) error

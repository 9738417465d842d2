package media

import (
	"errors"
	"fmt"

	"github.com/digital-asset-library/dal/app/dam"
)

// The errors for faulty files. Their messages are for the uploader; the decoder's own error
// is wrapped, for the log.

func corrupt(message string) error {
	return &dam.FileError{Code: dam.CodeCorrupt, Message: message}
}

func cutOff(err error) error {
	return &dam.FileError{Code: dam.CodeCorrupt, Message: "The file is cut off in the middle.", Err: err}
}

func damaged(err error) error {
	return &dam.FileError{Code: dam.CodeCorrupt, Message: "The file is damaged and cannot be read.", Err: err}
}

func unsupported(message string, args ...any) error {
	return &dam.FileError{Code: dam.CodeUnsupportedFormat, Message: fmt.Sprintf(message, args...)}
}

// beyond reports that a file is valid but that its decoder does not support it.
func beyond(f format, err error) error {
	return &dam.FileError{
		Code: dam.CodeUnsupportedFormat, Err: err,
		Message: fmt.Sprintf("This is an unusual kind of %s file that the library cannot read.", f.Name),
	}
}

func exceeded(message string, args ...any) error {
	return &dam.FileError{Code: dam.CodeLimitsExceeded, Message: fmt.Sprintf(message, args...)}
}

// errSmall is the cause of the fault of a file that takes more memory than its size allows.
var errSmall = errors.New("the file is small for the memory that it takes")

func small(message string) error {
	return &dam.FileError{Code: dam.CodeLimitsExceeded, Message: message, Err: errSmall}
}

func megabytes(n int64) int64 { return (n + 1<<20 - 1) >> 20 }

// panicked wraps a decoder's panic as an error.
type panicked struct{ value any }

func (p panicked) Error() string { return fmt.Sprintf("the decoder panicked: %v", p.value) }

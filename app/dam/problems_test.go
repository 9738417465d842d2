package dam

import (
	"errors"
	"fmt"
	"testing"
)

func TestProblemsInclude(t *testing.T) {
	t.Parallel()
	var many Problems
	for i := range 150 {
		many.Add(fmt.Sprint("f", i), "wrong")
	}
	for _, tt := range []struct {
		name   string
		err    error
		fields int
		msg    string
	}{
		{"nothing", nil, 1, "first"},
		{"another kind", Errorf(NotFound, "missing"), 1, "first"},
		{"another error", errors.New("other"), 1, "first"},
		{"one", InvalidField("b", "100%% wrong"), 2, "first (and 1 more error)"},
		{"wrapped", fmt.Errorf("x: %w", InvalidField("b", "wrong")), 2, "first (and 1 more error)"},
		{"many", many.Err(), MaxProblems, "first (and 150 more errors)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var p Problems
			p.Add("a", "first")
			p.Include(tt.err)
			e := p.all()
			if e.Msg != tt.msg || len(e.Fields) != tt.fields {
				t.Errorf("%q with %d fields, want %q with %d", e.Msg, len(e.Fields), tt.msg, tt.fields)
			}
			if tt.name == "one" && e.Fields[1] != (FieldError{"b", "100% wrong"}) {
				t.Errorf("%v", e.Fields[1])
			}
		})
	}
}

package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/confine"
	"github.com/digital-asset-library/dal/app/engine"
	"github.com/digital-asset-library/dal/cli"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && slices.Contains([]string{engine.WorkerArgument, confine.Argument}, os.Args[1]) { // started by a server
		os.Exit(cli.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	testscript.Main(m, map[string]func(){
		"dal": func() {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			os.Exit(cli.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
		},
		// mklib DIR creates an empty library.
		"mklib": func() {
			cfg := app.DefaultConfig()
			cfg.DataDir = os.Args[1]
			a, err := app.Open(context.Background(), cfg)
			if err == nil {
				err = a.Close()
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		},
		// mkjpeg FILE SEED creates a small picture that depends on the seed.
		"mkjpeg": func() {
			seed, err := strconv.Atoi(os.Args[2])
			if err == nil {
				err = os.WriteFile(os.Args[1], picture(seed, 64), 0o600)
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		},
	})
}

// The commands, tested with scripts.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:  "../testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"json": scriptJSON},
	})
}

// scriptJSON is the script command "json PATH [VALUE]": it checks that the last command
// wrote a single JSON document to stdout, and that the member at the path, such as
// .0.email, has the value. The value time matches any time in UTC; without a value, the
// member only has to exist.
func scriptJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: json PATH [VALUE]")
	}
	var v any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &v))
	for name := range strings.FieldsFuncSeq(args[0], func(r rune) bool { return r == '.' }) {
		switch at := v.(type) {
		case map[string]any:
			member, ok := at[name]
			if !ok {
				ts.Fatalf("there is no %s in %s", name, args[0])
			}
			v = member
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(at) {
				ts.Fatalf("there is no item %s in %s", name, args[0])
			}
			v = at[i]
		default:
			ts.Fatalf("%s goes deeper than %v", args[0], v)
		}
	}
	text, ok := v.(string)
	if !ok {
		b, err := json.Marshal(v)
		ts.Check(err)
		text = string(b)
	}
	switch {
	case len(args) == 1 && (text == "" || text == "null"):
		ts.Fatalf("%s is %q", args[0], text)
	case len(args) == 1:
	case args[1] == "time":
		if _, err := time.Parse(time.RFC3339, text); err != nil || !strings.HasSuffix(text, "Z") {
			ts.Fatalf("%s is %q, not a time in UTC", args[0], text)
		}
	case text != args[1]:
		ts.Fatalf("%s is %q, want %q", args[0], text, args[1])
	}
}

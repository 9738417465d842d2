package app

import (
	"log/slog"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Every service that Open assembles has all of its dependencies. Those that may be missing
// are listed here; maps are made when they are first used.
func TestServicesAreComplete(t *testing.T) {
	t.Parallel()
	optional := []string{
		"index.Index.Engine", "index.Schemas.schema", "maintain.Health.last", // set once the library runs
		"render.Proxies.FFmpeg", "share.Mailer.server", "analyze.Captions.endpoint", "scan.Scanner.Clamd", // without their settings
		"webhook.Guard.Resolver", "webhook.Sender.proxied", "webhook.Runner.view",
		"app.Config.WebhookProxy", "app.Config.WebhookResolver", "app.Config.EventView",
	}
	cfg := DefaultConfig()
	cfg.DataDir, cfg.Log = filepath.Join(t.TempDir(), "lib"), slog.New(slog.DiscardHandler)
	a, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	seen, services := map[uintptr]bool{}, 0
	var visit func(v reflect.Value)
	visit = func(v reflect.Value) {
		for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
			if v.IsNil() {
				return
			}
			if v.Kind() == reflect.Pointer {
				if seen[v.Pointer()] {
					return
				}
				seen[v.Pointer()] = true
			}
			v = v.Elem()
		}
		if v.Kind() != reflect.Struct || !strings.Contains(v.Type().PkgPath(), "/dal/app") {
			return
		}
		services++
		for i := range v.NumField() {
			f, name := v.Field(i), v.Type().String()+"."+v.Type().Field(i).Name
			switch f.Kind() {
			case reflect.Pointer, reflect.Interface, reflect.Func, reflect.Chan:
				if f.IsNil() && !slices.Contains(optional, name) {
					t.Errorf("%s is nil", name)
				}
			}
			visit(f)
		}
	}
	visit(reflect.ValueOf(a))
	if services < 50 {
		t.Errorf("only %d structs were found", services)
	}
}

// App wires services; use cases are methods of those.
func TestAppHasFewMethods(t *testing.T) {
	t.Parallel()
	if n := reflect.TypeFor[*App]().NumMethod(); n > 20 {
		t.Errorf("App has %d exported methods, more than 20", n)
	}
}

package app

import (
	"log/slog"
	"reflect"
	"strings"
	"testing"
)

func TestWireNil(t *testing.T) {
	cfg := DefaultConfig()
	cfg.DataDir = t.TempDir() + "/lib"
	cfg.Access = AccessMake
	cfg.Log = slog.New(slog.DiscardHandler)
	a, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	seen := map[uintptr]bool{}
	var walk func(path string, v reflect.Value)
	walk = func(path string, v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if v.IsNil() {
				t.Logf("NIL %s %s", path, v.Type())
				return
			}
			if seen[v.Pointer()] || !strings.Contains(v.Type().String(), "app.") && !strings.Contains(v.Elem().Type().PkgPath(), "/dal/app") {
				return
			}
			seen[v.Pointer()] = true
			walk(path, v.Elem())
		case reflect.Interface:
			if v.IsNil() {
				t.Logf("NIL %s %s", path, v.Type())
				return
			}
			walk(path, v.Elem())
		case reflect.Struct:
			if !strings.Contains(v.Type().PkgPath(), "dal/app") {
				return
			}
			for i := range v.NumField() {
				walk(path+"."+v.Type().Field(i).Name, v.Field(i))
			}
		case reflect.Func, reflect.Map, reflect.Chan:
			if v.IsNil() {
				t.Logf("NIL %s %s", path, v.Type())
			}
		}
	}
	walk("App", reflect.ValueOf(a))
}

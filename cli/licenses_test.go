package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The listed licences match the modules in the binary and their versions. .release/run
// licenses updates them.
func TestLicensesAreComplete(t *testing.T) {
	t.Parallel()
	var all struct {
		Components []struct{ Name, Version, License string }
	}
	if err := json.Unmarshal([]byte(dal(t, "", "licenses", "--json")), &all); err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{}
	for _, c := range all.Components {
		listed[c.Name] = c.Version
		if c.License == "" {
			t.Errorf("%s has no licence", c.Name)
		}
		for _, id := range []string{"GPL-2.0", "GPL-3.0", "AGPL"} {
			if strings.HasPrefix(c.License, id) {
				t.Errorf("%s is under %s", c.Name, c.License)
			}
		}
	}
	const module = "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}"
	out, err := exec.Command("go", "list", "-deps", "-f", module, "..").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if path, version, ok := strings.Cut(strings.TrimSpace(line), " "); ok && listed[path] != version {
			t.Errorf("%s %s is listed with the version %q", path, version, listed[path])
		}
	}
	data, err := os.ReadFile("../web/ui/dist/licenses.json")
	if err != nil {
		t.Fatal(err)
	}
	var packages []struct{ Name, Version string }
	if err := json.Unmarshal(data, &packages); err != nil || len(packages) == 0 {
		t.Fatal(err, packages)
	}
	for _, p := range packages {
		if listed["npm:"+p.Name] != p.Version {
			t.Errorf("npm:%s %s is listed with the version %q", p.Name, p.Version, listed["npm:"+p.Name])
		}
	}
}

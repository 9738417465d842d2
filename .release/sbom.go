package main

import (
	"debug/buildinfo"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// sbom writes what the binary of a target is made of, read from the binary
// itself, as CycloneDX 1.6.
func (r *release) sbom(t *target) error {
	info, err := buildinfo.ReadFile(t.binary)
	if err != nil {
		return err
	}
	known, err := readLicenses(r.root)
	if err != nil {
		return err
	}
	component := func(name, version string) cyclonedx.Component {
		c := cyclonedx.Component{Type: cyclonedx.ComponentTypeLibrary, Name: name, Version: version,
			PackageURL: "pkg:golang/" + name + "@" + version, BOMRef: "pkg:golang/" + name + "@" + version}
		if id := known[name]; id != "" {
			c.Licenses = &cyclonedx.Licenses{{Expression: id}}
		}
		return c
	}
	list := []cyclonedx.Component{component("std", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		list = append(list, component(m.Path, m.Version))
	}
	self := component(info.Main.Path, "v"+r.version)
	self.Type = cyclonedx.ComponentTypeApplication
	self.Licenses = &cyclonedx.Licenses{{Expression: "Apache-2.0"}}
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{Timestamp: r.date.Format(time.RFC3339), Component: &self}
	bom.Components = &list
	return write(filepath.Join(r.out, r.name(t)+".cdx.json"), func(w io.Writer) error {
		return cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cyclonedx.SpecVersion1_6)
	})
}

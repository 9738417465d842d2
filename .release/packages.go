package main

import (
	"io"
	"os"
	"path/filepath"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

// packages builds the deb and the rpm of a Linux target. They install the binary,
// a systemd unit that is neither enabled nor started, its settings, and a user
// to run it.
func (r *release) packages(t *target) error {
	for _, format := range []string{"deb", "rpm"} {
		p, err := nfpm.Get(format)
		if err != nil {
			return err
		}
		file := func(from, to string, mode os.FileMode, kind string) *files.Content {
			return &files.Content{Source: from, Destination: to, Type: kind,
				FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: mode, MTime: r.date}}
		}
		info := nfpm.WithDefaults(&nfpm.Info{
			Name: "dal", Arch: t.arch, Platform: "linux", Version: r.version, MTime: r.date, Section: "misc", Priority: "optional",
			Maintainer: "The dal maintainers <maintainers@digital-asset-library.example>", Description: "A digital asset library in one binary",
			License: "Apache-2.0", Vendor: "dal",
			Overridables: nfpm.Overridables{
				Umask: 0o022,
				Contents: files.Contents{
					file(t.binary, "/usr/bin/dal", 0o755, ""),
					file("files/dal.service", "/usr/lib/systemd/system/dal.service", 0o644, ""),
					file("files/dal.sysusers", "/usr/lib/sysusers.d/dal.conf", 0o644, ""),
					file("files/dal.conf", "/etc/dal/dal.conf", 0o644, files.TypeConfigNoReplace),
					file(filepath.Join(r.root, "LICENSE"), "/usr/share/doc/dal/copyright", 0o644, ""),
				},
				Scripts: nfpm.Scripts{PostInstall: "files/postinstall.sh", PreRemove: "files/preremove.sh"},
				RPM:     nfpm.RPM{BuildHost: "localhost", Summary: "A digital asset library in one binary"},
			},
		})
		if err := nfpm.PrepareForPackager(info, format); err != nil {
			return err
		}
		if err := write(filepath.Join(r.out, r.name(t)+"."+format), func(w io.Writer) error { return p.Package(info, w) }); err != nil {
			return err
		}
	}
	return nil
}

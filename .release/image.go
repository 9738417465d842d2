package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// imageUser is who dal runs as in the image: nobody that a host is likely to have.
const imageUser = 65532

// image builds an image from scratch for each Linux target, as a file that docker
// load and podman load read. It holds the binary alone, runs without root, keeps
// the library in the volume /data, and says whether it is healthy.
func (r *release) image(built []*target) error {
	for _, t := range built {
		if t.os != "linux" {
			continue
		}
		img, err := r.layers(t)
		if err != nil {
			return err
		}
		tag, err := name.NewTag("dal:" + r.version)
		if err != nil {
			return err
		}
		if err := tarball.WriteToFile(filepath.Join(r.out, r.name(t)+"_image.tar"), tag, img); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) layers(t *target) (v1.Image, error) {
	var b bytes.Buffer
	err := writeTar(&b, []packed{
		{name: "dal", mode: 0o755, source: t.binary},
		{name: "data/", mode: 0o700, owner: imageUser},
		{name: "tmp/", mode: 0o1777},
	}, r.date)
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil },
		tarball.WithMediaType(types.DockerLayer))
	if err != nil {
		return nil, err
	}
	made := v1.History{Created: v1.Time{Time: r.date}, CreatedBy: ".release/run"}
	img, err := mutate.Append(empty.Image, mutate.Addendum{Layer: layer, History: made})
	if err != nil {
		return nil, err
	}
	c, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	c = c.DeepCopy()
	c.OS, c.Architecture, c.Created = "linux", t.arch, v1.Time{Time: r.date}
	c.Config = v1.Config{
		User:         fmt.Sprintf("%d:%d", imageUser, imageUser),
		Entrypoint:   []string{"/dal"},
		Cmd:          []string{"serve"},
		Env:          []string{"DAL_DATA=/data", "DAL_LISTEN=0.0.0.0:8080", "DAL_LOG_FORMAT=json"},
		ExposedPorts: map[string]struct{}{"8080/tcp": {}},
		Volumes:      map[string]struct{}{"/data": {}},
		WorkingDir:   "/data",
		StopSignal:   "SIGTERM",
		Healthcheck: &v1.HealthConfig{Test: []string{"CMD", "/dal", "health"}, Interval: 30 * time.Second, Timeout: 5 * time.Second,
			StartPeriod: 30 * time.Second, Retries: 3},
		Labels: map[string]string{
			"org.opencontainers.image.title": "dal", "org.opencontainers.image.version": r.version, "org.opencontainers.image.revision": r.commit,
			"org.opencontainers.image.created": r.date.Format(time.RFC3339), "org.opencontainers.image.licenses": "Apache-2.0",
			"org.opencontainers.image.description": "A digital asset library in one binary",
		},
	}
	return mutate.ConfigFile(img, c)
}

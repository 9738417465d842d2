package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"dal": func() {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			os.Exit(cli.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
		},
		// mklib DIR makes an empty library.
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
		// mkjpeg FILE SEED makes a small picture that differs with its seed.
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

// The commands, tested as text.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{Dir: "../testdata/script"})
}

func picture(seed, size int) []byte {
	img := image.NewRGBA(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			img.Set(x, y, color.RGBA{uint8(x*3 + seed*31), uint8(y*5 + seed*57), uint8(seed), 255})
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		panic(err) // cannot happen: the picture is valid
	}
	return b.Bytes()
}

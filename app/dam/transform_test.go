package dam_test

import (
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// Each transform has exactly one text form, and all other texts are rejected.
func TestParseTransform(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"w=800", "h=1", "w=800,h=600", "w=800,h=600,fit=cover", "w=800,h=600,fit=cover,gravity=north", "w=8192,h=3000",
		"w=800,h=600,fit=cover,fp=0.25x1", "w=800,format=webp,q=1,dpr=1.5", "w=2048,h=750,dpr=4",
	} {
		got, err := dam.ParseTransform(text)
		if err != nil || got.String() != text {
			t.Errorf("%s became %s, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"", "w", "w=", "w=0", "w=-1", "w=1e3", "w=+8", "w=08", "w=8 ", "w=8,", "h=6,w=8", "w=8,w=8", "w=8,x=1", "w=8,fit=contain",
		"w=8,fit=fill", "w=8,fit=cover", "w=8,h=8,gravity=north", "w=8,h=8,fit=cover,gravity=up", "w=8,h=8,fit=cover,fp=2x0",
		"w=8,h=8,fit=cover,fp=NaNx0", "w=8,h=8,fit=cover,fp=0.5",
		"w=8,h=8,fit=cover,fp=-0x0", "w=8,h=8,fit=cover,fp=0x1p-1x0", "w=8,dpr=2.0", "w=8,dpr=0x2", "w=8,dpr=0.0001", "w=1_0", "w=٨",
		"h=8,w=100000", "w=1,h=100000", "w=8;h=8", "w=8&h=8", "w=1.5", "w=NaN", "w=Inf", "w=-0", "w=8,fit=cover,h=8", "W=8",
		"w=8,h=8,fit=cover,gravity=north,fp=0x0", "w=8,q=82", "w=8,q=0", "w=8,q=101",
		"w=8,dpr=1", "w=8,dpr=0.5", "w=8,dpr=4.1", "w=8,dpr=1.25", "w=8,dpr=NaN", "w=8,dpr=+Inf", "w=8,format=jpeg",
		"w=8,format=gif", "w=8193", "w=4000,dpr=3", "w=6000,h=6000", "w=9999999999999999999999", "w=8," + strings.Repeat("q", 300),
	} {
		if got, err := dam.ParseTransform(text); err == nil {
			t.Errorf("%s is taken as %v", text, got)
		}
	}
}

// For any transform, the crop is within the picture and not larger than it.
func FuzzParseTransform(f *testing.F) {
	f.Add("w=100,h=100,fit=cover,fp=0.3x0.7,dpr=2", 400, 300)
	f.Add("w=8192,h=1,fit=cover,gravity=southwest", 1, 8192)
	f.Add("h=3", 100_000, 1)
	f.Add("w=8192", 12000, 12000)
	f.Add("w=1000", 1000, 60_000)
	f.Fuzz(func(t *testing.T, text string, w, h int) {
		of, err := dam.ParseTransform(text)
		if err != nil || w < 1 || h < 1 || w > 100_000 || h > 100_000 {
			return
		}
		c := of.Crop(w, h, nil)
		if area := c.Longest * max(1, min(w, h)*c.Longest/max(w, h)); c.Width == 0 &&
			(c.Longest > dam.MaxTransformSide || area > dam.MaxTransformPixels+dam.MaxTransformSide) { // except for rounding
			t.Fatalf("%s of %d × %d: %+v", text, w, h, c)
		}
		if c.Longest < 1 || c.Longest > max(w, h) {
			t.Fatalf("%s of %d × %d: %+v", text, w, h, c)
		}
		if c.X < 0 || c.Y < 0 || c.X+c.Width > c.Longest+1 || c.Y+c.Height > c.Longest+1 || c.Width > dam.MaxTransformSide {
			t.Fatalf("%s of %d × %d: %+v", text, w, h, c)
		}
	})
}

// Every ratio with one decimal is valid.
func TestRatios(t *testing.T) {
	t.Parallel()
	for tenths := 10; tenths <= 10*dam.MaxRatio; tenths++ {
		r := dam.Transform{Width: 100, Ratio: float64(tenths) / 10}
		if err := r.Validate(); err != nil {
			t.Error(r.Ratio, err)
		}
	}
}

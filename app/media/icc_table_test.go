package media

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// labDifference returns the CIE76 difference between two sRGB colours.
func labDifference(a, b [3]float64) float64 {
	x, y := cieLab(a), cieLab(b)
	return math.Sqrt((x[0]-y[0])*(x[0]-y[0]) + (x[1]-y[1])*(x[1]-y[1]) + (x[2]-y[2])*(x[2]-y[2]))
}

func cieLab(c [3]float64) [3]float64 {
	var xyz [3]float64
	for i, row := range sRGBToXYZ {
		for k := range row {
			xyz[i] += row[k] * sRGBLinear(c[k]/255)
		}
	}
	f := func(t float64) float64 {
		if t > 216.0/24389 {
			return math.Cbrt(t)
		}
		return t*841/108 + 4.0/29
	}
	x, y, z := f(xyz[0]/0.9642), f(xyz[1]), f(xyz[2]/0.8249)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// lcms.txt contains LittleCMS 2.14's conversions with all kinds of tables and the relative
// colorimetric intent; the small profiles were made for this test.
func TestTablesAsLittleCMS(t *testing.T) {
	t.Parallel()
	file, err := os.Open(filepath.Join("testdata", "icc", "lcms.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	sums, counts := map[string]float64{}, map[string]float64{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		name, numbers, _ := strings.Cut(lines.Text(), " ")
		data, err := os.ReadFile(filepath.Join("testdata", "icc", name+".icc"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := parseICC(data)
		if err != nil || p.table == nil {
			t.Fatal(name, p, err)
		}
		var in [4]float64
		var want [3]float64
		to, most := []any{&in[0], &in[1], &in[2], &in[3], &want[0], &want[1], &want[2]}, 100.0
		if p.table.inputs == 3 {
			to, most = append(to[:3], to[4:]...), 255
		}
		if _, err := fmt.Sscan(numbers, to...); err != nil {
			t.Fatal(name, numbers, err)
		}
		for i := range in {
			in[i] /= most
		}
		r, g, b := p.table.rgb(&in)
		d := labDifference([3]float64{float64(r), float64(g), float64(b)}, want)
		if d > 2 {
			t.Errorf("%s: %s is %d %d %d, a difference of %.2f", name, numbers, r, g, b, d)
		}
		sums[name], counts[name] = sums[name]+d, counts[name]+1
	}
	for name, sum := range sums {
		mean := sum / counts[name]
		t.Logf("%s: a mean difference of %.3f in %.0f colours", name, mean, counts[name])
		if mean > 0.5 || counts[name] < 40 {
			t.Errorf("%s: a mean difference of %.3f in %.0f colours", name, mean, counts[name])
		}
	}
}

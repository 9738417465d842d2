package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// size is a number of bytes as a flag: "10GiB", "500MB", "1048576".
type size int64

func (s *size) Set(v string) error {
	n, err := humanize.ParseBytes(v)
	if err != nil || n > 1<<62 {
		return fmt.Errorf("%q is no size such as 10GiB", v)
	}
	*s = size(n)
	return nil
}

func (s *size) String() string { return strings.ReplaceAll(humanize.IBytes(uint64(*s)), " ", "") }
func (s *size) Type() string   { return "size" }

// age is a time as a flag: "90d", "24h", "30m".
type age time.Duration

func (a *age) Set(v string) error {
	d, err := time.ParseDuration(v)
	if days, ok := strings.CutSuffix(v, "d"); ok {
		var n float64
		n, err = strconv.ParseFloat(days, 64)
		d = time.Duration(n * 24 * float64(time.Hour))
	}
	if err != nil || d <= 0 {
		return fmt.Errorf("%q is no time such as 90d or 24h", v)
	}
	*a = age(d)
	return nil
}

func (a *age) String() string {
	if d := time.Duration(*a); d%(24*time.Hour) == 0 {
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	}
	return time.Duration(*a).String()
}

func (a *age) Type() string { return "time" }

package account_test

import (
	"fmt"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/digital-asset-library/dal/app/account"
)

// Beyond the limit, the least recently used bucket is evicted, and its caller is
// not blocked.
func TestBucketsForgetTheOldest(t *testing.T) {
	t.Parallel()
	now := time.Now()
	b := account.NewBuckets(func() time.Time { return now }, 3)
	take := func(key string) time.Duration {
		_, wait := b.Take(account.Bucket{Key: key, Rate: rate.Every(time.Minute), Burst: 1})
		return wait
	}
	for _, key := range []string{"a", "b", "c"} {
		if take(key) != 0 {
			t.Errorf("%s waits for its first", key)
		}
	}
	if take("a") != time.Minute { // this makes a the most recently used
		t.Error("a does not wait")
	}
	if take("d") != 0 {
		t.Error("there is no room for d")
	}
	if take("a") == 0 || take("c") == 0 {
		t.Error("a newer one than b went")
	}
	if take("b") != 0 {
		t.Error("b was kept")
	}
	for i := range 1000 {
		if take(fmt.Sprint(i)) != 0 {
			t.Fatal("no room")
		}
	}
}

// Take takes one from each of several buckets, or from none.
func TestBucketsTakeAllOrNone(t *testing.T) {
	t.Parallel()
	now := time.Now()
	b := account.NewBuckets(func() time.Time { return now }, 10)
	large := account.Bucket{Key: "large", Rate: rate.Every(time.Second), Burst: 5}
	small := account.Bucket{Key: "small", Rate: rate.Every(time.Minute), Burst: 1}
	if left, wait := b.Take(large, small); left != 0 || wait != 0 {
		t.Error(left, wait)
	}
	for range 10 {
		if _, wait := b.Take(large, small); wait != time.Minute {
			t.Error(wait)
		}
	}
	if left, wait := b.Take(large); left != 3 || wait != 0 {
		t.Error(left, wait)
	}
	now = now.Add(time.Minute)
	if left, wait := b.Take(large, small); left != 0 || wait != 0 {
		t.Error(left, wait)
	}
}

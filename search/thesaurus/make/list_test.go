package main

import (
	"fmt"
	"strings"
	"testing"
)

// For a small net of words, the list contains the related words of usual senses, and no
// rare words.
func TestList(t *testing.T) {
	t.Parallel()
	often := strings.Repeat(" a shop with a car, an automobile, a limousine, a vehicle and a motor;", minGlosses)
	files := map[string][]byte{
		"package/dict/data.noun": []byte("  1 the licence\n" +
			"00000001 06 n 02 car 0 automobile 0 002 @ 00000002 n 0000 ~ 00000003 n 0000 | a vehicle with a motor; \"his car\"\n" +
			"00000002 06 n 01 vehicle 0 000 | what moves\n" +
			"00000003 06 n 03 limousine 0 phaeton 0 stretch_limo 0 001 @ 00000001 n 0000 | a long one\n" +
			"00000004 06 n 01 car 0 000 | part of a lift\n" +
			"00000005 06 n 01 shop 0 000 |" + often + "\n" +
			"00000006 06 n 01 motor 0 000 | what drives\n"),
		"package/dict/index.sense": []byte("car%1:06:00:: 00000001 1 71\nautomobile%1:06:00:: 00000001 1 2\nvehicle%1:06:00:: 00000002 1 9\n" +
			"limousine%1:06:00:: 00000003 1 1\nphaeton%1:06:00:: 00000003 1 0\nstretch_limo%1:06:00:: 00000003 1 0\n" +
			"car%1:06:01:: 00000004 2 0\nshop%1:06:00:: 00000005 1 1\nmotor%1:06:00:: 00000006 1 1\n"),
	}
	w, err := read(files)
	if err != nil {
		t.Fatal(err)
	}
	list := w.list()
	for _, want := range []string{"automobile car ", "car vehicle automobile limousine", "phaeton car ", "limousine car automobile\n"} {
		if !strings.Contains("\n"+list, "\n"+want) {
			t.Errorf("no line begins with %q:\n%s", want, list)
		}
	}
	for _, no := range []string{" phaeton", "stretch", " lift"} {
		if strings.Contains(list, no) {
			t.Errorf("%q is in the list:\n%s", no, list)
		}
	}
	if again := w.list(); again != list {
		t.Errorf("another time it is\n%s", again)
	}
	if _, err := read(map[string][]byte{"package/dict/index.sense": []byte("car 1 2 x\n")}); err == nil {
		t.Error("what is no sense was read")
	}
	fmt.Fprint(t.Output(), list)
}

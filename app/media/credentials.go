package media

import (
	"bytes"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
)

// This file reads Content Credentials: the manifests in which cameras and programs sign how a
// file was made (C2PA specification 2.2). They are reported without being verified.

// maxManifest limits the manifests that are read, in bytes.
const maxManifest = 8 << 20

// credentialsOf returns the Content Credentials of a file, or nil if it has none.
func credentialsOf(s source, f format) map[string]any {
	var store []byte
	switch f.MIME {
	case "image/jpeg":
		store = manifestOfJPEG(s)
	case "image/png":
		_ = eachChunk(s, func(kind string, at, n int64) error { store = s.manifest(store, kind == "caBX", at, n); return nil })
	case "image/webp":
		_ = eachRIFFChunk(s, maxChunks, func(id string, at, n int64) error { store = s.manifest(store, id == "C2PA", at, n); return nil })
	case "application/pdf", "image/tiff":
		store = s.manifestAnywhere()
	default:
		store = s.manifestOfBoxes()
	}
	if store == nil {
		return nil
	}
	return readManifests(store)
}

// manifest reads a chunk that contains manifests, unless an earlier one was already read.
func (s source) manifest(have []byte, is bool, at, n int64) []byte {
	if !is || have != nil || n > maxManifest || n > s.size-at {
		return have
	}
	b := make([]byte, n)
	if _, err := s.ReadAt(b, at); err != nil && !errors.Is(err, io.EOF) {
		return have
	}
	return b
}

// manifestOfJPEG joins the segments of a JUMBF box (ISO 19566-5, annex D).
func manifestOfJPEG(s source) []byte {
	var store []byte
	_ = eachSegment(s, func(marker byte, at int64, n int) error {
		if marker != 0xeb || n < 16 || len(store) > maxManifest {
			return nil
		}
		b := make([]byte, n)
		if _, err := s.ReadAt(b, at); err != nil || string(b[:2]) != "JP" {
			return err
		}
		if first := binary.BigEndian.Uint32(b[4:]) == 1; first && store == nil && bytes.Contains(b, []byte("c2pa")) {
			store = append(store, b[8:]...)
		} else if !first && store != nil {
			store = append(store, b[16:]...) // each segment repeats the header of the box
		}
		return nil
	})
	return store
}

// uuidC2PA identifies the manifest box in box-based files (C2PA specification, section
// A.5).
const uuidC2PA = "\xd8\xfe\xc3\xd6\x1b\x0e\x48\x3c\x92\x97\x58\x28\x87\x7e\xc4\x81"

// manifestOfBoxes searches the top level for the manifest box.
func (s source) manifestOfBoxes() []byte {
	at := int64(0)
	for range 1000 {
		head := make([]byte, 32)
		n, _ := s.ReadAt(head, at)
		if n < 24 {
			return nil
		}
		size := int64(binary.BigEndian.Uint32(head))
		skip := int64(8)
		switch size {
		case 0:
			size = s.size - at
		case 1:
			size, skip = int64(binary.BigEndian.Uint64(head[8:])), 16
		}
		if size < skip || size > s.size-at {
			return nil
		}
		if at == 0 && string(head[4:8]) != "ftyp" {
			return nil
		}
		if string(head[4:8]) == "uuid" && size <= maxManifest && string(head[skip:min(skip+16, int64(n))]) == uuidC2PA {
			b := s.manifest(nil, true, at, size)
			if i := bytes.Index(b, []byte("jumb")); i >= 4 {
				return b[i-4:]
			}
			return nil
		}
		at += size
	}
	return nil
}

// manifestAnywhere searches the beginning and the end of a file for a manifest box, for
// formats that can store it in many places.
func (s source) manifestAnywhere() []byte {
	for _, at := range []int64{0, max(0, s.size-maxManifest)} {
		b := s.manifest(nil, true, at, min(maxManifest, s.size-at))
		i := bytes.Index(b, []byte("jumdc2pa\x00\x11\x00\x10\x80\x00\x00\xaa\x00\x38\x9b\x71"))
		if i >= 12 && string(b[i-8:i-4]) == "jumb" {
			return b[i-12:]
		}
		if s.size <= maxManifest {
			break
		}
	}
	return nil
}

// readManifests reads the last manifest of a store, which is the active one (C2PA
// specification, section 11).
func readManifests(store []byte) map[string]any {
	says := map[string]any{"verified": false}
	var last []byte
	eachBox(store, func(kind string, content []byte) {
		if kind != "jumb" || label(content) != "c2pa" {
			return
		}
		n := 0
		eachBox(content, func(kind string, content []byte) {
			if kind == "jumb" {
				last = content
				n++
			}
		})
		if n > 1 {
			says["manifests"] = n
		}
	})
	if last == nil {
		return says
	}
	eachBox(last, func(kind string, content []byte) {
		switch name := label(content); {
		case kind != "jumb":
		case name == "c2pa.claim" || name == "c2pa.claim.v2":
			readClaim(cborIn(content), says)
		case name == "c2pa.signature":
			readSignature(cborIn(content), says)
		case name == "c2pa.assertions":
			eachBox(content, func(kind string, content []byte) {
				if kind == "jumb" && strings.HasPrefix(label(content), "c2pa.actions") {
					readActions(cborIn(content), says)
				}
			})
		}
	})
	return says
}

// eachBox calls fn for each box in b (ISO 19566-5).
func eachBox(b []byte, fn func(kind string, content []byte)) {
	for range 1000 {
		if len(b) < 8 {
			return
		}
		size := uint64(binary.BigEndian.Uint32(b))
		skip := uint64(8)
		if size == 1 && len(b) >= 16 {
			size, skip = binary.BigEndian.Uint64(b[8:]), 16
		}
		if size < skip {
			return
		}
		end := min(size, uint64(len(b)))
		fn(string(b[4:8]), b[min(skip, end):end])
		b = b[end:]
	}
}

// label returns the label in a box's description box.
func label(content []byte) (name string) {
	eachBox(content, func(kind string, d []byte) {
		if kind == "jumd" && len(d) > 17 && name == "" {
			text, _, _ := bytes.Cut(d[17:], []byte{0})
			name = string(text)
		}
	})
	return name
}

// cborIn returns the value of the first CBOR box.
func cborIn(content []byte) (v any) {
	eachBox(content, func(kind string, b []byte) {
		if kind == "cbor" && v == nil {
			v = readCBOR(b)
		}
	})
	return v
}

func member(v any, name any) any {
	m, _ := v.(map[any]any)
	return m[name]
}

// readClaim records the program that wrote the claim and the title it gave the file.
func readClaim(claim any, says map[string]any) {
	keep := func(to string, v any) {
		if s, ok := v.(string); ok && cleanText(s) != "" && says[to] == nil {
			says[to] = cleanText(s)
		}
	}
	info := member(claim, "claim_generator_info")
	if list, ok := info.([]any); ok && len(list) > 0 {
		info = list[0]
	}
	keep("generator", member(info, "name"))
	keep("generator", member(claim, "claim_generator"))
	keep("title", member(claim, "dc:title"))
}

// readSignature records the signer named by the certificate (RFC 9052, section 4.2; RFC
// 9360).
func readSignature(v any, says map[string]any) {
	list, _ := v.([]any)
	if len(list) < 2 {
		return
	}
	const x5chain = uint64(33)
	protected, _ := list[0].([]byte)
	for _, header := range []any{readCBOR(protected), list[1]} {
		chain := member(header, x5chain)
		if chain == nil {
			chain = member(header, "x5chain")
		}
		if certs, ok := chain.([]any); ok && len(certs) > 0 {
			chain = certs[0]
		}
		der, _ := chain.([]byte)
		cert, err := x509.ParseCertificate(der)
		if err != nil {
			continue
		}
		for to, name := range map[string]pkix.Name{"signer": cert.Subject, "issuer": cert.Issuer} {
			if s := cleanText(first(append(slices.Clone(name.Organization), name.CommonName)...)); s != "" {
				says[to] = s
			}
		}
		return
	}
}

// maxActions limits the number of reported actions.
const maxActions = 20

// readActions records the edits made to the file and its digital source type.
func readActions(v any, says map[string]any) {
	list, _ := member(v, "actions").([]any)
	var actions []any
	for _, a := range list[:min(len(list), maxActions)] {
		if name, ok := member(a, "action").(string); ok && cleanText(name) != "" {
			actions = append(actions, cleanText(name))
		}
		if kind, ok := member(a, "digitalSourceType").(string); ok && says["source_type"] == nil {
			says["source_type"] = cleanText(kind[strings.LastIndexByte(kind, '/')+1:])
		}
	}
	if len(actions) > 0 {
		says["actions"] = actions
	}
}

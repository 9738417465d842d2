// Package share shares assets with guests: share links, embeds, guest uploads, reviews,
// terms of use and IIIF. Shares is what users change, Guests what guests see.
package share

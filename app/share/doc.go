// Package share shares assets with guests: share links, embeds, guest uploads, reviews,
// terms of use and IIIF. Users change Shares, guests see Guests.
package share

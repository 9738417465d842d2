// Package child configures programs that read untrusted files: detached from the server's
// terminal and without its environment.
package child

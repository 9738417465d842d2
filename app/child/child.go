// Package child says how programs are started that read untrusted files: apart from the
// server's terminal and without its environment.
package child

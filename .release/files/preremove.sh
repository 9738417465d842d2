#!/bin/sh
set -e
# On an upgrade the service goes on: deb says "upgrade", rpm says 1.
case "$1" in upgrade | 1) exit 0 ;; esac
if [ -d /run/systemd/system ]; then
	systemctl disable --now dal >/dev/null 2>&1 || true
fi

#!/bin/sh
set -e
if command -v systemd-sysusers >/dev/null 2>&1; then
	systemd-sysusers dal.conf
elif ! getent passwd dal >/dev/null; then
	useradd --system --home-dir /var/lib/dal --shell /usr/sbin/nologin dal
fi
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	if systemctl is-active --quiet dal; then systemctl restart dal; fi
fi

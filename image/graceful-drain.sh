#!/bin/sh
# The runbook's preStop line calls this file. The drain is hc's; this waits until it is CLOSED.
exec gracegate drain "$@"

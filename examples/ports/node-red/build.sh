#!/bin/sh
# Before it is published: Node-RED goes into the package, so that servers fetch nothing from elsewhere.
set -eu
cd "$(dirname "$0")"
npm ci --ignore-scripts --omit=dev
rm -rf node_modules/@types
find node_modules -name '*.map' -type f -delete

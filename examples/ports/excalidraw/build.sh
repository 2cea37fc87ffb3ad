#!/bin/sh
# Before it is published: what npm has goes into the package, so that servers and browsers fetch nothing from elsewhere.
set -eu
cd "$(dirname "$0")"
npm ci --ignore-scripts
rm -rf site/lib
mkdir site/lib
cp node_modules/react/umd/react.production.min.js node_modules/react-dom/umd/react-dom.production.min.js site/lib/
cp -R node_modules/@excalidraw/excalidraw/dist/excalidraw.production.min.js node_modules/@excalidraw/excalidraw/dist/excalidraw-assets site/lib/
rm -r node_modules

#!/bin/sh
# Before it is published: code-server goes into the package with the npm packages of the editor in it, so that servers fetch nothing. Nothing is
# compiled: Kerberos and log files of the editor's own are left out, and so are assistants and what is for other systems. The page gets two scripts:
# the desktop's, and abrir.js, which opens what the desktop hands over.
set -eu
cd "$(dirname "$0")"
npm ci --ignore-scripts --omit=dev
cd node_modules/code-server/lib/vscode
npm install --ignore-scripts --omit=dev --no-audit --no-fund
npm install --prefix extensions --ignore-scripts --omit=dev --no-audit --no-fund
cp bin/remote-cli/code-linux.sh bin/remote-cli/code-server
cp bin/helpers/browser-linux.sh bin/helpers/browser.sh
rm -rf node_modules/@github/copilot* node_modules/@microsoft/mxc-sdk node_modules/@vscode/windows-* extensions/copilot extensions/ms-vscode.js-debug
find node_modules/@vscode/ripgrep-universal/bin node_modules/node-pty/prebuilds -mindepth 1 -maxdepth 1 ! -name linux-x64 ! -name linux-arm64 -exec rm -rf {} +
find . -name '*.map' -type f -delete
cp ../../../../abrir.js out/abrir.js
page=out/vs/code/browser/workbench/workbench.html
sed 's|^</html>|\t<script src="_sdk/svc.js"></script>\n\t<script type="module" src="{{WORKBENCH_WEB_BASE_URL}}/out/abrir.js"></script>\n</html>|' "$page" >"$page.new"
mv "$page.new" "$page"

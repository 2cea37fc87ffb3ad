'use strict';
/** Identity of this process: id, version, package folder, data folder. Source: rules 2.6 and 9, rule 8. */
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const ID = /^[a-z0-9-]{1,49}$/;
const VERSION = /^[0-9A-Za-z][0-9A-Za-z.\-+_]{0,127}$/;
const BASE_PATH = /^\/(?:[A-Za-z0-9._~-]+\/)*$/;
const MANIFEST_BYTES_MAX = 256 * 1024;
const FOLDERS_ABOVE_MAX = 8;

const once = (make) => {
  let made;
  return () => (made ??= { value: make() }).value;
};

function realFile(file) {
  try {
    return fs.realpathSync(file);
  } catch {
    return path.resolve(file);
  }
}

/** The manifest in the folder of the main script or above it; {} when there is none to read. */
const manifest = once(() => {
  let folder = realFile(process.argv[1] ?? '.');
  for (let step = 0; step < FOLDERS_ABOVE_MAX; step += 1) {
    folder = path.dirname(folder);
    const file = path.join(folder, 'svc-app.json');
    try {
      const seen = fs.statSync(file);
      if (!seen.isFile() || seen.size > MANIFEST_BYTES_MAX) continue;
      const found = JSON.parse(fs.readFileSync(file, 'utf8'));
      if (found !== null && typeof found === 'object' && !Array.isArray(found)) return found;
    } catch {
      // none here: look above
    }
  }
  return {};
});

const appId = once(() => [process.env.SVC_APP_ID, manifest().id].find((id) => typeof id === 'string' && ID.test(id)) ?? 'dev');

/** `dev` outside an installed package; the launcher exports SVC_APP_INSTALLED_HASH for an installed one. */
const version = once(() => {
  const declared = manifest().version;
  return process.env.SVC_APP_INSTALLED_HASH && typeof declared === 'string' && VERSION.test(declared) ? declared : 'dev';
});

const serverScope = () => manifest().escopo === 'servidor';

/** Path under which the browser sees the app, with a closing slash; `/` when unset or not a plain path. */
function basePath() {
  const value = process.env.SVC_APP_BASE_PATH ?? '/';
  return BASE_PATH.test(value) && !value.includes('/../') && !value.includes('/./') ? value : '/';
}

/** `~/.svc-apps/<id>` of the account. */
const appDir = () => path.join(os.homedir(), '.svc-apps', appId());

/** SVC_APP_DATA_DIR, or `~/.svc-apps/<id>/data`; made with mode 0700 when missing. */
function dataDir() {
  const folder = process.env.SVC_APP_DATA_DIR || path.join(appDir(), 'data');
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

module.exports = { appId, version, serverScope, basePath, appDir, dataDir };

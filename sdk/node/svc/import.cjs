'use strict';
/**
 * For `node --require`: lets an ES module write `import { servidor } from 'svc'`. Node's `import` does not read NODE_PATH, by which `require('svc')`
 * finds this package. The launcher and `svc env` preload it; workers and forks of the backend have it, too. A package of that name that lies in a
 * node_modules of the app goes first, as with `require`. Decision: docs/decisions/0252-import-svc.md
 */
const { registerHooks } = require('node:module');
const path = require('node:path');
const { pathToFileURL } = require('node:url');

const url = pathToFileURL(path.join(__dirname, 'index.js')).href;

function resolve(specifier, context, nextResolve) {
  if (specifier !== 'svc') return nextResolve(specifier, context);
  try {
    return nextResolve(specifier, context);
  } catch (error) {
    if (error?.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    return { url, format: 'commonjs', shortCircuit: true };
  }
}

if (typeof registerHooks === 'function') registerHooks({ resolve });
else {
  // Node 20. Said by the program that needs it alone: `svc env` preloads this file into every Node of a terminal.
  process.on('uncaughtExceptionMonitor', (error) => {
    if (error?.code === 'ERR_MODULE_NOT_FOUND' && /'svc'/.test(error.message))
      console.error(
        `svc: import 'svc' needs Node 22.15, this is ${process.version}; here: const { escutar, servidor, web } = createRequire(import.meta.url)('svc')`,
      );
  });
}

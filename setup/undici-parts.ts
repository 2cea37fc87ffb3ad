/**
 * The bundle's part of undici: the client for HTTP/1.1 with `request`, without fetch, WebSocket, caches, mocks and HTTP/2: 120 KB instead
 * of 730, and a tenth of the time to load. A version that needs a part that is left out fails in every test of a bundle that sends a
 * request.
 */
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import type { Plugin } from 'esbuild';

const parts = `
const Client = require('./lib/dispatcher/client.js');
Client.prototype.request = require('./lib/api/api-request.js');
module.exports = { Client };`;

/** Needed only by what we do not use: HTTP/2, bodies of forms, machines without SIMD. */
const leftOut = /\/undici\/lib\/(?:dispatcher\/client-h2|llhttp\/llhttp-wasm|web\/.*)\.js$/;

const stub = `module.exports = () => { throw new Error('not in this bundle of undici'); };`;

/** WebAssembly, in base64 there: 72 KB, and 20 when packed. Unpacked with the first connection, in half a millisecond. */
const parser = /\/undici\/lib\/llhttp\/llhttp_simd-wasm\.js$/;

function packed(path: string): string {
  const bytes = createRequire(import.meta.url)(path) as Uint8Array;
  const text = brotliCompressSync(bytes).toString('base64');
  return `module.exports = require('node:zlib').brotliDecompressSync(Buffer.from('${text}', 'base64'));`;
}

const folder = resolve(import.meta.dirname, '../node_modules/undici');

export const undiciParts: Plugin = {
  name: 'undici-parts',
  setup: (bundler) => {
    // Node's own build of undici says by this name that it leaves the second parser out.
    bundler.initialOptions.define = { ...bundler.initialOptions.define, esbuildDetection: 'true' };
    bundler.onResolve({ filter: /^undici$/ }, () => ({ path: `${folder}/parts.js`, namespace: 'undici-parts' }));
    bundler.onLoad({ filter: /./, namespace: 'undici-parts' }, () => ({ contents: parts, loader: 'js', resolveDir: folder }));
    bundler.onLoad({ filter: parser }, ({ path }) => ({ contents: packed(path), loader: 'js' }));
    bundler.onLoad({ filter: leftOut }, () => ({ contents: stub, loader: 'js' }));
  },
};

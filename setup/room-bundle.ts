/**
 * Parts with which the SDKs' room connections are bundled, for pages and for Node: machines/interpreter.ts runs the machine instead of
 * XState, and y-protocols works with the app's own yjs. Decision: docs/decisions/0102-rooms-in-the-page.md
 */
import { resolve } from 'node:path';
import type { Plugin } from 'esbuild';

const root = resolve(import.meta.dirname, '..');

/** `from`: files that ask for it. */
const inPlaceOf = (name: string, from: RegExp, path: string): Plugin => ({
  name: `in place of ${name}`,
  setup: (bundler) =>
    bundler.onResolve({ filter: new RegExp(`^${name}$`) }, ({ importer }) =>
      from.test(importer) ? { path: resolve(root, path) } : undefined,
    ),
});

export const roomParts: readonly Plugin[] = [
  inPlaceOf('xstate', /./, 'machines/interpreter.ts'),
  inPlaceOf('yjs', /y-protocols/, 'sdk/rooms/own-yjs.ts'),
];

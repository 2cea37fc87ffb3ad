/**
 * A part with which the SDKs' room connections are bundled, for pages and for Node: y-protocols works with the app's own yjs.
 * Decision: docs/decisions/0102-rooms-in-the-page.md
 */
import { resolve } from 'node:path';
import type { Plugin } from 'esbuild';

/** In the place of the yjs that y-protocols asks for. */
export const ownYjs: Plugin = {
  name: 'own yjs',
  setup: (bundler) =>
    bundler.onResolve({ filter: /^yjs$/ }, ({ importer }) =>
      importer.includes('y-protocols') ? { path: resolve(import.meta.dirname, '../sdk/rooms/own-yjs.ts') } : undefined,
    ),
};

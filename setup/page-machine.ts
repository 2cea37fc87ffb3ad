/** In what a page loads, the few lines of sdk/web/room-machine.ts are XState. Decision: docs/decisions/0102-rooms-in-the-page.md */
import { resolve } from 'node:path';
import type { Plugin } from 'esbuild';

const path = resolve(import.meta.dirname, '../sdk/web/room-machine.ts');

export const pageMachine: Plugin = {
  name: 'page-machine',
  setup: (bundler) => bundler.onResolve({ filter: /^xstate$/ }, () => ({ path })),
};

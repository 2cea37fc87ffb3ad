/** Modules whose exports are data made of tables: a bundle has the data that it uses, and not the tables with the sentences for engineers. */
import { relative } from 'node:path';
import type { OnLoadResult, Plugin } from 'esbuild';
import * as manifest from '../schema/manifest/derived.ts';
import * as reasons from '../schema/reasons/derived.ts';

const modules: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'schema/manifest/derived.ts': manifest,
  'schema/reasons/derived.ts': reasons,
};

/** The replacement of the file in a bundle; null: the file itself. */
export function derivedValues(fromRoot: string): OnLoadResult | null {
  const values = modules[fromRoot];
  if (values === undefined) return null;
  const lines = Object.entries(values).map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`);
  return { contents: lines.join(''), loader: 'js' };
}

export const derived = (root: string): Plugin => ({
  name: 'derived-values',
  setup: (bundler) => {
    bundler.onLoad({ filter: /\/derived\.ts$/ }, ({ path }) => derivedValues(relative(root, path)));
  },
});

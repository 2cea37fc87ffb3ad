/** Packages that the product is built on: each is in a program that is shipped, not in package.json alone. Vitest, the twelfth, runs this. */
import path from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { ownYjs } from './room-bundle.ts';

const root = path.resolve(import.meta.dirname, '..');

/** Packages that the programs import once types and unused imports are gone. */
async function packagesOf(...entryPoints: readonly string[]): Promise<ReadonlySet<string>> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...entryPoints],
    outdir: 'nowhere',
    write: false,
    bundle: true,
    metafile: true,
    treeShaking: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    plugins: [ownYjs],
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  return new Set(imports.flatMap(({ external, path: name }) => (external === true ? [name.split('/')[0]!] : [])));
}

test('each of them is in a program that is shipped', async () => {
  const wanted = 'xstate chokidar ajv ssh2 ws yjs y-protocols undici prom-client yaml pino'.split(' ');
  const used = await packagesOf('bin/svc-main.ts', 'sdk/web/page-room.ts');
  expect(wanted.filter((name) => !used.has(name))).toEqual([]);
});

test('XState runs the connections to rooms of pages and backends', async () => {
  for (const program of ['sdk/web/page-room.ts', 'sdk/rooms/node.ts'])
    expect([program, ...(await packagesOf(program))]).toContain('xstate');
});

/**
 * The packages for authors, into build/packages: `@svc/sdk` as a folder (npm/) and as a tarball, `svc-sdk` as a wheel. They have the
 * portal's version, and the same sources give the same bytes. Decision: docs/decisions/0247-packages-for-authors.md
 */
import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import about from '../package.json' with { type: 'json' };
import { createZipWriter } from '../controller/files/zip-format.ts';
import { packFolder } from '../kit/archive/pack.ts';
import { kitProcessors, wrapperPath, type KitProcessor } from '../kit/server/parts.ts';
import { schemaText } from '../schema/manifest/published.ts';

const { version, license } = about;
const root = path.resolve(import.meta.dirname, '..');
const out = path.join(root, 'build/packages');

export interface AuthorPackages {
  /** The folder that the tarball is made of. */
  readonly npmFolder: string;
  readonly tarball: string;
  readonly wheel: string;
}

const made: AuthorPackages = {
  npmFolder: path.join(out, 'npm'),
  tarball: path.join(out, `svc-sdk-${version}.tgz`),
  wheel: path.join(out, `svc_sdk-${version}-py3-none-any.whl`),
};

/** Builds the packages and removes those of other versions. A reader finds the old file or the new one. */
export async function makeAuthorPackages(): Promise<AuthorPackages> {
  const workshop = path.join(root, `build/packages.${process.pid}.tmp`);
  await rm(workshop, { recursive: true, force: true });
  await mkdir(workshop, { recursive: true });
  try {
    await writeNpmFolder(path.join(workshop, 'npm'));
    await packFolder(path.join(workshop, 'npm'), { root: 'package', out: path.join(workshop, path.basename(made.tarball)) });
    await writeFile(path.join(workshop, path.basename(made.wheel)), await wheel());
    await mkdir(out, { recursive: true });
    for (const name of await readdir(out))
      if (!(await readdir(workshop)).includes(name)) await rm(path.join(out, name), { recursive: true });
    await rm(made.npmFolder, { recursive: true, force: true });
    for (const name of await readdir(workshop)) await rename(path.join(workshop, name), path.join(out, name));
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
  return made;
}

/** The runtime lies in `node/svc`: NODE_PATH=…/node loads it as a server does. */
async function writeNpmFolder(folder: string): Promise<void> {
  await cp(path.join(root, 'sdk/node/svc'), path.join(folder, 'node/svc'), { recursive: true });
  await writeWrappers(path.join(folder, 'wrap'));
  const ui = await uiTypes();
  await mkdir(path.join(folder, 'ui'), { recursive: true });
  for (const name of ui) await cp(path.join(root, 'sdk/web/ui', name), path.join(folder, 'ui', name));
  if (ui.length === 0) await rm(path.join(folder, 'ui'), { recursive: true });
  const node = await readFile(path.join(root, 'sdk/node/svc/index.d.ts'), 'utf8');
  const page = await readFile(path.join(root, 'sdk/web/svc.d.ts'), 'utf8');
  const files = {
    'package.json': `${JSON.stringify(npmManifest(), null, 2)}\n`,
    'index.d.ts': '/// <reference path="./svc.d.ts" />\nexport * from \'svc\';\n',
    'svc.d.ts': asModule(node),
    'page.d.ts': `${ui.map((name) => `/// <reference path="./ui/${name}" />\n`).join('')}${page}${globalSvc}`,
    'page.js': 'export {};\n',
    'svc-app.schema.json': schemaText(),
    'README.md': await readme('npm'),
    LICENSE: await readFile(path.join(root, 'LICENSE'), 'utf8'),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
}

/** svc-wrap of each processor that setup/wrap.ts made it for, by the name of `uname -m`. */
async function wrappers(): Promise<readonly (readonly [processor: string, program: Buffer])[]> {
  const found = (Object.keys(kitProcessors) as KitProcessor[]).map(async (processor) => {
    const program = await readFile(path.join(root, wrapperPath(processor))).catch(() => null);
    return program === null ? [] : [[processor, program] as const];
  });
  return (await Promise.all(found)).flat();
}

/** A command that becomes the program of this machine. */
async function writeWrappers(folder: string): Promise<void> {
  for (const [processor, program] of await wrappers()) {
    await mkdir(path.join(folder, processor), { recursive: true });
    await writeFile(path.join(folder, processor, 'svc-wrap'), program, { mode: 0o755 });
  }
  await mkdir(folder, { recursive: true });
  const command = '#!/bin/sh\nself=$(readlink -f "$0")\nexec "${self%/*}/$(uname -m)/svc-wrap" "$@"\n';
  await writeFile(path.join(folder, 'svc-wrap'), command, { mode: 0o755 });
}

const wrapModule = `"""svc-wrap: becomes the program of this processor. Its options: svc-wrap --help."""

import os
import pathlib
import platform
import sys


def main() -> None:
    program = pathlib.Path(__file__).parent / platform.machine() / 'svc-wrap'
    os.execv(program, [str(program), *sys.argv[1:]])
`;

const readme = async (of: 'npm' | 'pip'): Promise<string> =>
  (await readFile(path.join(root, `sdk/README.${of}.md`), 'utf8')).replaceAll('VERSION', version);

const uiTypes = async (): Promise<readonly string[]> =>
  (await readdir(path.join(root, 'sdk/web/ui'))).filter((name) => name.endsWith('.d.ts')).toSorted();

function npmManifest(): object {
  return {
    name: '@svc/sdk',
    version,
    description: 'For apps of svc: types of the page, the Node runtime with its types, and the JSON Schema of svc-app.json.',
    license,
    main: './node/svc/index.js',
    types: './index.d.ts',
    bin: { 'svc-wrap': 'wrap/svc-wrap' },
    exports: {
      '.': { types: './index.d.ts', default: './node/svc/index.js' },
      './page': { types: './page.d.ts', default: './page.js' },
      './svc-app.schema.json': './svc-app.schema.json',
      './package.json': './package.json',
    },
    engines: { node: '>=20' },
    peerDependencies: { '@types/node': '>=20' },
    peerDependenciesMeta: { '@types/node': { optional: true } },
  };
}

/** `require('svc')` is what works on a server, by NODE_PATH: the module has that name wherever the package lies, and so has what `createRequire` gives. */
function asModule(types: string): string {
  const body = types.trimEnd().replaceAll(/^(?=.)/gm, '  ');
  return `/// <reference types="node" />
// As on a server: \`createRequire(import.meta.url)('svc')\`, or \`require('svc')\` in CommonJS.
declare module 'svc' {
${body}
}

declare namespace NodeJS {
  interface Require {
    (id: 'svc'): typeof import('svc');
  }
}
`;
}

const globalSvc = `
/** There once _sdk/svc.js ran, which \`web.spa\` puts into the head of the page, before any other script. */
declare var svc: Svc;
`;

/** A zip with the sources and what says what they are, by PEP 427 and 561. Stored and not packed: no zlib changes its bytes. */
async function wheel(): Promise<Buffer> {
  const folder = path.join(root, 'sdk/python/svc');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.py') || name === 'py.typed').toSorted();
  const sources = await Promise.all(names.map(async (name) => [`svc/${name}`, await readFile(path.join(folder, name))] as const));
  const info = `svc_sdk-${version}.dist-info`;
  const metadata = [
    'Metadata-Version: 2.1',
    'Name: svc-sdk',
    `Version: ${version}`,
    'Summary: Runtime library of a backend of svc. No dependencies.',
    `License: ${license}`,
    'Requires-Python: >=3.9',
    'Classifier: Typing :: Typed',
    'Description-Content-Type: text/markdown',
    '',
    await readme('pip'),
  ].join('\n');
  const programs = (await wrappers()).map(([processor, program]) => [`svc/_wrap/${processor}/svc-wrap`, program] as const);
  const about = [
    ['svc/_wrap/__init__.py', Buffer.from(wrapModule)],
    ...programs,
    [`${info}/entry_points.txt`, Buffer.from('[console_scripts]\nsvc-wrap = svc._wrap:main\n')],
    [`${info}/LICENSE`, await readFile(path.join(root, 'LICENSE'))],
    [`${info}/METADATA`, Buffer.from(metadata)],
    [`${info}/WHEEL`, Buffer.from('Wheel-Version: 1.0\nGenerator: svc\nRoot-Is-Purelib: true\nTag: py3-none-any\n')],
  ] as const;
  const all = [...sources, ...about];
  const lines = all.map(([name, bytes]) => `${name},sha256=${createHash('sha256').update(bytes).digest('base64url')},${bytes.length}`);
  const record = Buffer.from([...lines, `${info}/RECORD,,`, ''].join('\n'));
  return zipOf([...all, [`${info}/RECORD`, record]]);
}

function zipOf(files: readonly (readonly [name: string, bytes: Buffer])[]): Buffer {
  const writer = createZipWriter();
  const parts = files.flatMap(([name, bytes]) => [
    writer.begin({
      name,
      isFolder: false,
      mode: name.endsWith('/svc-wrap') ? 0o755 : 0o644,
      modifiedMs: Date.UTC(1980, 0, 1),
      bytesMax: bytes.length,
      isDeflated: false,
    }),
    bytes,
    writer.end({ crc: crc32(bytes), packed: bytes.length, bytes: bytes.length }),
  ]);
  return Buffer.concat([...parts, ...writer.finish()]);
}

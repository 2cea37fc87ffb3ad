/** Which Package documents the options `--app` become. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeDocuments } from './documents.ts';
import { installationsOf } from './run.ts';
import { openSite } from './site.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-setup-'));
  mkdirSync(path.join(dir, 'site'));
  for (const id of ['notas', 'relogio']) {
    mkdirSync(path.join(dir, 'apps', id), { recursive: true });
    writeFileSync(path.join(dir, 'apps', id, 'svc-app.json'), JSON.stringify({ id, version: '1.0.0' }));
  }
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const hostKey = `SHA256:${'a'.repeat(43)}`;
function packagesOf(servers: readonly string[], app: readonly string[]): readonly string[] {
  const site = openSite(path.join(dir, 'site'));
  const named = servers.map((name, at) => `${name}=10.0.0.${at + 1}`);
  const keys = servers.map((name) => `${name}=${hostKey}`);
  writeDocuments(site, { dir, state: dir, server: named, hostKey: keys, app }, path.join(dir, 'apps'));
  site.changes();
  return site.names('Package').map((name) => {
    const { server, servers: several } = site.value('Package', name, ['spec']) as { server?: string; servers?: string | readonly string[] };
    return `${name}: ${server ?? [several].flat().join('+')}`;
  });
}

test.for<readonly [string, readonly string[], readonly string[], readonly string[]]>([
  ['one server', ['polar'], ['notas'], ['notas-polar: polar']],
  ['all of several', ['polar', 'sirius'], ['notas', 'relogio'], ['notas: all', 'relogio: all']],
  ['one of several', ['polar', 'sirius'], ['notas@sirius'], ['notas-sirius: sirius']],
  ['some of several', ['polar', 'sirius', 'vega'], ['notas@sirius', 'notas@vega', 'notas@vega'], ['notas: sirius+vega']],
])('an app for %s', ([, servers, app, expected]) => {
  expect(packagesOf(servers, app)).toEqual(expected);
});

test('the installations of a document are one for each server, and those of no other app', () => {
  const all = ['Package/notas@polar', 'Package/notas@sirius', 'Package/notas-sirius', 'Package/notas-velhas-polar'].map((key) => ({ key }));
  expect([installationsOf('notas', all), installationsOf('notas-sirius', all)].map((found) => found.map(({ key }) => key))).toEqual([
    ['Package/notas@polar', 'Package/notas@sirius'],
    ['Package/notas-sirius'],
  ]);
});

import { lstatSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPackageFolders } from '../../controller/hosts/package-folders.ts';
import { findPackage, readManifest, entrypointOf } from '../../kit/launch/package.ts';
import { cachedPackageHash } from '../../kit/launch/package-hash-cache.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { followEntries, linkFolder } from './linked.ts';

let dir: string;
let folder: string;
let apps: string;
const manifest: Manifest = { id: 'ola', version: '1.0.0', backend: { runtime: 'python3', entrypoint: 'backend/main.py' } };

beforeEach(() => {
  dir = realpathSync(mkdtempSync(path.join(tmpdir(), 'svc-dl-')));
  folder = path.join(dir, "a pasta d'ele");
  apps = path.join(dir, 's/opt/svc-apps');
  mkdirSync(path.join(folder, 'backend'), { recursive: true });
  mkdirSync(path.join(folder, '.git'));
  writeFileSync(path.join(folder, 'svc-app.json'), '{');
  writeFileSync(path.join(folder, 'backend/main.py'), '1\n');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('a folder of links', () => {
  test('is an installed package to the launcher and to the controller, with the manifest that was given', async () => {
    await linkFolder(apps, folder, manifest);
    const place = { home: path.join(dir, 'home'), prefix: path.join(dir, 's') };
    const found = findPackage(place, 'ola');
    expect(found).toMatchObject({ scope: 'sistema', dir: path.join(apps, 'ola') });
    expect(entrypointOf(found!.dir, readManifest(found!.dir, 'ola'))).toBe(path.join(apps, 'ola/backend/main.py'));
    const [listed] = await createPackageFolders((_, error) => expect.fail(String(error))).list(apps, 'sistema');
    expect(listed).toMatchObject({ app: 'ola', version: '1.0.0', hash: await cachedPackageHash(found!.dir, null) });
    expect(listed?.delivered).toBe(listed?.hash);
  });

  test('has another hash with another manifest, and with nothing else', async () => {
    await linkFolder(apps, folder, manifest);
    const before = await cachedPackageHash(path.join(apps, 'ola'), null);
    writeFileSync(path.join(folder, 'backend/main.py'), '2\n');
    writeFileSync(path.join(folder, 'novo.py'), '');
    await followEntries(path.join(apps, 'ola'), folder);
    expect(await cachedPackageHash(path.join(apps, 'ola'), null)).toBe(before);
    expect(readFileSync(path.join(apps, 'ola/backend/main.py'), 'utf8')).toBe('2\n');
    await linkFolder(apps, folder, { ...manifest, version: '1.1.0' });
    expect(await cachedPackageHash(path.join(apps, 'ola'), null)).not.toBe(before);
  });

  test('follows what comes and goes at the top, and keeps what the app itself left there', async () => {
    await linkFolder(apps, folder, manifest);
    const target = path.join(apps, 'ola');
    mkdirSync(path.join(folder, 'frontend'));
    rmSync(path.join(folder, 'backend'), { recursive: true });
    writeFileSync(path.join(target, 'feito.txt'), '');
    await followEntries(target, folder);
    expect(readdirSync(target).sort()).toEqual(['feito.txt', 'frontend', 'svc-app.json']);
    expect(readlinkSync(path.join(target, 'frontend'))).toBe(path.join(folder, 'frontend'));
    expect(lstatSync(path.join(folder, 'frontend')).isDirectory()).toBe(true);
  });

  test('of an earlier id goes', async () => {
    await linkFolder(apps, folder, manifest);
    await linkFolder(apps, folder, { ...manifest, id: 'oi' });
    expect(readdirSync(apps)).toEqual(['oi']);
    expect(readFileSync(path.join(folder, 'backend/main.py'), 'utf8')).toBe('1\n');
  });

  test('lets installCommand work where the author’s files are', async () => {
    await linkFolder(apps, folder, { ...manifest, backend: { ...manifest.backend, installCommand: 'touch feito # ok' } });
    const { backend } = JSON.parse(readFileSync(path.join(apps, 'ola/svc-app.json'), 'utf8')) as Manifest;
    const { execFileSync } = await import('node:child_process');
    execFileSync('/bin/sh', ['-c', backend.installCommand!], { cwd: path.join(apps, 'ola') });
    expect(readdirSync(folder)).toContain('feito');
  });
});

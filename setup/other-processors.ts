/**
 * Before `npm run pack`: brings Node for the processors that npm left out here, by the version and the digest of package-lock.json. A
 * processor whose Node can't be had is reported; no package is made for it then.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version: string; readonly integrity: string }>>;
}

function bring(at: string, { version, integrity }: Lock['packages'][string]): void {
  const name = path.basename(at);
  // In the folder of packages: what is moved there has to be on the same disk.
  const work = mkdtempSync(path.join(root, 'node_modules/.bring-'));
  try {
    const argv = ['pack', `${name}@${version}`, '--silent', '--ignore-scripts', '--pack-destination', work];
    execFileSync('npm', argv, { cwd: work, stdio: ['ignore', 'ignore', 'inherit'] });
    const tarball = path.join(work, `${name}-${version}.tgz`);
    const digest = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
    if (digest !== integrity) throw new Error(`it is ${digest}, package-lock.json has ${integrity}`);
    execFileSync('tar', ['-xzf', tarball, '-C', work, 'package/bin/node', 'package/package.json']);
    renameSync(path.join(work, 'package'), path.join(root, at));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as Lock;
for (const [at, wanted] of Object.entries(packages)) {
  if (!/^node_modules\/node-linux-\w+$/.test(at) || existsSync(path.join(root, at))) continue;
  try {
    bring(at, wanted);
  } catch (error) {
    console.error(`setup: ${path.basename(at)} can't be had, so no package is made for it: ${(error as Error).message}`);
  }
}

/**
 * Extraction for root: in a process of an unused account, in a fresh 0700 folder that only it can enter; then the folder is closed to it and
 * everything in it is given to root, through descriptors. Accounts other than root extract directly.
 */
import { spawn, spawnSync } from 'node:child_process';
import { lchown, mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { pathState } from '../atomic-file.ts';
import { errorKinds, SvcError, type ErrorCode } from '../../schema/errors.ts';
import { extractArchive } from '../archive/extract.ts';
import { removeTree } from '../archive/folder-writer.ts';
import { engineArchive, packageArchive } from '../archive/rules.ts';
import { setModes } from './tree.ts';
import { unusedAccount } from './unused-account.ts';

/** `target` must not exist; the folder above it is ours. Rejects as extractArchive does; then nothing is left. */
export async function unpack(tarball: string, target: string, kind: 'package' | 'engine'): Promise<void> {
  const limits = kind === 'engine' ? engineArchive : packageArchive;
  if (process.getuid?.() !== 0) {
    await extractArchive(tarball, target, { limits, durable: true });
    await setModes(target, limits);
    return;
  }
  const cell = `${target}.cell`;
  removeTree(cell);
  await mkdir(cell, { mode: 0o700 });
  try {
    const account = await unusedAccount();
    await lchown(cell, account, account);
    await extractAs(account, tarball, cell, kind);
    await lchown(cell, 0, 0);
    await setModes(join(cell, 'package'), limits);
    await rename(join(cell, 'package'), target);
  } finally {
    removeTree(cell);
  }
}

function unpackProgram(): string {
  const bundled = join(import.meta.dirname, 'svc-app-unpack.mjs');
  return pathState(bundled).kind === 'present' ? bundled : join(import.meta.dirname, 'unpack-main.ts');
}

/** Whether the program that unpacks can be started, and is of this version. */
export function unpacksWithVersion(version: string): boolean {
  const { status, stdout } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', unpackProgram(), '--version'], {
    encoding: 'utf8',
  });
  return status === 0 && stdout === `${version}\n`;
}

async function extractAs(number: number, tarball: string, cell: string, kind: string): Promise<void> {
  const program = unpackProgram();
  const input = await open(tarball, 'r');
  try {
    const flags = ['--max-semi-space-size=1', '--disable-warning=ExperimentalWarning'];
    // The last pipe shows it our end, also when we are killed.
    const child = spawn('setpriv', ['--no-new-privs', process.execPath, ...flags, program, kind, String(number)], {
      cwd: cell,
      env: { LANG: 'C.UTF-8', PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
      stdio: [input.fd, 'pipe', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-16_384)));
    const ended = await new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('close', (code, signal) => resolve(code === 0 ? '' : (signal ?? `exit code ${code}`)));
    });
    if (ended !== '') throw refusalFrom(said, ended);
  } finally {
    await input.close();
  }
}

function refusalFrom(said: string, ended: string): SvcError {
  try {
    const { code, message, details } = JSON.parse(said) as { code: ErrorCode; message: string; details: Record<string, unknown> };
    if (Object.hasOwn(errorKinds, code)) return new SvcError(code, message, details);
  } catch {
    // It ended before it could report.
  }
  return new SvcError('INTERNAL', `the archive could not be extracted (${ended}): ${said.trim()}`);
}

/**
 * Extraction for root: in a process of `nobody`, in a fresh 0700 folder that only it can enter; then the folder is closed to it and
 * everything in it becomes root's, through descriptors. Whoever is not root extracts by themself. Source: issue 3, 5.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorKinds, SvcError, type ErrorCode } from '../../schema/errors.ts';
import { extractArchive } from '../archive/extract.ts';
import { engineArchive, packageArchive } from '../archive/rules.ts';
import { settleTree } from './tree.ts';

/** The overflow account of the kernel: it exists on every Linux, and owns nothing. */
const nobody = 65_534;

/** `target` must not exist; the folder above it is ours. Rejects as extractArchive does; then nothing is left. */
export async function unpack(tarball: string, target: string, kind: 'package' | 'engine'): Promise<void> {
  const limits = kind === 'engine' ? engineArchive : packageArchive;
  if (process.getuid?.() !== 0) {
    await extractArchive(tarball, target, { limits, durable: true });
    await settleTree(target, limits);
    return;
  }
  const cell = `${target}.cell`;
  await rm(cell, { recursive: true, force: true });
  await mkdir(cell, { mode: 0o700 });
  try {
    await chown(cell, nobody, nobody);
    await extractAsNobody(tarball, cell, kind);
    await chown(cell, 0, 0);
    await settleTree(join(cell, 'package'), limits);
    await rename(join(cell, 'package'), target);
  } finally {
    await rm(cell, { recursive: true, force: true });
  }
}

async function extractAsNobody(tarball: string, cell: string, kind: string): Promise<void> {
  const bundled = join(import.meta.dirname, 'svc-app-unpack.mjs');
  const program = existsSync(bundled) ? bundled : join(import.meta.dirname, 'unpack-main.ts');
  const input = await open(tarball, 'r');
  try {
    // It ends with us, also when we are killed: what went on writing would be in the way of the next run.
    const account = ['--pdeathsig', 'KILL', '--reuid', String(nobody), '--regid', String(nobody), '--clear-groups', '--no-new-privs'];
    const child = spawn(
      'setpriv',
      [...account, process.execPath, '--max-semi-space-size=1', '--disable-warning=ExperimentalWarning', program, kind],
      {
        cwd: cell,
        env: { LANG: 'C.UTF-8', PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
        stdio: [input.fd, 'pipe', 'pipe'],
      },
    );
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
    // It ended before it could tell.
  }
  return new SvcError('INTERNAL', `the archive could not be extracted (${ended}): ${said.trim()}`);
}

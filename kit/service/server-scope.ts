/**
 * The installer's part for apps of `escopo: servidor` (rules 2.1): account, unit and state come with the package and go with it. Idempotent: the
 * next run mends what an interrupted one left. The service manager is asked by argv, as root.
 */
import { execFile } from 'node:child_process';
import { lstatSync, mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { serverAppPaths } from '../../schema/server-paths.ts';
import { pathState, readIfThere, unlinkIfThere, writeFileAtomic } from '../atomic-file.ts';
import { closeFolder, giveTree } from './give.ts';
import { unitText } from './unit.ts';

const exec = promisify(execFile);

/** Rejects SCOPE_REFUSED where no account and no unit can be made. */
export function checkServerScope(manifest: Manifest, prefix: string): void {
  if (manifest.escopo !== 'servidor') return;
  const refuse = (why: string): never => {
    throw new SvcError('SCOPE_REFUSED', `${manifest.id} declares escopo servidor: ${why}`);
  };
  if (manifest.id.length > sharedLimits.serverScopeIdCharsMax)
    refuse(`its id has more than ${sharedLimits.serverScopeIdCharsMax} characters`);
  if (manifest.kind !== 'service') refuse('it has to declare kind service, too');
  if (prefix !== '' || process.getuid?.() !== 0) refuse('it needs an account and a unit of its own, so root on a real server');
  if (pathState('/run/systemd/system').kind === 'absent') refuse('its process is kept by systemd, which does not run here');
}

/** After the code is in place: the unit of a server-scope app runs it; any other app has none. */
export async function followServerScope(manifest: Manifest, binDir: string, restart: boolean): Promise<void> {
  if (manifest.escopo !== 'servidor') {
    if (isOurUnit(readIfThere(serverAppPaths(manifest.id).unitFile))) await leaveServerScope(manifest.id);
    return;
  }
  const { account, unit, unitFile, state } = serverAppPaths(manifest.id);
  const there = readIfThere(unitFile);
  if (there !== null && !isOurUnit(there))
    throw new SvcError('SCOPE_REFUSED', `${unitFile} is not svc's, and ${manifest.id} needs that name`);
  await ensureAccount(account, state);
  const text = unitText(manifest, stableBin(binDir));
  const isNew = there !== text;
  if (isNew) {
    writeFileAtomic(unitFile, text, { mode: 0o644, durable: true });
    await systemctl('daemon-reload');
  }
  await systemctl('--quiet', 'enable', unit);
  await systemctl('reset-failed', unit).catch(() => undefined);
  // Not waited for: whether it answers is the portal's to see, and a service that fails must not undo the installation.
  await systemctl('--no-block', isNew || restart ? 'restart' : 'start', unit);
}

/** Process, unit and account go. The data stays, and belongs to root until the app comes back. */
export async function leaveServerScope(app: string): Promise<void> {
  const { account, unit, unitFile, state, portalEnv } = serverAppPaths(app);
  if (isOurUnit(readIfThere(unitFile))) {
    await systemctl('--quiet', 'disable', '--now', unit);
    unlinkIfThere(unitFile);
    await systemctl('daemon-reload');
    await systemctl('reset-failed', unit).catch(() => undefined);
  }
  // The portal gives it again while the unit is there (credential.ts).
  unlinkIfThere(portalEnv);
  if (pathState('/run/systemd/system').kind === 'present' && (await ourAccount(account, state)) !== null) {
    if (lstatSync(state, { throwIfNoEntry: false })?.isDirectory() === true) closeFolder(state);
    await exec('userdel', [account]);
  }
}

/** A unit of that name that somebody wrote starts something else. */
function isOurUnit(text: string | null): boolean {
  return text !== null && /^ExecStart=\S+\/svc-app-serve /m.test(text);
}

/** The path in a kit that does not change with its version. */
function stableBin(binDir: string): string {
  const base = dirname(dirname(binDir));
  return basename(binDir) === 'bin' && lstatSync(join(base, 'bin'), { throwIfNoEntry: false })?.isSymbolicLink() === true
    ? join(base, 'bin')
    : binDir;
}

async function ensureAccount(account: string, state: string): Promise<void> {
  const { uid: taken, home } = (await entryOf(account)) ?? { uid: null, home: state };
  if (home !== state)
    throw new SvcError('SCOPE_REFUSED', `the account ${account} is not svc's (its home is ${home}), and the app needs that name`);
  if (taken === null) {
    await exec('useradd', ['--system', '--user-group', '--no-create-home', '--home-dir', state, '--shell', '/usr/sbin/nologin', account]);
  }
  mkdirSync(dirname(state), { recursive: true, mode: 0o755 });
  const uid = await ourAccount(account, state);
  if (uid === null) throw new SvcError('INTERNAL', `the account ${account} could not be made`);
  // Data of an earlier installation, whose account had another number.
  const found = lstatSync(state, { throwIfNoEntry: false });
  if (found?.isDirectory() === true && found.uid !== uid) giveTree(state, uid, await groupOf(uid));
}

/** Null where there is no such account, and where it is somebody's: ours has the state folder as its home. */
async function ourAccount(account: string, state: string): Promise<number | null> {
  const entry = await entryOf(account);
  return entry?.home === state ? entry.uid : null;
}

/** Null: there is none of that name, which getent says by ending with 2. */
export async function entryOf(account: string): Promise<{ readonly uid: number; readonly home: string } | null> {
  const answer = await exec('getent', ['passwd', account]).catch((error: Error & { readonly code?: unknown }) => {
    if (error.code === 2) return null;
    throw new SvcError('INTERNAL', `whether there is an account ${account} can't be told: ${error.message.split('\n')[0]}`);
  });
  const [, , uid = '', , , home = ''] = answer?.stdout.trim().split(':') ?? [];
  return /^[0-9]+$/.test(uid) ? { uid: Number(uid), home } : null;
}

/** useradd --user-group gives the group the number that is free: it is asked for. */
async function groupOf(uid: number): Promise<number> {
  const { stdout } = await exec('id', ['-g', String(uid)]);
  return Number(stdout.trim());
}

async function systemctl(...argv: readonly string[]): Promise<void> {
  try {
    await exec('systemctl', [...argv], { timeout: limits.serviceManagerMsMax });
  } catch (error) {
    const { stderr } = error as { readonly stderr?: string };
    throw new SvcError('INSTALL_COMMAND_FAILED', `systemctl ${argv.join(' ')}: ${stderr?.trim() || (error as Error).message}`);
  }
}

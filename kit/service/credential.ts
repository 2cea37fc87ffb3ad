/**
 * `svc-app-install --credential ID`, as root: the SVC_PORTAL_… of a server-scope app, in a file that its unit reads at each start. The file says
 * in its first line which run of the unit it was written during: a process has what is in it if its run is a later one.
 * Decision: docs/decisions/0203-server-scope-credential.md
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { SvcError } from '../../schema/errors.ts';
import type { CredentialState } from '../../schema/install-events.ts';
import { serverAppPaths } from '../../schema/server-paths.ts';
import { pathState, readIfThere, unlinkIfThere, writeFileAtomic } from '../atomic-file.ts';
import { limits } from '../limits.ts';
import { environmentLine } from './unit.ts';

const exec = promisify(execFile);

/** `look` changes nothing; `give` writes the variables of the next start (none: removes them); `restart` if it runs with others. */
export type CredentialOrder =
  | { readonly act: 'look' }
  | { readonly act: 'give'; readonly variables: ReadonlyMap<string, string> }
  | { readonly act: 'restart' };

/** Values as the portal makes them: nothing that a file of variables could read in another way. */
const variable = /^(?<name>SVC_PORTAL_(?:URL|TOKEN|SCOPES))=(?<value>[A-Za-z0-9._~:/?@,[\]-]{1,2048})$/;
const runPattern = /^[0-9a-f]{32}$/;

/** The first line is the act, the others are variables. Throws BAD_REQUEST. */
export function readOrder(text: string): CredentialOrder {
  const [act, ...lines] = text.split('\n').filter((line) => line !== '');
  if ((act === 'look' || act === 'restart') && lines.length === 0) return { act };
  if (act !== 'give') throw new SvcError('BAD_REQUEST', 'expected look, give or restart on standard input');
  const variables = lines.map((line): readonly [string, string] => {
    const { name, value } = variable.exec(line)?.groups ?? {};
    if (name === undefined || value === undefined)
      throw new SvcError('BAD_REQUEST', 'expected SVC_PORTAL_URL, _TOKEN and _SCOPES, one a line');
    return [name, value];
  });
  return { act, variables: new Map(variables) };
}

/** The service manager, and where the files are: tests have a service manager of their own. */
export interface ServiceManager {
  /** `ActiveState` and `InvocationID` of the unit. */
  show(unit: string): Promise<{ readonly state: string; readonly run: string }>;
  /** Restarts it if it is active. */
  tryRestart(unit: string): Promise<void>;
  /** Reads the files of units again. */
  reload(): Promise<void>;
}

export async function applyCredential(
  app: string,
  order: CredentialOrder,
  manager: ServiceManager = systemd,
  root = '',
): Promise<CredentialState> {
  const { unit, portalEnv } = serverAppPaths(app);
  const file = join(root, portalEnv);
  if (order.act === 'restart') await manager.tryRestart(unit);
  if (order.act === 'give') {
    await give(file, order.variables, async () => (await manager.show(unit)).run);
    await mendUnit(app, manager, root);
    // The app was removed meanwhile: nobody else would take the file away.
    if (readIfThere(join(root, serverAppPaths(app).unitFile)) === null) unlinkIfThere(file);
  }
  const { state, run } = await manager.show(unit);
  const text = readIfThere(file);
  const [, token = null] = /^SVC_PORTAL_TOKEN=(.+)$/m.exec(text ?? '') ?? [];
  return {
    token: token === null ? null : createHash('sha256').update(token).digest('hex'),
    unit: state === 'active' ? 'active' : state === 'inactive' || state === 'failed' ? 'stopped' : 'changing',
    taken: text !== null && writtenDuring(text) !== run,
  };
}

async function give(file: string, variables: ReadonlyMap<string, string>, runNow: () => Promise<string>): Promise<void> {
  if (variables.size === 0) return void unlinkIfThere(file);
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const lines = [...variables].map(([name, value]) => `${name}=${value}\n`).join('');
  // A start between the question and the rename may have read the file before: then it is written anew, for that run.
  for (let run: string | null = null, now = await runNow(); run !== now; now = await runNow()) {
    run = now;
    writeFileAtomic(file, `# ${run}\n${lines}`, { mode: 0o600, durable: true });
  }
}

/** The unit of an app that an older kit installed does not read the file. */
async function mendUnit(app: string, manager: ServiceManager, root: string): Promise<void> {
  const { unitFile, portalEnv } = serverAppPaths(app);
  const text = readIfThere(join(root, unitFile));
  const line = environmentLine(portalEnv);
  if (text === null || text.includes(`${line}\n`)) return;
  // Kits of before 0.2.5 had it in /etc/svc.
  const without = text.replace(/^EnvironmentFile=-\/etc\/svc\/portal\/.*\n/m, '');
  writeFileAtomic(join(root, unitFile), without.replace(/^ExecStart=/m, `${line}\nExecStart=`), { mode: 0o644, durable: true });
  await manager.reload();
}

function writtenDuring(text: string): string | null {
  return /^# ([0-9a-f]*)$/m.exec(text)?.[1] ?? null;
}

const systemd: ServiceManager = {
  show: async (unit) => {
    if (pathState('/run/systemd/system').kind !== 'present') throw new SvcError('SCOPE_REFUSED', 'systemd does not run here');
    const { stdout } = await systemctl('show', '--property=ActiveState,InvocationID', unit);
    const { ActiveState: state = '', InvocationID: run = '' } = Object.fromEntries(
      stdout.split('\n').flatMap((line) => (line.includes('=') ? [line.split('=', 2) as [string, string]] : [])),
    ) as Partial<Record<string, string>>;
    return { state, run: runPattern.test(run) ? run : '' };
  },
  tryRestart: async (unit) => {
    await systemctl('--no-block', 'try-restart', unit);
  },
  reload: async () => {
    await systemctl('daemon-reload');
  },
};

async function systemctl(...argv: readonly string[]): Promise<{ readonly stdout: string }> {
  try {
    return await exec('systemctl', [...argv], { timeout: limits.serviceManagerMsMax });
  } catch (error) {
    const { stderr } = error as { readonly stderr?: string };
    throw new SvcError('INTERNAL', `systemctl ${argv.join(' ')}: ${stderr?.trim() || (error as Error).message}`);
  }
}

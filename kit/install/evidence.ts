/**
 * Evidence that the installed version works: a living instance of exactly this code answers its health path through its own socket with a ready
 * code. Source: rules 3.2; decision: docs/decisions/0060-versions-side-by-side.md
 */
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { limits } from '../../schema/limits.ts';
import { probeVerdict } from '../../machines/probe-verdict.ts';
import { environOf, livingPids } from '../processes.ts';
import { instanceHome, type Instances } from './instances.ts';

interface Confirmation extends Instances {
  readonly healthPath: string;
}

export async function isConfirmed(wanted: Confirmation): Promise<boolean> {
  for (const pid of livingPids()) {
    const environ = environOf(pid);
    if (environ === null || instanceHome(environ, wanted) === null || environ.get('SVC_APP_INSTALLED_HASH') !== wanted.hash) continue;
    const owner = statSync(`/proc/${pid}`, { throwIfNoEntry: false });
    if (owner === undefined) continue;
    const code = await probe(owner, environ.get('SVC_APP_SOCKET') ?? '', environ.get('SVC_APP_TOKEN') ?? '', wanted.healthPath);
    if (probeVerdict(code).ready) return true;
  }
  return false;
}

const asking = `const { SOCKET: socketPath, TOKEN: token, AT: path } = process.env;
require('node:http').get({ socketPath, path, headers: { 'x-svc-app-token': token } }, (answer) => {
  process.stdout.write(String(answer.statusCode), () => process.exit());
}).once('error', () => process.exit());`;

/**
 * Asked as the owner of the process (rules 3.2): the account controls where the socket's name leads, and root could enter anywhere. 0 on a timeout.
 */
function probe({ uid, gid }: { readonly uid: number; readonly gid: number }, socket: string, token: string, path: string): Promise<number> {
  const child = spawn(process.execPath, ['-e', asking], {
    cwd: '/',
    env: { SOCKET: socket, TOKEN: token, AT: path },
    stdio: ['ignore', 'pipe', 'ignore'],
    ...(process.getuid?.() === 0 ? { uid, gid } : {}),
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const timer = setTimeout(() => child.kill('SIGKILL'), limits.probeTimeoutMs);
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      resolve(Number(said));
    };
    child.once('error', end).once('close', end);
  });
}

/**
 * Evidence that the installed version works: a living instance of exactly this code answers its health path through its own
 * socket with a ready code. Source: spec 3.2; decision: docs/decisions/0061-when-the-old-version-goes.md
 */
import http from 'node:http';
import { limits } from '../../schema/limits.ts';
import { environOf, livingPids } from '../processes.ts';
import { instanceHome, type Instances } from './instances.ts';

interface Confirmation extends Instances {
  readonly healthcheckPath: string;
}

export async function isConfirmed(wanted: Confirmation): Promise<boolean> {
  for (const pid of livingPids()) {
    const environ = environOf(pid);
    if (environ === null || instanceHome(environ, wanted) === null || environ.get('SVC_APP_INSTALLED_HASH') !== wanted.hash) continue;
    const code = await probe(environ.get('SVC_APP_SOCKET') ?? '', environ.get('SVC_APP_TOKEN') ?? '', wanted.healthcheckPath);
    if (isReady(code)) return true;
  }
  return false;
}

/** Source: the table of spec 3.2. */
function isReady(code: number): boolean {
  return code >= 200 && code < 500 && code !== 401 && code !== 403;
}

function probe(socketPath: string, token: string, path: string): Promise<number> {
  return new Promise((resolve) => {
    const asked = http.get({ socketPath, path, headers: { 'x-svc-app-token': token }, timeout: limits.probeTimeoutMs }, (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    asked.once('timeout', () => asked.destroy());
    asked.once('error', () => resolve(0));
  });
}

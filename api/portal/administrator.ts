/** Which administrator asks, for who reads later what was done: a person with the role, or the account at the other end of the control socket. */
import { readFileSync } from 'node:fs';
import type { FastifyRequest } from 'fastify';

/** undefined: nobody could say. */
export function administratorOf({ session, control, controlUid }: FastifyRequest): string | undefined {
  if (session !== null) return session.person;
  if (!control || controlUid === null) return undefined;
  const login = loginOf(controlUid);
  return login === null ? `uid ${controlUid}` : `${login} (uid ${controlUid})`;
}

/** Finds the login of an account of this machine. */
export function loginOf(uid: number): string | null {
  try {
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((each) => each.split(':')[2] === String(uid));
    return line?.split(':')[0] ?? null;
  } catch {
    return null;
  }
}

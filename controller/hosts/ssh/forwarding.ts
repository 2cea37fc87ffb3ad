/**
 * Whether sshd forwards to unix sockets of an account; without that no supervisor and no app there can be reached. sshd answers a forbidden
 * forward as it answers a socket that nothing listens on (OpenSSH 9.2), so the check listens on a socket of its own.
 */
import { limits } from '../../limits.ts';
import { refusedBySshd, type SshConnection } from './connection.ts';

/** For the kit's Node, over standard input: listens on a new socket, prints its path, and ends after the first connection or 10 s. */
const offer = `
const fs = require('node:fs');
const dir = fs.mkdtempSync(require('node:path').join(require('node:os').tmpdir(), 'svc-forward-'));
const end = () => {
  fs.rmSync(dir, { recursive: true, force: true });
  process.exit(0);
};
const server = require('node:net').createServer((visit) => visit.on('error', end).on('close', end).resume());
server.listen(dir + '/s', () => console.log(dir + '/s'));
setTimeout(end, 10000);
`;

/** null where it could not be tried. `node` is the runtime on the server. */
export async function forwardsSockets(connection: SshConnection, node: string): Promise<boolean | null> {
  const leave = new AbortController();
  const { promise: offered, resolve, reject } = Promise.withResolvers<string>();
  let ended = false;
  connection
    .run({ argv: ['env', '-i', node, '-'], stdin: textOf(offer), onLine: resolve, signal: leave.signal, msMax: limits.serverProbeMsMax })
    .then(() => reject(new Error('it ended')), reject)
    .finally(() => {
      ended = true;
    });
  try {
    (await connection.dial(await offered)).destroy();
    return true;
  } catch (error) {
    return !ended && refusedBySshd(error) ? false : null;
  } finally {
    leave.abort();
  }
}

/** The message for callers that wait for a socket behind this server. */
export function noForwarding(server: string, account: string): string {
  return `sshd on ${server} forwards no sockets for ${account}: AllowStreamLocalForwarding has to be yes (and AllowTcpForwarding not no, DisableForwarding no); svc doctor --server ${server} has the line`;
}

async function* textOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

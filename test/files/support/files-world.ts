/** A portal whose people have the files of accounts of a real sshd, each of their own; ana is the first of them, bia the second. */
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import { createPortalWorld, type Browser, type PortalWorld } from '../../../api/testing/portal-world.ts';
import { systemClock } from '../../../controller/clock/system.ts';
import type { FileSystem } from '../../../controller/files/file-system.ts';
import { createListings } from '../../../controller/files/listing.ts';
import { createFileService } from '../../../controller/files/service.ts';
import { createConnections } from '../../../controller/hosts/ssh/connections.ts';
import { filesOver } from '../../../controller/hosts/ssh/host.ts';
import { SvcError } from '../../../schema/errors.ts';
import type { RemoteShell } from '../../../schema/terminals.ts';
import { startSshd, type SshdOptions, type TestAccount, type TestSshd } from '../../support/sshd.ts';

export interface FilesWorld {
  readonly sshd: TestSshd;
  readonly portal: PortalWorld;
  readonly accounts: readonly TestAccount[];
  /** Files of the account by its number. */
  fs(n: number): FileSystem;
  /** A shell of the account, begun in a folder. */
  terminalOf(account: string, folder: Uint8Array): Promise<RemoteShell>;
  stop(): Promise<void>;
}

export const people = ['ana', 'bia'] as const;

export async function createFilesWorld(options: SshdOptions = {}): Promise<FilesWorld> {
  const sshd = await startSshd({ accounts: 3, config: ['Subsystem sftp internal-sftp'], ...options });
  const privateKey = await readFile(sshd.keyFile);
  const connections = createConnections({
    target: { host: '127.0.0.1', port: sshd.port, hostKey: sshd.hostKey },
    admin: 'root',
    credential: async () => ({ kind: 'key', privateKey }),
    clock: systemClock,
  });
  const systems = sshd.accounts.map(({ name }) => filesOver(connections.of(name), systemClock));
  const listings = createListings(systemClock);
  const services = sshd.accounts.map(({ name, home }, n) =>
    createFileService({ fs: systems[n] as FileSystem, person: name, account: name, home: Buffer.from(home), listings, clock: systemClock }),
  );
  const portal = await createPortalWorld({ clock: systemClock });
  portal.world.filesOf = async (usuario) => {
    const service = services[people.indexOf(usuario as (typeof people)[number])];
    if (service === undefined) throw new SvcError('NO_OWN_ACCOUNT', 'nobody here has such files');
    return service;
  };
  return {
    sshd,
    portal,
    accounts: sshd.accounts,
    fs: (n) => systems[n] as FileSystem,
    terminalOf: (account, folder) => connections.terminals(account).shell({ columns: 200, rows: 50 }, folder),
    stop: async () => {
      await portal.close();
      for (const one of systems) await one.close();
      connections.close();
      await sshd.stop();
    },
  };
}

export const query = (path: string, more: Readonly<Record<string, string>> = {}): string =>
  new URLSearchParams({ caminho: path, ...more }).toString();

export interface Bytes {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** As the shell's page sends or reads bytes. */
export async function bytesBy(
  world: { readonly portal: Pick<PortalWorld, 'host' | 'port' | 'url'> },
  browser: Browser,
  method: string,
  path: string,
  {
    headers = {},
    body,
  }: { readonly headers?: Readonly<Record<string, string>>; readonly body?: Uint8Array | AsyncIterable<Uint8Array> } = {},
): Promise<Bytes> {
  const { host, port, url } = world.portal;
  const { promise, resolve, reject } = Promise.withResolvers<Bytes>();
  const cookie = browser.cookies.get(host) ?? '';
  const type = body === undefined ? {} : { 'content-type': 'application/octet-stream' };
  const all = { host, cookie, origin: url, 'sec-fetch-site': 'same-origin', ...type, ...headers };
  const req = http.request({ host: '127.0.0.1', port, method, path, headers: all, agent: false }, (res) => {
    const chunks: Buffer[] = [];
    res.on('data', (chunk: Buffer) => chunks.push(chunk));
    res.on('error', reject);
    res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body: Buffer.concat(chunks) }));
  });
  req.on('error', reject);
  // A caller that still writes does not await the answer yet.
  promise.catch(() => undefined);
  if (body === undefined || body instanceof Uint8Array) req.end(body);
  else {
    for await (const chunk of body)
      if (!req.write(chunk)) await Promise.race([new Promise((drained) => req.once('drain', drained)), promise]);
    req.end();
  }
  return await promise;
}

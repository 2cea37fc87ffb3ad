/** The desired-state folder of `svc dev`: a portal, this machine, and the people to play. */
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { stringify } from 'yaml';
import { writeFileAtomic } from '../../kit/atomic-file.ts';

/** The name of the server, and of its folder below the state folder: short, since sockets are below it. */
export const localServer = 's';

interface Document {
  readonly kind: string;
  readonly name: string;
  readonly spec: unknown;
}

const text = (documents: readonly Document[]): string =>
  documents.map(({ kind, name, spec }) => stringify({ apiVersion: 'svc/v1', kind, metadata: { name }, spec })).join('---\n');

/** What does not change while it runs. */
export async function writeDesired(folder: string, people: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const documents = [
    { kind: 'Portal', name: 'dev', spec: { repository: '../repository', fila: { clusters: ['dev'] } } },
    { kind: 'Server', name: localServer, spec: { local: { prefix: localServer, trusted: true } } },
    { kind: 'Cluster', name: 'dev', spec: { scheduler: { local: {} }, emVoo: 2 } },
    ...people.map((name) => ({
      kind: 'Person',
      name,
      spec: { nome: `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`, login: name, server: localServer, grupos: ['dev'] },
    })),
  ];
  writeFileAtomic(path.join(folder, 'dev.yaml'), text(documents), { mode: 0o600 });
}

/** The version that is to be installed; the portal watches the folder. */
export function writePackage(folder: string, app: string, version: string, server: string): void {
  const documents = [{ kind: 'Package', name: `dev-${app}`, spec: { app, versao: version, server } }];
  writeFileAtomic(path.join(folder, 'package.yaml'), text(documents), { mode: 0o600 });
}

/** host:port that the last run had. */
export async function lastAddress(state: string): Promise<string | null> {
  const found = await readFile(path.join(state, 'address'), 'utf8').catch(() => '');
  return /^127\.0\.0\.1:\d{1,5}$/.test(found) ? found : null;
}

export function keepAddress(state: string, address: string): void {
  writeFileAtomic(path.join(state, 'address'), address, { mode: 0o600 });
}

/** The desired-state folder of `svc dev`: a portal, this machine, and the people to play. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { stringify } from 'yaml';
import { readFolder } from '../../controller/desired/read-folder.ts';
import { SvcError } from '../../schema/errors.ts';
import { readPlainFile } from '../../schema/plain-file.ts';
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

/** Writes the documents that do not change while it runs. */
export async function writeDesired(folder: string, people: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const documents = [
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

interface Installed {
  readonly app: string;
  readonly version: string;
  /** Where that version is: a folder of its own, since a portal keeps the catalogue of a place for some seconds. */
  readonly repository: string;
}

/** The portal, and the version that is to be installed; null: a folder of links is. The portal watches the folder. */
export function writePortal(folder: string, server: string, installed: Installed | null): void {
  // The queue is this machine's: on a server its own portal has it.
  const queue = server === localServer ? { fila: { clusters: ['dev'] } } : {};
  const portal = { kind: 'Portal', name: 'dev', spec: { ...queue, ...(installed === null ? {} : { repository: installed.repository }) } };
  const packages =
    installed === null
      ? []
      : [{ kind: 'Package', name: packageName(installed.app), spec: { app: installed.app, versao: installed.version, server } }];
  writeFileAtomic(path.join(folder, 'portal.yaml'), text([portal, ...packages]), { mode: 0o600 });
}

export const packageName = (app: string): string => `dev-${app}`;

/** A server of another folder and its people, for `--server`. Rejects DESIRED_INVALID, and BAD_REQUEST for a name that is not there. */
export async function writeServerDesired(
  folder: string,
  { name, desired }: ServerOfFolder,
  people: readonly string[],
): Promise<readonly string[]> {
  const answer = await readFolder(desired);
  if (!answer.ok) throw new SvcError('DESIRED_INVALID', `the folder ${desired} has errors:\n${answer.errors.join('\n')}`);
  const all = answer.state.documents.map(({ document }) => document);
  const server = all.find((document) => document.kind === 'Server' && document.metadata.name === name);
  if (server === undefined) throw new SvcError('BAD_REQUEST', `${desired} has no Server document ${name}`);
  const there = all.filter((document) => document.kind === 'Person').filter(({ spec }) => spec.server === name);
  const chosen = people.length === 0 ? there.slice(0, 1) : there.filter(({ metadata }) => people.includes(metadata.name));
  const missing = people.find((person) => !there.some(({ metadata }) => metadata.name === person));
  if (missing !== undefined) throw new SvcError('BAD_REQUEST', `${desired} has no Person document ${missing} of the server ${name}`);
  if (chosen.length === 0) throw new SvcError('BAD_REQUEST', `${desired} has no Person document of the server ${name}`);
  const documents = [server, ...chosen].map(({ kind, metadata, spec }) => ({ kind, name: metadata.name, spec }));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  writeFileAtomic(path.join(folder, 'dev.yaml'), text(documents), { mode: 0o600 });
  return people.length === 0 ? chosen.map(({ metadata }) => metadata.name) : people;
}

interface ServerOfFolder {
  readonly name: string;
  readonly desired: string;
}

/** host:port that the last run had. */
export async function lastAddress(state: string): Promise<string | null> {
  const found = String(await readPlainFile(path.join(state, 'address')).catch(() => ''));
  return /^127\.0\.0\.1:\d{1,5}$/.test(found) ? found : null;
}

export function keepAddress(state: string, address: string): void {
  writeFileAtomic(path.join(state, 'address'), address, { mode: 0o600 });
}

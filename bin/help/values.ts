/**
 * Candidates for a command's value, by the value's name in the program (`<person/app>`): words of a running portal, files,
 * folders, or nothing that could be guessed. Words come from the portal over its control socket; whoever asks ends the wait.
 */
import { auditActions } from '../../schema/audit.ts';
import { objectKinds, readKey } from '../../schema/keys.ts';
import type { ObjectView } from '../../schema/wire/http.ts';
import type { Client } from '../client.ts';
import { kindsInPlural } from '../keys.ts';

export interface Word {
  readonly text: string;
  /** Shown beside it in shells that show anything. */
  readonly about: string;
}

export interface Asked {
  readonly portal: Client;
  /** As far as it is typed. */
  readonly typed: string;
  /** Words before it, in their order, without options. */
  readonly before: readonly string[];
}

type Source = 'files' | 'folders' | 'nothing' | ((asked: Asked) => Promise<readonly Word[]>);

/** By the start of a key, as the portal takes it: one page of them, the first in the order of their names. */
async function objects(portal: Client, kind: string, typed: string): Promise<readonly ObjectView[]> {
  return await portal.call('GET /api/admin/objects', { query: { prefix: `${kind}/${typed}` } });
}

const namesOf =
  (kind: (typeof objectKinds)[number]): Exclude<Source, string> =>
  async ({ portal, typed }) =>
    (await objects(portal, kind, typed)).map(({ key, state, reason }) => ({
      text: key.slice(kind.length + 1),
      about: state === '' ? reason : state,
    }));

const backends = namesOf('Backend');

/** `ana/notas`, and the objects of a kind once its name is there. */
async function objectKeys(asked: Asked): Promise<readonly Word[]> {
  const { kind, name } = readKey(asked.typed);
  const known = objectKinds.find((each) => each === kind);
  if (known !== undefined) {
    const found = await namesOf(known)({ ...asked, typed: name });
    return found.map(({ text, about }) => ({ text: `${known}/${text}`, about }));
  }
  return [...objectKinds.map((each) => ({ text: `${each}/`, about: '' })), ...(await backends(asked))];
}

async function anything(asked: Asked): Promise<readonly Word[]> {
  if (asked.typed.includes('/')) return await objectKeys(asked);
  const kinds = kindsInPlural.map((text) => ({ text, about: '' }));
  return [...kinds, ...(await Promise.all([namesOf('Person')(asked), backends(asked)])).flat()];
}

async function secrets({ portal, before }: Asked): Promise<readonly Word[]> {
  const [person = '', app = ''] = (before.at(-1) ?? '').split('/');
  const view = await portal.call('GET /api/admin/backends/:person/:app/segredos', { params: { person, app } });
  return view.secrets.map(({ name, description }) => ({ text: name, about: description }));
}

async function jobs({ portal }: Asked): Promise<readonly Word[]> {
  const { trabalhos } = await portal.call('GET /api/admin/fila');
  return trabalhos.map(({ id, usuario, app, estado, nome }) => ({ text: id, about: `${usuario}/${app} ${estado} ${nome}` }));
}

async function sessions({ portal, before }: Asked): Promise<readonly Word[]> {
  const { sessions } = await portal.call('GET /api/admin/sessions', { query: { person: before.at(-1) } });
  return sessions.map(({ id, address, agent }) => ({ text: id, about: `${address} ${agent}` }));
}

export const sources: Readonly<Record<string, Source>> = {
  dir: 'folders',
  dest: 'folders',
  src: 'folders',
  snapshot: 'nothing',
  room: 'nothing',
  'dir|url': 'folders',
  file: 'files',
  'host:port': 'nothing',
  count: 'nothing',
  lines: 'nothing',
  hours: 'nothing',
  version: 'nothing',
  word: 'nothing',
  names: 'nothing',
  url: 'nothing',
  path: 'nothing',
  address: 'nothing',
  account: 'nothing',
  group: 'nothing',
  id: 'nothing',
  way: 'nothing',
  'name=host': 'nothing',
  'name=key': 'nothing',
  name: 'nothing',
  text: 'nothing',
  // Completed from the program itself: complete.ts.
  command: 'nothing',
  app: namesOf('Package'),
  'kind|key|name': anything,
  key: objectKeys,
  person: namesOf('Person'),
  'person/app': backends,
  package: namesOf('Package'),
  secret: secrets,
  job: jobs,
  cluster: namesOf('Cluster'),
  server: namesOf('Server'),
  session: sessions,
  action: async () => auditActions.map((text) => ({ text, about: '' })),
  prefix: objectKeys,
  time: 'nothing',
  duration: 'nothing',
};

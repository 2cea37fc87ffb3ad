/** A state folder as a portal leaves it, made without one: a room with a document and an attachment, a key, a secret that a document names. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import * as Y from 'yjs';
import { rememberDesired } from '../../bin/up/remembered-desired.ts';
import { openMarkedRoomLog } from '../../store/room-log-mark.ts';
import { framed } from '../../store/room-log-contract.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { markAttachments } from '../../store/attachments-mark.ts';

export const roomOf = (n: number): string => `s${`${n}`.padStart(21, '0')}`;

export interface SmallState {
  readonly state: string;
  readonly desired: string;
}

export async function writeSmallState(folder: string): Promise<SmallState> {
  const [state, desired] = [join(folder, 'state'), join(folder, 'desired')];
  await mkdir(desired, { recursive: true });
  await writeFile(
    join(desired, 'casa.yaml'),
    [
      'kind: Portal\nmetadata: { name: casa }\nspec: { signIn: { oidc: { issuer: "https://id.example", clientId: c, clientSecret: { file: secrets/oidc } } } }',
      'kind: Server\nmetadata: { name: casa }\nspec: { local: { prefix: "casa", trusted: true } }',
      'kind: Person\nmetadata: { name: ana }\nspec: { nome: Ana, login: ana, server: casa }',
    ]
      .map((text) => `apiVersion: svc/v1\n${text}\n`)
      .join('---\n'),
  );
  await addRoom(state, 1);
  for (const [name, text] of [
    ['ssh/id_ed25519', 'a key'],
    ['secrets/oidc', 'hush'],
    ['casa/home/ana/own.txt', 'of the server'],
  ] as const) {
    await mkdir(join(state, name, '..'), { recursive: true });
    await writeFile(join(state, name), text, { mode: 0o600 });
  }
  rememberDesired(state, desired);
  return { state, desired };
}

/** With a document and an attachment; nobody else has the state folder. */
export async function addRoom(state: string, n: number): Promise<string> {
  await mkdir(state, { recursive: true, mode: 0o700 });
  const store = await openSqliteStore(join(state, 'svc.db'));
  const rooms = await openMarkedRoomLog({ file: join(state, 'rooms.db'), acceptLossFile: join(state, 'none'), store, nowMs: 1 });
  const id = roomOf(n);
  await store.rooms.createRoom({ id, app: 'caderno', nome: `Sala ${n}`, dona: 'ana', createdAtMs: n, changedAtMs: n, declaredName: null });
  const doc = new Y.Doc();
  doc.getText('text').insert(0, `of room ${n}`);
  await rooms.log.append([{ sala: id, canal: 'documento', seq: 1, frames: framed([Y.encodeStateAsUpdate(doc)]) }]);
  await markAttachments(join(state, 'anexos'), store);
  const text = `attached to ${n}`;
  const sha = createHash('sha256').update(text).digest('hex');
  await mkdir(join(state, 'anexos', id), { recursive: true });
  await writeFile(join(state, 'anexos', id, sha), text);
  await store.rooms.putAttachment({ sala: id, sha, bytes: text.length, tipo: 'text/plain', atMs: n }, 1_000_000);
  await rooms.log.close();
  await store.close();
  return sha;
}

/** Content by path, without what is there while a process runs. */
export async function contentOf(folder: string): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const name = relative(folder, join(entry.parentPath, entry.name));
    if (!entry.isFile() || /^(?:lock|pid|backup\.lock|restore\.tmp|before-restore-.*)(?:\/|$)|-(?:wal|shm)$/.test(name)) continue;
    found[name] = createHash('sha256')
      .update(await readFile(join(folder, name)))
      .digest('hex');
  }
  return found;
}

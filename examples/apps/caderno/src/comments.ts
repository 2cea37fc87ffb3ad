/**
 * Comments as they stand in the second channel: `comentarios`, a map of threads by id. A thread hangs on a passage of the text by relative
 * positions, so that it moves with what is written around it. A message's id is the anchor of its notice (rules 6, rule 3).
 *   comentarios: { <id>: { inicio, fim, trecho, resolvido, mensagens: [{ id, usuario, nome, em, texto }] } }
 */
import * as Y from 'yjs';

export interface Message {
  readonly id: string;
  readonly usuario: string;
  readonly nome: string;
  readonly em: number;
  readonly texto: string;
}
/** `from` null: the passage was deleted. */
export interface Thread {
  readonly id: string;
  readonly trecho: string;
  readonly resolvido: boolean;
  readonly from: number | null;
  readonly to: number | null;
  readonly messages: readonly Message[];
}

const excerptMax = 80;
type Stored = Y.Map<unknown>;

/** Letters and digits, 22 of them. */
export const newAnchor = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(22)), (byte) => 'abcdefghijklmnopqrstuvwxyz0123456789'[byte % 36]).join('');

const threadsOf = (comments: Y.Doc): Y.Map<Stored> => comments.getMap<Stored>('comentarios');

/** A passage of the text as it moves along with what is written around it. */
export interface Passage {
  readonly inicio: unknown;
  readonly fim: unknown;
  readonly trecho: string;
}

export function passageOf(text: Y.Text, { from, to }: { readonly from: number; readonly to: number }): Passage {
  // The start keeps to what comes after it, the end to what comes before: writing at either edge stays outside.
  const at = (index: number, assoc: number): unknown => Y.relativePositionToJSON(Y.createRelativePositionFromTypeIndex(text, index, assoc));
  return { inicio: at(from, 0), fim: at(to, -1), trecho: text.toJSON().slice(from, to).slice(0, excerptMax) };
}

export function addThread(comments: Y.Doc, passage: Passage, message: Message): void {
  const thread: Stored = new Y.Map();
  const messages = new Y.Array<Message>();
  messages.push([message]);
  comments.transact(() => {
    for (const [name, value] of Object.entries({ ...passage, resolvido: false, mensagens: messages })) thread.set(name, value);
    threadsOf(comments).set(message.id, thread);
  });
}

export function reply(comments: Y.Doc, thread: string, message: Message): void {
  const messages = threadsOf(comments).get(thread)?.get('mensagens');
  if (messages instanceof Y.Array) messages.push([message]);
}

export const setResolved = (comments: Y.Doc, thread: string, resolved: boolean): void =>
  void threadsOf(comments).get(thread)?.set('resolvido', resolved);

/** In the order of the text. Malformed threads of other clients are left out: they are input from outside. */
export function readThreads(comments: Y.Doc, text: Y.Text): readonly Thread[] {
  const threads = [...threadsOf(comments)].flatMap(([id, stored]) => {
    const thread = stored instanceof Y.Map ? readThread(id, stored, text) : null;
    return thread === null ? [] : [thread];
  });
  return threads.toSorted((a, b) => (a.from ?? Infinity) - (b.from ?? Infinity) || a.id.localeCompare(b.id));
}

function readThread(id: string, stored: Stored, text: Y.Text): Thread | null {
  const list = stored.get('mensagens');
  const messages = list instanceof Y.Array ? (list.toArray() as readonly unknown[]).filter(isMessage) : [];
  if (messages.length === 0) return null;
  const [from, to] = [indexOf(stored.get('inicio'), text), indexOf(stored.get('fim'), text)];
  const lives = from !== null && to !== null && from < to;
  const trecho = stored.get('trecho');
  return {
    id,
    messages,
    trecho: typeof trecho === 'string' ? trecho : '',
    resolvido: stored.get('resolvido') === true,
    from: lives ? from : null,
    to: lives ? to : null,
  };
}

function indexOf(stored: unknown, text: Y.Text): number | null {
  if (typeof stored !== 'object' || stored === null || text.doc === null) return null;
  try {
    const place = Y.createAbsolutePositionFromRelativePosition(Y.createRelativePositionFromJSON(stored), text.doc);
    return place?.type === text ? place.index : null;
  } catch {
    return null;
  }
}

function isMessage(value: unknown): value is Message {
  if (typeof value !== 'object' || value === null) return false;
  const { id, usuario, nome, em, texto } = value as Record<string, unknown>;
  return [id, usuario, nome, texto].every((field) => typeof field === 'string') && typeof em === 'number';
}

/** The thread that holds this message. */
export const threadWith = (threads: readonly Thread[], anchor: string): Thread | undefined =>
  threads.find(({ messages }) => messages.some(({ id }) => id === anchor));

export const observeThreads = (comments: Y.Doc, changed: () => void): void => threadsOf(comments).observeDeep(changed);

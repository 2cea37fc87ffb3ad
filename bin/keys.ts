/** How people name objects on the command line, and the keys of the store they stand for. */
import { SvcError } from '../schema/errors.ts';

const kinds = ['Backend', 'Supervisor', 'Server', 'Person', 'Package', 'Engine', 'Service', 'Portal', 'Grant'] as const;

/** `ana/notas` is Backend/ana/notas; `backend/ana/notas` and `Backend/ana/notas` are the same; `casa` alone is refused. */
export function keyOf(text: string): string {
  const parts = text.split('/');
  const [first = '', ...rest] = parts;
  const kind = kindOf(first);
  if (kind !== null && rest.length > 0 && rest.every((part) => part !== '')) return [kind, ...rest].join('/');
  if (parts.length === 2 && parts.every((part) => part !== '')) return `Backend/${text}`;
  throw new SvcError(
    'BAD_REQUEST',
    `"${text}" names no object: expected PERSON/APP, for example ana/notas, or KIND/NAME, for example Server/casa`,
  );
}

/** A kind (`backends`), a key (`Server/casa`, `ana/notas`) or nothing, as the prefix of keys. */
export function prefixOf(text: string | undefined): string {
  if (text === undefined) return '';
  const kind = kindOf(text);
  return kind === null ? keyOf(text) : `${kind}/`;
}

/**
 * What `svc events` takes: a kind (`Package`), a key or the start of one (`Backend/ana`), a backend (`ana/notas`), or a name, which stands
 * for the objects of every kind that have it and for all that is below them. A key is meant when it is one of these or begins with one and '/'.
 */
export function eventKeysOf(text: string): readonly string[] {
  const parts = text.replace(/\/$/, '').split('/');
  const [first = '', ...rest] = parts;
  const kind = kindOf(first);
  if (kind !== null && rest.every((part) => part !== '')) return [[kind, ...rest].join('/')];
  if (parts.length === 1 && first !== '') return kinds.map((each) => `${each}/${first}`);
  return [keyOf(text)];
}

export function backendOf(text: string): { person: string; app: string } {
  const [, person = '', app = '', ...more] = keyOf(text).split('/');
  if (!keyOf(text).startsWith('Backend/') || app === '' || more.length > 0) {
    throw new SvcError('BAD_REQUEST', `"${text}" is no backend: expected PERSON/APP, for example ana/notas`);
  }
  return { person, app };
}

/** What `svc rollback` takes: the name of a document, or `ana/notas` for what a person asked for. */
export function packageOf(text: string): string {
  const parts = text.split('/');
  const rest = kindOf(parts[0] ?? '') === 'Package' && parts.length > 1 ? parts.slice(1) : parts;
  if (rest.length <= 2 && rest.every((part) => part !== '')) return ['Package', ...rest].join('/');
  throw new SvcError(
    'BAD_REQUEST',
    `"${text}" is no package: expected the name of a Package document, or PERSON/APP, for example ana/notas`,
  );
}

/** Any case, singular or plural. */
function kindOf(word: string): string | null {
  const wanted = word.toLowerCase();
  const plurals: Readonly<Record<string, string>> = { people: 'Person', persons: 'Person' };
  return plurals[wanted] ?? kinds.find((kind) => [kind.toLowerCase(), `${kind.toLowerCase()}s`].includes(wanted)) ?? null;
}

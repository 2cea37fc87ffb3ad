/** How people name objects on the command line, and the keys of the store they stand for. */
import { SvcError } from '../schema/errors.ts';
import { keys, makeKey, objectKinds, readKey } from '../schema/keys.ts';

/** `ana/notas` is Backend/ana/notas; `backend/ana/notas` and `Backend/ana/notas` are the same; `casa` alone is refused. */
export function keyOf(text: string): string {
  const { kind: first, parts } = readKey(text);
  const kind = kindNamed(first);
  const isWhole = parts.every((part) => part !== '');
  if (kind !== null && isWhole) return makeKey(kind, ...parts);
  if (first !== '' && isWhole && parts.length === 1) return keys.backend(first, parts[0]);
  throw new SvcError(
    'BAD_REQUEST',
    `"${text}" names no object: expected PERSON/APP, for example ana/notas, or KIND/NAME, for example Server/casa`,
  );
}

/**
 * Arguments of `svc events`: a kind (`Package`), a key or the start of one (`Backend/ana`), a backend (`ana/notas`), or a name, which
 * selects the objects of every kind with that name and all below them. A key matches when it is one of these or begins with one and '/'.
 */
export function eventKeysOf(text: string): readonly string[] {
  const word = text.replace(/\/$/, '');
  if (word === '' || word.includes('/')) return [keyOf(word)];
  const kind = kindNamed(word);
  return kind === null ? objectKinds.map((each) => makeKey(each, word)) : [kind];
}

/**
 * Keys for the arguments of `svc get`: nothing, a kind, a key, a name (of a person: what they have, of every kind), or a kind and a name
 * (`backends ana`). Starts of keys without a slash at the end; '' is all.
 */
export function objectKeysOf(what: string | undefined, name: string | undefined): readonly string[] {
  if (what === undefined) return [''];
  if (name === undefined) return eventKeysOf(what);
  const kind = kindNamed(what);
  if (kind === null || name === '')
    throw new SvcError('BAD_REQUEST', `"${what} ${name}" names nothing: expected KIND NAME, for example backends ana`);
  return [makeKey(kind, name)];
}

export function backendOf(text: string): { person: string; app: string } {
  const { kind, parts } = readKey(keyOf(text));
  const [person, app = '', ...more] = parts;
  if (kind !== 'Backend' || app === '' || more.length > 0) {
    throw new SvcError('BAD_REQUEST', `"${text}" is no backend: expected PERSON/APP, for example ana/notas`);
  }
  return { person, app };
}

/** Key for the argument of `svc rollback`: the name of a document, or `ana/notas` for what a person asked for. */
export function packageOf(text: string): string {
  const { kind, name } = readKey(text);
  const wanted = name !== '' && kindNamed(kind) === 'Package' ? name : text;
  const parts = wanted.split('/');
  if (parts.length <= 2 && parts.every((part) => part !== '')) return keys.package(wanted);
  throw new SvcError(
    'BAD_REQUEST',
    `"${text}" is no package: expected the name of a Package document, or PERSON/APP, for example ana/notas`,
  );
}

/** `people` are those of the kind Person; documents of the kind People are asked for by that very word. */
const ownPlurals: Readonly<Record<string, string>> = { Person: 'people', People: 'People' };

/** As `svc get` takes them, in lower case. */
export const kindsInPlural: readonly string[] = objectKinds.map((kind) => ownPlurals[kind] ?? `${kind.toLowerCase()}s`);

/** Any case, singular or plural. */
function kindNamed(word: string): string | null {
  if (word === 'People') return word;
  const wanted = word.toLowerCase();
  const at = kindsInPlural.indexOf(wanted);
  return objectKinds[at] ?? objectKinds.find((kind) => [kind.toLowerCase(), `${kind.toLowerCase()}s`].includes(wanted)) ?? null;
}

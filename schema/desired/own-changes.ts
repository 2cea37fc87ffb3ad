/** Changes that the desktop makes in the one file of the folder that is its own: pure, from text to text. Decision: docs/decisions/0345-the-desktop-writes-one-file.md */
import { limits } from '../limits.ts';
import { SvcError } from '../errors.ts';
import { addDocument, findDocument, openDocuments, setInDocument, takeDocument, textOf, unsetInDocument } from './document-file.ts';

/** In the folder of desired state; every other file is somebody else's. */
export const ownFileName = 'administracao.yaml';

interface PersonFields {
  readonly nome: string;
  readonly login: string;
  readonly server: string;
  readonly account?: string | undefined;
  readonly grupos?: readonly string[] | undefined;
}

interface PackageFields {
  readonly app: string;
  readonly versao: string;
  readonly servers: 'all' | readonly string[];
  readonly grupos?: readonly string[] | undefined;
}

/** `put` makes the document, or changes these fields of it and no other. */
export type OwnChange =
  | { readonly act: 'put'; readonly kind: 'Person'; readonly name: string; readonly spec: PersonFields }
  | { readonly act: 'put'; readonly kind: 'Package'; readonly name: string; readonly spec: PackageFields }
  | { readonly act: 'remove'; readonly kind: 'Person' | 'Package'; readonly name: string };

/** Rejects NOT_FOUND for the removal of a document that is not in the text, DESIRED_INVALID for a text that is no YAML, TOO_LARGE. */
export function changedText(before: string, change: OwnChange): string {
  const file = openDocuments(before);
  if ('fault' in file) throw new SvcError('DESIRED_INVALID', `${ownFileName}: ${file.fault}`);
  const { kind, name } = change;
  const found = findDocument(file, kind, name);
  if (change.act === 'remove') {
    if (found === undefined) throw new SvcError('NOT_FOUND', `${kind}/${name} is not in ${ownFileName}`);
    takeDocument(file, found);
  } else {
    const document = found ?? addDocument(file, kind, name);
    for (const [field, value] of specOf(change)) {
      if (value === undefined) unsetInDocument(file, document, ['spec', field]);
      else setInDocument(file, document, ['spec', field], value);
    }
  }
  if (file.items.length > limits.ownFileDocumentsMax)
    throw new SvcError('TOO_LARGE', `${ownFileName}: expected at most ${limits.ownFileDocumentsMax} documents`);
  const after = textOf(file);
  if (Buffer.byteLength(after) > limits.ownFileBytesMax)
    throw new SvcError('TOO_LARGE', `${ownFileName}: expected at most ${limits.ownFileBytesMax} bytes`);
  return after;
}

/** In the order in which they are written; undefined: taken out. */
function specOf(change: Extract<OwnChange, { readonly act: 'put' }>): readonly (readonly [field: string, value: unknown])[] {
  const grupos = change.spec.grupos === undefined || change.spec.grupos.length === 0 ? undefined : change.spec.grupos;
  if (change.kind === 'Person') {
    const { nome, login, server, account } = change.spec;
    return Object.entries({ nome, login, server, account, grupos });
  }
  const { app, versao, servers } = change.spec;
  const isOne = servers !== 'all' && servers.length === 1;
  return Object.entries({ app, versao, server: isOne ? servers[0] : undefined, servers: isOne ? undefined : servers, grupos });
}

export interface DiffLine {
  /** `same` lines are around the changed ones. */
  readonly change: 'same' | 'added' | 'removed';
  /** Number of the line, in the text that it is of; of the new one where it is in both. */
  readonly line: number;
  readonly text: string;
}

const aroundMax = 3;

/** A change is in one place: between the lines that both begin with and those that both end with. */
export function diffOf(before: string, after: string): readonly DiffLine[] {
  const [old, next] = [linesOf(before), linesOf(after)];
  const shorter = Math.min(old.length, next.length);
  let first = 0;
  while (first < shorter && old[first] === next[first]) first += 1;
  let last = 0;
  while (last < shorter - first && old.at(-1 - last) === next.at(-1 - last)) last += 1;
  if (first === old.length && first === next.length) return [];
  const line = (change: DiffLine['change'], from: readonly string[], at: number): DiffLine => ({
    change,
    line: at + 1,
    text: from[at] ?? '',
  });
  const range = (from: number, to: number): readonly number[] => Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
  return [
    ...range(Math.max(0, first - aroundMax), first).map((at) => line('same', next, at)),
    ...range(first, old.length - last).map((at) => line('removed', old, at)),
    ...range(first, next.length - last).map((at) => line('added', next, at)),
    ...range(next.length - last, Math.min(next.length, next.length - last + aroundMax)).map((at) => line('same', next, at)),
  ];
}

/** Without the emptiness behind the last line end. */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** The folder of desired state, edited as a person would: what is asked changes, everything else keeps its words, its comments and its file. */
import { constants, mkdirSync, readdirSync } from 'node:fs';
import { access } from 'node:fs/promises';
import path from 'node:path';
import type { Document } from 'yaml';
import { readIfThere, writeFileAtomic } from '../../kit/atomic-file.ts';
import { ownPeople } from '../../controller/desired/own-people.ts';
import { isRoot } from '../../controller/hosts/own-account.ts';
import type { HasAccount } from '../../schema/desired/cross-folder.ts';
import {
  addDocument,
  documentsOf,
  emptyFile,
  findDocument,
  openDocuments,
  plainIn,
  setInDocument,
  takeDocument,
  textOf,
  unsetInDocument,
  type DocumentFile,
} from '../../schema/desired/document-file.ts';
import type { PersonDocument } from '../../schema/desired/documents.ts';
import { openFiles, readDesired } from '../../schema/desired/load.ts';
import { SvcError } from '../../schema/errors.ts';

interface File {
  readonly name: string;
  readonly before: string | null;
  readonly own: DocumentFile;
}

export interface Site {
  names(kind: string): readonly string[];
  /** As plain data; undefined where nothing is said. */
  value(kind: string, name: string, path: readonly string[]): unknown;
  /** The same, where it is a text; else ''. */
  text(kind: string, name: string, path: readonly string[]): string;
  /** Makes the document, in `file`, where there is none. Nothing changes where it is said already. */
  set(kind: string, name: string, path: readonly string[], value: unknown, file: string): void;
  /** Takes what is said there out of the document. */
  unset(kind: string, name: string, path: readonly string[]): void;
  /** Takes the document out of its file. False: there is none. */
  remove(kind: string, name: string): boolean;
  /** Files that are to be written, with their new text. Rejects DESIRED_INVALID when the folder would not be valid. */
  changes(): readonly { readonly file: string; readonly text: string; readonly before: string | null }[];
  /** The files that it wrote. Rejects CONFLICT, and writes none, when one of them was changed since it was read. */
  write(): readonly string[];
}

/** Opens the folder for a command that changes a document of it. Rejects CONFLICT where it can't, with `otherwise`: what somebody who may does by hand. */
export async function editSite<Result>(dir: string, otherwise: string, edit: (site: Site) => Result): Promise<Result> {
  try {
    await access(dir, constants.W_OK);
    return edit(openSite(dir, await accountsHere(dir)));
  } catch (error) {
    throw new SvcError('CONFLICT', `${(error as Error).message}: ${otherwise}`);
  }
}

/** As the portal sees it that this account starts on this machine: which people have an account of their own on its `local` servers, on whichever of them the edit puts them. */
async function accountsHere(dir: string): Promise<HasAccount> {
  if (!isRoot()) return () => false;
  const files = namesIn(dir).map((name) => ({ name, bytes: Buffer.from(readIfThere(path.join(dir, name)) ?? '') }));
  const all = openFiles(files).flatMap(({ sources, broken }) => [sources, broken].flat().map(({ document }) => document));
  const servers = all.flatMap((one) => (one.kind === 'Server' && 'local' in one.spec ? [one.metadata.name] : []));
  const people = all.flatMap((one) => (one.kind === 'Person' ? servers.map((server) => onServer(one, server)) : []));
  return (await ownPeople([...all.filter(({ kind }) => kind !== 'Person'), ...people])).hasAccount;
}

const onServer = (person: PersonDocument, server: string): PersonDocument => ({ ...person, spec: { ...person.spec, server } });

/** `hasAccount`: for the check of the folder as it is to be; without it nobody has one. */
export function openSite(dir: string, hasAccount?: HasAccount): Site {
  const files = new Map<string, File>();
  for (const name of namesIn(dir)) {
    const before = readIfThere(path.join(dir, name)) ?? '';
    const own = openDocuments(before);
    if ('fault' in own) throw new SvcError('DESIRED_INVALID', `${path.join(dir, name)}: ${own.fault}`);
    files.set(name, { name, before, own });
  }
  const find = (kind: string, name: string): readonly [DocumentFile, Document] | undefined => {
    for (const { own } of files.values()) {
      const document = findDocument(own, kind, name);
      if (document !== undefined) return [own, document];
    }
    return undefined;
  };
  const make = (kind: string, name: string, file: string): readonly [DocumentFile, Document] => {
    const { own } = files.get(file) ?? { own: emptyFile() };
    if (!files.has(file)) files.set(file, { name: file, before: null, own });
    return [own, addDocument(own, kind, name)];
  };
  const changes: Site['changes'] = () => {
    const all = [...files.values()].map(({ name, before, own }) => ({ name, before, text: textOf(own) }));
    const answer = readDesired(
      all.map(({ name, text }) => ({ name, bytes: Buffer.from(text) })),
      [],
      hasAccount,
    );
    if (!answer.ok) {
      const [first] = answer.reports.flatMap(({ file, errors }) =>
        errors.map((error) => `${file}:${error.line} ${error.code} ${error.message}`),
      );
      throw new SvcError('DESIRED_INVALID', `${dir} would not be valid: ${first ?? ''}`);
    }
    return all.flatMap(({ name, text, before }) => (text === before ? [] : [{ file: path.join(dir, name), text, before }]));
  };
  const value: Site['value'] = (kind, name, at) => {
    const [, document] = find(kind, name) ?? [];
    return document === undefined ? undefined : plainIn(document, at);
  };
  return {
    names: (kind) =>
      [...files.values()]
        .flatMap(({ own }) => documentsOf(own))
        .filter((document) => document.get('kind') === kind)
        .map((document) => String(document.getIn(['metadata', 'name']))),
    value,
    text: (kind, name, at) => {
      const found = value(kind, name, at);
      return typeof found === 'string' ? found : '';
    },
    set: (kind, name, at, value, file) => setInDocument(...(find(kind, name) ?? make(kind, name, file)), at, value),
    unset: (kind, name, at) => {
      const found = find(kind, name);
      if (found !== undefined) unsetInDocument(...found, at);
    },
    remove: (kind, name) => {
      const found = find(kind, name);
      if (found !== undefined) takeDocument(...found);
      return found !== undefined;
    },
    changes,
    write: () => writeAll(dir, changes()),
  };
}

function writeAll(dir: string, changes: ReturnType<Site['changes']>): readonly string[] {
  const other = changes.find(({ file, before }) => readIfThere(file) !== before);
  if (other !== undefined) throw new SvcError('CONFLICT', `${other.file} was changed meanwhile: give this again`);
  mkdirSync(dir, { recursive: true, mode: 0o755 });
  for (const { file, text } of changes) writeFileAtomic(file, text, { mode: 0o644, durable: true });
  return changes.map(({ file }) => file);
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir)
      .filter((name) => /^[^.].*\.ya?ml$/.test(name))
      .toSorted();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

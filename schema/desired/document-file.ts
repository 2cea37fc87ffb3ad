/** The text of one file of documents, edited as a person would: documents that are not changed keep their very words, and so does the head of the file. */
import { Document, parseAllDocuments } from 'yaml';

interface Item {
  readonly document: Document;
  /** Its text as it was read; null: it is new, or was changed. */
  text: string | null;
}

export interface DocumentFile {
  /** Comments before the first document: an empty line or `---` is behind them. */
  readonly head: string;
  readonly items: Item[];
  /** The text as it was read; null once something is changed. */
  unchanged: string | null;
}

export const emptyFile = (): DocumentFile => ({ head: '', items: [], unchanged: '' });

/** A comment that belongs to the file and to no document of it. */
const headOf = (text: string): string => /^(?:#[^\n]*\n)+(?:(?:[ \t]*\n)+|(?=---))/.exec(text)?.[0] ?? '';
/** Directives and explicit ends reach over the line that begins a document: then no piece of the text is one document. */
const reachesOn = /^(?:%|\.\.\.)/m;

/** Answers the first fault in place of a file that is no YAML. */
export function openDocuments(text: string): DocumentFile | { readonly fault: string } {
  const head = headOf(text);
  // Messages keep the numbers of their lines.
  const blank = head.replaceAll(/[^\n]/g, '');
  const body = `${blank}${text.slice(head.length)}`;
  const documents = parseAllDocuments(body, { uniqueKeys: false });
  const found = 'empty' in documents ? [] : [...documents];
  const fault = found.flatMap(({ errors }) => errors)[0];
  if (fault !== undefined) return { fault: fault.message.split('\n')[0] ?? '' };
  const startOf = (at: number): number => (at === 0 ? blank.length : (found[at]?.range[0] ?? body.length));
  const isPieces = !reachesOn.test(body);
  const items = found.map((document, at) => ({ document, text: isPieces ? body.slice(startOf(at), startOf(at + 1)) : null }));
  return { head: found.length === 0 ? text : head, items, unchanged: text };
}

export const documentsOf = ({ items }: DocumentFile): readonly Document[] => items.map(({ document }) => document);

export function textOf({ head, items, unchanged }: DocumentFile): string {
  if (unchanged !== null) return unchanged;
  let text = head;
  for (const { document, text: own } of items) {
    if (text !== '' && !text.endsWith('\n')) text += '\n';
    // Right behind a comment it would become the document's own.
    const isFirst = text === '' || (text === head && /\n[ \t]*\n$/.test(head));
    const words = own ?? String(document).replace(/^---\n/, '');
    text += isFirst || words.startsWith('---') ? words : `---\n${words}`;
  }
  return text;
}

export function findDocument({ items }: DocumentFile, kind: string, name: string): Document | undefined {
  return items.find(({ document }) => document.get('kind') === kind && document.getIn(['metadata', 'name']) === name)?.document;
}

export function addDocument(file: DocumentFile, kind: string, name: string): Document {
  const document = new Document({ apiVersion: 'svc/v1', kind, metadata: { name }, spec: {} });
  file.items.push({ document, text: null });
  file.unchanged = null;
  return document;
}

export function takeDocument(file: DocumentFile, document: Document): void {
  file.items.splice(indexOf(file, document), 1);
  file.unchanged = null;
}

/** Nothing changes where it is said already. */
export function setInDocument(file: DocumentFile, document: Document, at: readonly string[], value: unknown): void {
  if (JSON.stringify(plainIn(document, at)) === JSON.stringify(value)) return;
  // The comment behind a plain value stays with it.
  document.setIn(at, typeof value === 'object' ? document.createNode(value) : value);
  change(file, document);
}

export function unsetInDocument(file: DocumentFile, document: Document, at: readonly string[]): void {
  if (document.deleteIn(at)) change(file, document);
}

/** The value there, as plain data; undefined: nothing. */
export function plainIn(document: Document, at: readonly string[]): unknown {
  const found = document.getIn(at, true);
  return found !== null && typeof found === 'object' && 'toJSON' in found ? (found as { toJSON: () => unknown }).toJSON() : found;
}

const indexOf = ({ items }: DocumentFile, document: Document): number => items.findIndex((item) => item.document === document);

function change(file: DocumentFile, document: Document): void {
  const item = file.items[indexOf(file, document)];
  if (item === undefined) return;
  item.text = null;
  file.unchanged = null;
}

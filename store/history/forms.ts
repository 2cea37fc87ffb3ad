/** A document as values, text, Markdown or HTML: for people who look at a version, or take it along. */
import * as Y from 'yjs';
import type { VersionForm } from '../../schema/rooms.ts';
import { htmlOf, markdownOf, type Block, type Inline, type Mark } from './blocks.ts';

type Root = Y.Text | Y.XmlFragment | Y.Map<unknown> | Y.Array<unknown>;

/** The forms that are text. Roots without content are left out; several have their names as titles. */
export function written(doc: Y.Doc, form: Exclude<VersionForm, 'yjs'>): string {
  const roots = [...doc.share.keys()].toSorted().map((name): readonly [string, Root] => [name, rootOf(doc, name)]);
  if (form === 'json') return `${jsonOf(Object.fromEntries(roots.map(([name, root]) => [name, valueOf(root)])))}\n`;
  const filled = roots.filter(([, root]) => (root instanceof Y.Map ? root.size : root.length) > 0);
  const isTitled = filled.length > 1;
  if (form === 'texto') return filled.map(([name, root]) => `${isTitled ? `${name}\n\n` : ''}${textOf(root)}`).join('\n\n');
  const titleOf = (name: string): Block => ({ kind: 'heading', level: 1, inline: [{ text: name, marks: {} }] });
  const blocks = filled.flatMap(([name, root]) => (isTitled ? [titleOf(name)] : []).concat(blocksOf(root)));
  return form === 'markdown' ? markdownOf(blocks) : htmlOf(blocks);
}

/** A document that was only read does not know of which type its roots are: their content shows it. */
function rootOf(doc: Y.Doc, name: string): Root {
  const root = doc.share.get(name)!;
  // oxlint-disable-next-line no-underscore-dangle -- Yjs has no other way to its items
  const [first, keys] = [root._start, root._map];
  if (first === null && keys.size > 0) return doc.getMap(name);
  for (let item = first; item !== null; item = item.right) {
    const { content } = item;
    if (content instanceof Y.ContentString || content instanceof Y.ContentFormat || content instanceof Y.ContentEmbed)
      return doc.getText(name);
    if (content instanceof Y.ContentType && isXml(content.type)) return doc.getXmlFragment(name);
    if (!item.deleted) return doc.getArray(name);
  }
  return first === null ? doc.getMap(name) : doc.getText(name);
}

const isXml = (type: unknown): type is Y.XmlElement | Y.XmlText => type instanceof Y.XmlElement || type instanceof Y.XmlText;

interface Piece {
  readonly insert: string | object;
  readonly attributes?: Readonly<Record<string, unknown>>;
}

const piecesOf = (text: Y.Text): readonly Piece[] => text.toDelta() as readonly Piece[];

/** Text without marks is a string, other text its pieces. */
function valueOf(root: Root): unknown {
  if (!(root instanceof Y.Text)) return jsonValueOf(root);
  const pieces = piecesOf(root);
  return pieces.every(({ insert, attributes }) => typeof insert === 'string' && attributes === undefined)
    ? pieces.map(({ insert }) => shown(insert)).join('')
    : pieces;
}

/** XML may hold values that Yjs can't write as such: its text stands there then. */
function jsonValueOf(root: Exclude<Root, Y.Text>): unknown {
  try {
    return root.toJSON();
  } catch (error) {
    if (root instanceof Y.XmlFragment) return textOf(root);
    if (root instanceof Y.Map) return Object.fromEntries([...root.entries()].map(([name, value]) => [name, jsonPartOf(value)]));
    if (root instanceof Y.Array) return root.toArray().map(jsonPartOf);
    throw error;
  }
}

const jsonPartOf = (part: unknown): unknown => (part instanceof Y.AbstractType ? valueOf(part as Root) : part);

function textOf(root: Root): string {
  if (root instanceof Y.Text)
    return piecesOf(root)
      .map(({ insert }) => shown(insert))
      .join('');
  if (root instanceof Y.XmlFragment) return blocksOf(root).map(lineOf).join('\n');
  return jsonOf(jsonValueOf(root));
}

/** Bytes as base64, and whole numbers that JSON has none for as their digits. Deep values are not indented: a line would be mostly blanks. */
function jsonOf(value: unknown): string {
  const plain = (_: string, part: unknown): unknown =>
    part instanceof Uint8Array ? Buffer.from(part).toString('base64') : typeof part === 'bigint' ? String(part) : part;
  return JSON.stringify(value, plain, isDeep(value, indentedDepthMax) ? undefined : 2);
}

const indentedDepthMax = 8;

const isDeep = (value: unknown, left: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !(value instanceof Uint8Array) &&
  (left === 0 || Object.values(value).some((part) => isDeep(part, left - 1)));

const lineOf = ({ kind, level, inline }: Block): string =>
  `${kind === 'bullet' || kind === 'ordered' ? `${'  '.repeat(level)}- ` : ''}${inline.map(({ text }) => text).join('')}`;

/** Something in a text that is none. */
const shown = (insert: string | object): string => (typeof insert === 'string' ? insert : '[…]');

function blocksOf(root: Root): readonly Block[] {
  if (root instanceof Y.Text) return blocksOfText(piecesOf(root));
  if (root instanceof Y.XmlFragment) return blocksOfXml(root, { kind: 'paragraph', level: 0 }, 0);
  return [{ kind: 'code', level: 0, inline: [{ text: jsonOf(jsonValueOf(root)), marks: {} }] }];
}

const marksByName: ReadonlyMap<string, Mark> = new Map([
  ['bold', 'bold'],
  ['strong', 'bold'],
  ['italic', 'italic'],
  ['em', 'italic'],
  ['strike', 'strike'],
  ['strikethrough', 'strike'],
  ['code', 'code'],
  ['link', 'link'],
]);

function inlineOf({ insert, attributes = {} }: Piece): Inline {
  const marks: Partial<Record<Mark, string>> = {};
  for (const [name, value] of Object.entries(attributes)) {
    const mark = marksByName.get(name.split('--')[0] ?? '');
    if (mark === undefined || value === null || value === false) continue;
    const href: unknown = typeof value === 'object' ? (value as { readonly href?: unknown }).href : value;
    if (mark !== 'link') marks[mark] = '';
    else if (typeof href === 'string') marks.link = href;
  }
  return { text: shown(insert), marks };
}

/** Text whose lines have marks of their own at their ends, as rich editors of one text keep them; without any marks it stands as it is. */
function blocksOfText(pieces: readonly Piece[]): readonly Block[] {
  if (pieces.every(({ attributes }) => attributes === undefined)) {
    return [{ kind: 'plain', level: 0, inline: pieces.map(({ insert }) => ({ text: shown(insert), marks: {} })) }];
  }
  const blocks: Block[] = [];
  let line: Inline[] = [];
  for (const piece of pieces) {
    const { text, marks } = inlineOf(piece);
    for (const [at, part] of text.split('\n').entries()) {
      if (at > 0) {
        blocks.push({ ...kindOfLine(piece.attributes), inline: line });
        line = [];
      }
      if (part !== '') line.push({ text: part, marks });
    }
  }
  return line.length === 0 ? blocks : [...blocks, { kind: 'paragraph', level: 0, inline: line }];
}

function kindOfLine(attributes: Piece['attributes'] = {}): Pick<Block, 'kind' | 'level'> {
  const { header, list, blockquote, indent } = attributes;
  const level = typeof indent === 'number' && indent >= 0 ? Math.min(indent, 8) : 0;
  if (typeof header === 'number') return { kind: 'heading', level: header };
  if (list === 'ordered' || list === 'bullet') return { kind: list, level };
  if (blockquote === true) return { kind: 'quote', level: 0 };
  return { kind: attributes['code-block'] === undefined ? 'paragraph' : 'code', level: 0 };
}

const depthMax = 64;

/** Blocks of an editor of nodes; `inside` is what its text is part of. */
function blocksOfXml(parent: Y.XmlFragment, inside: Pick<Block, 'kind' | 'level'>, depth: number): readonly Block[] {
  const blocks: Block[] = [];
  let line: Inline[] = [];
  const end = (): void => {
    if (line.length > 0) blocks.push({ ...inside, inline: line });
    line = [];
  };
  for (const child of parent.toArray()) {
    if (child instanceof Y.XmlText) line.push(...piecesOf(child).map(inlineOf));
    else if (!(child instanceof Y.XmlElement)) continue;
    else if (plainName(child) === 'hardbreak') line.push({ text: '\n', marks: {} });
    else if (plainName(child) === 'image') line.push({ text: shown({}), marks: {} });
    else if (depth < depthMax) {
      end();
      blocks.push(...blocksOfXml(child, kindOfNode(child, inside), depth + 1));
    }
  }
  end();
  return blocks;
}

const plainName = ({ nodeName }: Y.XmlElement): string => nodeName.toLowerCase().replaceAll(/[_-]/g, '');

function kindOfNode(node: Y.XmlElement, inside: Pick<Block, 'kind' | 'level'>): Pick<Block, 'kind' | 'level'> {
  const isItem = inside.kind === 'bullet' || inside.kind === 'ordered';
  switch (plainName(node)) {
    case 'heading':
      return { kind: 'heading', level: Number((node.getAttribute as (name: string) => unknown).call(node, 'level')) || 1 };
    case 'blockquote':
      return { kind: 'quote', level: 0 };
    case 'codeblock':
      return { kind: 'code', level: 0 };
    case 'bulletlist':
    case 'tasklist':
      return { kind: 'bullet', level: isItem ? inside.level + 1 : 0 };
    case 'orderedlist':
      return { kind: 'ordered', level: isItem ? inside.level + 1 : 0 };
    default:
      return inside;
  }
}

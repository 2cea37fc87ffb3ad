/**
 * How much work a drawing (SVG) is, for icons: the desktop shows those of others' packages, and draws them in its own process. The portal has no DOM, so what counts
 * is read from the text, as XML; shell/viewer/drawing.ts does the same in the browser. Decision: docs/decisions/0355-drawings-that-do-not-end.md
 */
import { countDrawn, idNamed } from '../../schema/wire/drawn-elements.ts';

interface Element {
  readonly name: string;
  readonly children: Element[];
  readonly uses: readonly string[];
}

interface Drawing {
  readonly root: Element;
  readonly byId: ReadonlyMap<string, Element>;
  /** Ids that its style sheets refer to. */
  readonly ruled: readonly string[];
}

/** Elements that are drawn, each use of one counted; null: it is no XML that is read here, or goes on deeper than there is stack. */
export function drawingWork(text: string): number | null {
  const drawing = read(text);
  if (drawing === null) return null;
  const { root, byId, ruled } = drawing;
  const work = countDrawn<Element>(({ children, uses }) => [...children, ...uses.map((id) => byId.get(id))]);
  try {
    const all = work(root);
    // A rule of a style may hold for each of them.
    return ruled.reduce((sum, id) => sum + all * work(byId.get(id) ?? root), all);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Skipped sections, by their beginning and end. */
const skipped: readonly (readonly [string, string])[] = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
  ['<!', '>'],
];

function read(text: string): Drawing | null {
  const byId = new Map<string, Element>();
  const ruled: string[] = [];
  const open: Element[] = [];
  let root: Element | null = null;
  for (let at = text.indexOf('<'), end = 0; at >= 0; at = text.indexOf('<', end)) {
    if (open.at(-1)?.name === 'style') ruled.push(...namedIn(text.slice(end, at)));
    const [begin, close] = skipped.find(([one]) => text.startsWith(one, at)) ?? [];
    end = close === undefined ? tagEnd(text, at) : behind(text, close, at);
    if (end === 0) return null;
    const inside = text.slice(at + 1, end - 1);
    if (begin !== undefined) {
      // Entities of its own could be anything.
      if (begin === '<!' && inside.includes('[')) return null;
      if (open.at(-1)?.name === 'style') ruled.push(...namedIn(inside));
    } else if (inside.startsWith('/')) {
      if (open.pop()?.name !== inside.slice(1).trimEnd()) return null;
    } else {
      const element = elementOf(inside, byId);
      if (element === null) return null;
      root ??= element;
      open.at(-1)?.children.push(element);
      if (!inside.endsWith('/')) open.push(element);
    }
  }
  return root === null ? null : { root, byId, ruled };
}

/** 0: it is not there. */
function behind(text: string, close: string, from: number): number {
  const at = text.indexOf(close, from);
  return at < 0 ? 0 : at + close.length;
}

/** Behind the end of a tag, whose values may hold `>`; 0: it has none. */
function tagEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const one = text[at];
    if (one === '>') return at + 1;
    if (one === '"' || one === "'") {
      at = text.indexOf(one, at + 1);
      if (at < 0) return 0;
    }
  }
  return 0;
}

function elementOf(tag: string, byId: Map<string, Element>): Element | null {
  const name = /^[^\s/]+/.exec(tag)?.[0];
  if (name === undefined) return null;
  const uses: string[] = [];
  const ids: string[] = [];
  for (let at = name.length; ;) {
    const begin = [tag.indexOf('"', at), tag.indexOf("'", at)].filter((one) => one >= 0).reduce((a, b) => Math.min(a, b), tag.length);
    if (begin === tag.length) break;
    const end = tag.indexOf(tag.charAt(begin), begin + 1);
    const attribute = tag.slice(at, begin).replaceAll('=', ' ').trim();
    const value = decoded(tag.slice(begin + 1, end));
    const local = attribute.slice(attribute.lastIndexOf(':') + 1);
    if (local === 'id') ids.push(value);
    if (local === 'href' && value.trimStart().startsWith('#')) uses.push(idNamed(value.trim().slice(1)));
    else uses.push(...namedIn(value));
    at = end + 1;
  }
  const element: Element = { name, children: [], uses };
  for (const id of ids) if (!byId.has(id)) byId.set(id, element);
  return element;
}

const namedIn = (text: string): readonly string[] =>
  text
    .split(/url\(/i)
    .slice(1)
    .map((rest) => /^\s{0,64}["']?#([^"')\s]{1,256})/.exec(rest)?.[1])
    .flatMap((id) => (id === undefined ? [] : [idNamed(id)]));

const entities: Readonly<Record<string, string>> = { quot: '"', apos: "'", amp: '&', lt: '<', gt: '>' };

const decoded = (text: string): string =>
  text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(quot|apos|amp|lt|gt));/gi, (_, ten?: string, hex?: string, word?: string) => {
    if (word !== undefined) return entities[word] ?? '';
    const point = ten === undefined ? Number.parseInt(hex ?? '0', 16) : Number(ten);
    return point <= 0x10_ffff ? String.fromCodePoint(point) : '';
  });

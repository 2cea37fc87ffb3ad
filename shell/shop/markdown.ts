/**
 * The part of Markdown that a changelog uses, as data: headings, lists, paragraphs, code; bold, emphasis, code and links inside. Anything
 * else stays as it was written. Nothing of it becomes markup: the element that draws it makes text of every piece.
 */

export type Span =
  | { readonly kind: 'text' | 'strong' | 'em' | 'code'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly href: string };

export type Block =
  | { readonly kind: 'heading'; readonly spans: readonly Span[] }
  | { readonly kind: 'paragraph'; readonly spans: readonly Span[] }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly items: readonly (readonly Span[])[] }
  | { readonly kind: 'code'; readonly text: string };

/** No group holds what it repeats: no text makes it slow. */
const inline = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|__([^_\n]+)__|\*([^*\s][^*\n]*)\*|\b_([^_\n]+)_\b|\[([^[\]\n]+)\]\((https?:\/\/[^\s()]+)\)/g;

export function readSpans(line: string): readonly Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (const found of line.matchAll(inline)) {
    const [whole, code, strong, strong2, em, em2, text, href] = found;
    if (found.index > at) spans.push({ kind: 'text', text: line.slice(at, found.index) });
    at = found.index + whole.length;
    if (code !== undefined) spans.push({ kind: 'code', text: code });
    else if (strong !== undefined || strong2 !== undefined) spans.push({ kind: 'strong', text: strong ?? strong2 ?? '' });
    else if (em !== undefined || em2 !== undefined) spans.push({ kind: 'em', text: em ?? em2 ?? '' });
    else if (text !== undefined && href !== undefined) spans.push({ kind: 'link', text, href });
  }
  if (at < line.length) spans.push({ kind: 'text', text: line.slice(at) });
  return spans;
}

const heading = /^#{1,6} +(\S.*)$/;
const headingEnd = /(?<![ #])[ #]+$/;
const item = /^ *(?:([-*+])|\d{1,9}[.)]) +(\S.*)$/;
const fence = /^ *```/;

interface Open {
  kind: 'paragraph' | 'list';
  ordered: boolean;
  lines: string[];
}

export function readMarkdown(source: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: Open | null = null;
  const close = (): void => {
    if (open?.kind === 'paragraph') blocks.push({ kind: 'paragraph', spans: readSpans(open.lines.join(' ')) });
    else if (open !== null) blocks.push({ kind: 'list', ordered: open.ordered, items: open.lines.map(readSpans) });
    open = null;
  };
  const lines = source.replaceAll('\r\n', '\n').split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const title = heading.exec(line)?.[1]?.replace(headingEnd, '');
    const [, mark, entry] = item.exec(line) ?? [];
    if (fence.test(line)) {
      close();
      const end = lines.findIndex((other, index) => index > at && fence.test(other));
      const last = end === -1 ? lines.length : end;
      blocks.push({ kind: 'code', text: lines.slice(at + 1, last).join('\n') });
      at = last;
    } else if (line.trim() === '') close();
    else if (title !== undefined) {
      close();
      blocks.push({ kind: 'heading', spans: readSpans(title) });
    } else if (entry !== undefined) {
      const ordered = mark === undefined;
      if (open?.kind !== 'list' || open.ordered !== ordered) close();
      open ??= { kind: 'list', ordered, lines: [] };
      open.lines.push(entry);
    } else if (open === null) open = { kind: 'paragraph', ordered: false, lines: [line.trim()] };
    // A line that goes on belongs to what is open.
    else if (open.kind === 'paragraph') open.lines.push(line.trim());
    else open.lines[open.lines.length - 1] += ` ${line.trim()}`;
  }
  close();
  return blocks;
}

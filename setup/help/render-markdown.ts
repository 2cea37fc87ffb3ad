/** Renders a page of Markdown: HTML without scripts and styles of its own, and the sections that the search looks through. */
import { Marked, type Token, type Tokens } from 'marked';
import { escapeHtml } from '../../schema/html.ts';

/** Part of a page from a heading to the next one; the first begins at the top, and its id is empty. */
export interface Section {
  readonly id: string;
  readonly heading: string;
  readonly text: string;
}

export interface Heading {
  readonly id: string;
  readonly text: string;
  readonly depth: number;
}

export interface RenderedPage {
  readonly title: string;
  /** The first paragraph, without marks. */
  readonly lead: string;
  /** Without the title. */
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly sections: readonly Section[];
}

/** Where a link of the page leads to, and the title of that page; null: its target is no page of the help, and the words stay without a link. */
export type LinkTarget = (href: string) => { readonly href: string; readonly title: string | null } | null;

/** The id of a heading, as other readers of Markdown make it. */
const idOf = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');

/** `<!-- id: name -->` before a heading: an id that is the same in every language. */
const idComment = /^<!-- id: ([a-z-]+) -->\s*$/;

/** The words of a token, without marks. */
function plainText(token: Token): string {
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].map((row) => row.map((cell) => cell.tokens.map(plainText).join('')).join(' ')).join('\n');
  }
  if (token.type === 'list') return (token as Tokens.List).items.map(plainText).join('\n');
  if (token.type === 'html' || token.type === 'space' || token.type === 'image') return '';
  if ('tokens' in token && token.tokens !== undefined)
    return token.tokens.map(plainText).join(token.type === 'list_item' || token.type === 'blockquote' ? '\n' : '');
  return 'text' in token ? String(token.text) : '';
}

/** The first heading, without marks. */
export const titleOf = (source: string): string => outlineOf(new Marked().lexer(/^# .*$/m.exec(source)?.[0] ?? '')).title;

interface Outline {
  readonly title: string;
  readonly headings: readonly Heading[];
  readonly sections: readonly Section[];
  readonly body: readonly Token[];
  readonly idOf: ReadonlyMap<Token, string>;
}

/** Headings with their ids, each once. */
function outlineOf(tokens: readonly Token[]): Outline {
  const ids = new Map<Token, string>();
  const used = new Set<string>();
  const headings: Heading[] = [];
  const sections: { id: string; heading: string; text: string }[] = [{ id: '', heading: '', text: '' }];
  let title = '';
  let given: string | null = null;
  for (const token of tokens) {
    if (token.type === 'heading' && token['depth'] === 1 && title === '') title = plainText(token);
    else if (token.type === 'heading') {
      const text = plainText(token);
      const plain = given ?? idOf(text);
      let id = plain;
      for (let n = 1; used.has(id); n += 1) id = `${plain}-${n}`;
      used.add(id);
      ids.set(token, id);
      headings.push({ id, text, depth: Number(token['depth']) });
      sections.push({ id, heading: text, text: '' });
    } else sections.at(-1)!.text += `${plainText(token)}\n`;
    if (token.type !== 'space') given = idComment.exec(token.raw.trim())?.[1] ?? null;
  }
  const body = tokens.filter((token) => !(token.type === 'heading' && token['depth'] === 1) && !idComment.test(token.raw.trim()));
  return {
    title,
    headings,
    sections: sections.map(({ id, heading, text }) => ({ id, heading, text: text.replaceAll(/\s+/g, ' ').trim() })),
    body,
    idOf: ids,
  };
}

/** Other addresses than those of the help are marked, and learn nothing of where the reader comes from. */
function link(href: string, words: string): string {
  const isElsewhere = /^[a-z]+:/.test(href);
  return `<a href="${escapeHtml(href)}"${isElsewhere ? ' class="elsewhere" rel="noreferrer noopener"' : ''}>${words}</a>`;
}

export function renderMarkdown(source: string, targetOf: LinkTarget): RenderedPage {
  const marked = new Marked({ gfm: true });
  const outline = outlineOf(marked.lexer(source));
  marked.use({
    renderer: {
      heading(token) {
        return `<h${token.depth} id="${escapeHtml(outline.idOf.get(token) ?? '')}">${this.parser.parseInline(token.tokens)}</h${token.depth}>\n`;
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens);
        const target = targetOf(href);
        if (target === null) return `<span class="file" title="${escapeHtml(href)}">${words}</span>`;
        // A link under the name of its file.
        return link(target.href, target.title !== null && /^[\w-]+\.md$/.test(words) ? escapeHtml(target.title) : words);
      },
      // Pictures of the docs are not shipped (docs/decisions/0327-what-is-shipped.md).
      image: () => '',
      code({ text, lang }) {
        return `<pre class="wide"><code${lang ? ` data-language="${escapeHtml(lang)}"` : ''}>${escapeHtml(text)}</code></pre>\n`;
      },
      table({ header, rows }) {
        const cell = (tag: string, { tokens }: Tokens.TableCell): string => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`;
        const row = (tag: string, cells: readonly Tokens.TableCell[]): string =>
          `<tr>${cells.map((each) => cell(tag, each)).join('')}</tr>`;
        const isTitled = header.some(({ text }) => text !== '');
        return `<div class="wide"><table>${isTitled ? `<thead>${row('th', header)}</thead>` : ''}<tbody>${rows.map((cells) => row('td', cells)).join('\n')}</tbody></table></div>\n`;
      },
      // Text that looks like a tag: no page brings markup of its own.
      html: ({ text }) => (text.startsWith('<!--') ? '' : escapeHtml(text)),
    },
  });
  const { title, headings, sections, body } = outline;
  const first = body.find(({ type }) => type === 'paragraph');
  const lead = first === undefined ? '' : plainText(first).replaceAll(/\s+/g, ' ');
  return { title, lead, headings, sections, html: marked.parser([...body]) };
}

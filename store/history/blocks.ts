/** Blocks of a text, as Markdown and HTML. Whatever a document holds is text in both: nothing of it becomes markup. */
import { escapeHtml } from '../../schema/html.ts';

/** Names of marks as most editors have them; others are left out. */
export type Mark = 'bold' | 'italic' | 'strike' | 'code' | 'link';

export interface Inline {
  readonly text: string;
  /** `link`: its address. */
  readonly marks: Partial<Readonly<Record<Mark, string>>>;
}

export interface Block {
  readonly kind: 'paragraph' | 'heading' | 'quote' | 'code' | 'bullet' | 'ordered' | 'plain';
  /** For a heading from 1, for an item of a list from 0. */
  readonly level: number;
  readonly inline: readonly Inline[];
}

const plainText = (inline: readonly Inline[]): string => inline.map(({ text }) => text).join('');

/** `plain` stands as it is: it may be Markdown already. */
export function markdownOf(blocks: readonly Block[]): string {
  const parts = blocks.map((block, at) => {
    const isTight = isItem(block) && at > 0 && isItem(blocks[at - 1]!);
    return `${at === 0 ? '' : isTight ? '\n' : '\n\n'}${markdownBlock(block)}`;
  });
  return `${parts.join('')}\n`;
}

const isItem = ({ kind }: Block): boolean => kind === 'bullet' || kind === 'ordered';

function markdownBlock({ kind, level, inline }: Block): string {
  const words = (): string => inline.map(markdownInline).join('');
  switch (kind) {
    case 'plain':
      return plainText(inline);
    case 'heading':
      return `${'#'.repeat(Math.min(Math.max(level, 1), 6))} ${words().replaceAll('\n', ' ')}`;
    case 'quote':
      return words().replaceAll(/^/gm, '> ');
    case 'code':
      return fenced(plainText(inline));
    case 'bullet':
    case 'ordered':
      return `${'  '.repeat(level)}${kind === 'bullet' ? '-' : '1.'} ${words().replaceAll('\n', ' ')}`;
    default:
      return words();
  }
}

/** A fence longer than any in the text. */
function fenced(text: string): string {
  const longest = [...text.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

function markdownInline({ text, marks }: Inline): string {
  const signs = [
    ...(marks.bold === undefined ? [] : ['**']),
    ...(marks.italic === undefined ? [] : ['*']),
    ...(marks.strike === undefined ? [] : ['~~']),
  ];
  const words = marks.code === undefined ? escapedMarkdown(text) : `\`${text.replaceAll('`', "'")}\``;
  const styled = text.trim() === '' ? words : `${signs.join('')}${words}${signs.toReversed().join('')}`;
  return leadsOut(marks.link) ? `[${styled}](${markdownAddress(marks.link)})` : styled;
}

const escapedMarkdown = (text: string): string =>
  text.replaceAll(/[\\`*_[\]<>]/g, String.raw`\$&`).replaceAll(/^([ \t]{0,8})([#+-]|\d{1,9}[.)])(?=\s)/gm, String.raw`$1\$2`);

/** Other addresses run something, or lead into the reader's own machine. */
const leadsOut = (link: string | undefined): link is string => link !== undefined && /^(?:https?:|mailto:)/i.test(link);

const markdownAddress = (address: string): string => encodeURI(address.toWellFormed()).replaceAll('(', '%28').replaceAll(')', '%29');

/** A page that loads nothing and runs nothing. */
export function htmlOf(blocks: readonly Block[]): string {
  const head =
    '<!doctype html>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src \'unsafe-inline\'">\n';
  return `${head}<body style="font: 16px/1.5 sans-serif; max-width: 45em; margin: 2em auto; padding: 0 1em">\n${blocks.map(htmlBlock).join('\n')}\n`;
}

function htmlBlock({ kind, level, inline }: Block): string {
  const words = (): string => inline.map(htmlInline).join('').replaceAll('\n', '<br>');
  switch (kind) {
    case 'plain':
      return `<p style="white-space: pre-wrap">${escapeHtml(plainText(inline))}</p>`;
    case 'heading':
      return `<h${Math.min(Math.max(level, 1), 6)}>${words()}</h${Math.min(Math.max(level, 1), 6)}>`;
    case 'quote':
      return `<blockquote>${words()}</blockquote>`;
    case 'code':
      return `<pre><code>${escapeHtml(plainText(inline))}</code></pre>`;
    case 'bullet':
    case 'ordered': {
      const list = kind === 'bullet' ? 'ul' : 'ol';
      return `<${list} style="margin: 0 0 0 ${level * 1.5}em"><li>${words()}</li></${list}>`;
    }
    default:
      return `<p>${words()}</p>`;
  }
}

const tags: readonly (readonly [Mark, string])[] = [
  ['code', 'code'],
  ['strike', 's'],
  ['italic', 'em'],
  ['bold', 'strong'],
];

function htmlInline({ text, marks }: Inline): string {
  const styled = tags.reduce((inner, [mark, tag]) => (marks[mark] === undefined ? inner : `<${tag}>${inner}</${tag}>`), escapeHtml(text));
  const { link } = marks;
  return leadsOut(link) ? `<a href="${escapeHtml(link)}" rel="noreferrer">${styled}</a>` : styled;
}

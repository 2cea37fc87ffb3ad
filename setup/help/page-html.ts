/** The frame of each page of the help: header, list of pages, contents. It loads files of the portal only, and has no inline script or style. */
import { escapeHtml } from '../../schema/html.ts';
import type { HelpLanguage } from './pages.ts';
import type { Heading } from './render-markdown.ts';

export interface ListedPage {
  readonly href: string;
  readonly title: string;
}

export interface ListedGroup {
  /** Null: the list needs no title. */
  readonly title: Words | null;
  readonly pages: readonly (ListedPage & { readonly words?: Words })[];
}

export type Words = Readonly<Record<HelpLanguage, string>>;

export interface Page {
  /** `docs`: its text is in English, and help.ts shows what is around it in the reader's language. */
  readonly part: HelpLanguage | 'docs';
  readonly href: string;
  readonly title: string;
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly groups: readonly ListedGroup[];
  /** The other language, or the other part. */
  readonly other: { readonly href: string; readonly words: Words; readonly lang: string | null };
  readonly before: ListedPage | null;
  readonly after: ListedPage | null;
}

export const helpRoot = '/ajuda';

const words = {
  help: { pt: 'Ajuda', en: 'Help' },
  docs: { pt: 'Documentação', en: 'Documentation' },
  skip: { pt: 'Ir para o texto', en: 'Go to the text' },
  search: { pt: 'Buscar na ajuda', en: 'Search the help' },
  pages: { pt: 'Páginas', en: 'Pages' },
  contents: { pt: 'Nesta página', en: 'On this page' },
  around: { pt: 'Página anterior e seguinte', en: 'Previous and next page' },
} as const satisfies Record<string, Words>;

export function pageHtml(page: Page): string {
  const language = page.part === 'docs' ? 'en' : page.part;
  /** Where the page is in English, the other words stay beside, for help.ts. */
  const both = (each: Words): string => (page.part === 'docs' ? ` data-pt="${escapeHtml(each.pt)}"` : '');
  const labelled = (each: Words): string =>
    `aria-label="${escapeHtml(each[language])}"${page.part === 'docs' ? ` data-pt-label="${escapeHtml(each.pt)}"` : ''}`;
  const said = (each: Words): string => `<span${both(each)}>${escapeHtml(each[language])}</span>`;
  const home = page.part === 'docs' ? words.docs : words.help;
  const otherLang = page.other.lang === null ? '' : ` lang="${page.other.lang}" hreflang="${page.other.lang}"`;
  return `<!doctype html>
<html lang="${language === 'pt' ? 'pt-BR' : 'en'}" data-part="${page.part}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.title === home[language] ? `${page.title} · svc` : `${page.title} · ${home[language]} · svc`)}</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/shell.css">
<link rel="stylesheet" href="${helpRoot}/help.css">
<script src="${helpRoot}/early.js"></script>
<script defer src="${helpRoot}/help.js"></script>
</head>
<body>
<a class="skip" href="#text">${said(words.skip)}</a>
<header>
<a class="home" href="${helpRoot}/${page.part}/">${said(home)}</a>
<form role="search" class="needs-script"><input id="search" type="search" ${labelled(words.search)} placeholder="${escapeHtml(words.search[language])}" autocomplete="off" spellcheck="false" maxlength="100"></form>
<div id="results" hidden></div>
<a class="other" href="${page.other.href}"${otherLang}>${said(page.other.words)}</a>
<button id="pages-button" class="needs-script" type="button" aria-expanded="false" aria-controls="pages">${said(words.pages)}</button>
</header>
<div class="columns">
<nav id="pages" ${labelled(words.pages)}>
${page.groups.map((group) => groupHtml(group, page, both)).join('\n')}
</nav>
<main id="text" tabindex="-1"${page.part === 'docs' ? ' lang="en"' : ''}>
<h1>${escapeHtml(page.title)}</h1>
${contentsHtml(page, labelled, said)}${page.html}${aroundHtml(page, labelled)}</main>
</div>
</body>
</html>
`;
}

function groupHtml({ title, pages }: ListedGroup, page: Page, both: (each: Words) => string): string {
  const language = page.part === 'docs' ? 'en' : page.part;
  const items = pages.map(
    ({ href, title: name, words }) =>
      `<li><a href="${href}"${href === page.href ? ' aria-current="page"' : ''}${words ? both(words) : ''}>${escapeHtml(name)}</a></li>`,
  );
  return `${title === null ? '' : `<p class="group"${both(title)}>${escapeHtml(title[language])}</p>\n`}<ul>\n${items.join('\n')}\n</ul>`;
}

const contentsMin = 3;

/** Folded: help.ts unfolds it where there is room beside the text. */
function contentsHtml({ headings }: Page, labelled: (each: Words) => string, said: (each: Words) => string): string {
  const shown = headings.filter(({ depth }) => depth === 2);
  if (shown.length < contentsMin) return '';
  const items = shown.map(({ id, text }) => `<li><a href="#${encodeURIComponent(id)}">${escapeHtml(text)}</a></li>`);
  return `<nav class="contents" ${labelled(words.contents)}><details><summary>${said(words.contents)}</summary><ul>\n${items.join('\n')}\n</ul></details></nav>\n`;
}

function aroundHtml({ before, after }: Page, labelled: (each: Words) => string): string {
  if (before === null && after === null) return '';
  const link = (to: ListedPage | null, rel: string): string =>
    to === null ? '' : `<a rel="${rel}" href="${to.href}">${escapeHtml(to.title)}</a>`;
  return `<nav class="around" ${labelled(words.around)}>${link(before, 'prev')}${link(after, 'next')}</nav>\n`;
}

/**
 * The help as files, by their paths below `/ajuda/`: the pages of shell/help for people, in two languages, those of docs/ for authors and administrators,
 * and what the search of each part looks through. Decision: docs/decisions/0428-a-help-of-static-pages.md
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { IndexedPage } from '../../shell/help/find.ts';
import { groupsOf, helpLanguages, peoplePages, type HelpLanguage } from './pages.ts';
import { helpRoot, pageHtml, type ListedGroup, type ListedPage, type Page, type Words } from './page-html.ts';
import { renderMarkdown, titleOf, type LinkTarget, type RenderedPage } from './render-markdown.ts';

const languageNames: Readonly<Record<HelpLanguage, string>> = { pt: 'Português', en: 'English' };
const languageTags: Readonly<Record<HelpLanguage, string>> = { pt: 'pt-BR', en: 'en' };
const toDocs: Words = { pt: 'Para quem administra ou escreve aplicativos', en: 'For administrators and authors of apps' };
const toPeople: Words = { pt: 'Usar o portal', en: 'Using the portal' };
const toDesktop: Words = { pt: 'Área de trabalho', en: 'Desktop' };

/** By the file of the checkout, the pages of the help. */
type Addresses = ReadonlyMap<string, ListedPage>;

/** `file` is the page with the link, both below the checkout. */
function targetIn(addresses: Addresses, file: string, href: string): ReturnType<LinkTarget> {
  if (/^(?:https?|mailto):/.test(href)) return { href, title: null };
  const [target = '', fragment] = href.split('#');
  const place = fragment === undefined ? '' : `#${encodeURIComponent(fragment)}`;
  if (target === '') return { href: place, title: null };
  const page = addresses.get(path.posix.join(path.posix.dirname(file), target));
  return page === undefined ? null : { href: page.href + place, title: page.title };
}

interface Source {
  readonly file: string;
  readonly href: string;
  readonly rendered: RenderedPage;
}

async function readPages(root: string, files: readonly string[], addresses: Addresses): Promise<readonly Source[]> {
  return await Promise.all(
    files.map(async (file) => ({
      file,
      href: addresses.get(file)!.href,
      rendered: renderMarkdown(await readFile(path.join(root, file), 'utf8'), (href) => targetIn(addresses, file, href)),
    })),
  );
}

const listed = ({ href, rendered }: Source): ListedPage => ({ href, title: rendered.title });

function pagesOf(sources: readonly Source[], rest: (source: Source) => Pick<Page, 'part' | 'groups' | 'other'>): readonly Page[] {
  return sources.map((source, at) => ({
    ...rest(source),
    ...source.rendered,
    href: source.href,
    before: at === 0 ? null : listed(sources[at - 1]!),
    after: at === sources.length - 1 ? null : listed(sources[at + 1]!),
  }));
}

function peoplePart(language: HelpLanguage, sources: readonly Source[], docsHref: string): readonly Page[] {
  const other = language === 'pt' ? 'en' : 'pt';
  const groups: readonly ListedGroup[] = [
    { title: null, pages: sources.map(listed) },
    {
      title: null,
      pages: [
        { href: docsHref, title: toDocs[language] },
        { href: '/', title: toDesktop[language] },
      ],
    },
  ];
  const words: Words = { pt: languageNames[other], en: languageNames[other] };
  return pagesOf(sources, ({ href }) => ({
    part: language,
    groups,
    other: { href: href.replace(`/${language}/`, `/${other}/`), words, lang: languageTags[other] },
  }));
}

function docsPart(sources: readonly Source[], index: ListedPage): readonly Page[] {
  const byName = new Map(sources.map((source) => [path.basename(source.file, '.md'), source]));
  const groups = groupsOf([...byName.keys()]).map(({ title, pages }) => ({ title, pages: pages.map((name) => byName.get(name)!) }));
  const ordered = groups.flatMap(({ pages }) => pages);
  const rest = {
    part: 'docs',
    groups: [
      ...groups.map(({ title, pages }) => ({ title, pages: pages.map(listed) })),
      {
        title: null,
        pages: [
          { href: `${helpRoot}/`, title: toPeople.en, words: toPeople },
          { href: '/', title: toDesktop.en, words: toDesktop },
        ],
      },
    ],
    other: { href: `${helpRoot}/`, words: toPeople, lang: null },
  } as const;
  const first: Page = { ...rest, ...index, headings: [], before: null, after: listed(ordered[0]!), html: docsIndex(groups) };
  return [first, ...pagesOf(ordered, () => rest)];
}

/** The first page of the docs: each page with the first sentence of its text. */
function docsIndex(groups: readonly { readonly title: Words; readonly pages: readonly Source[] }[]): string {
  const lead = `How to write apps for this portal, how to run one, and how it is made. To use the desktop, read [${toPeople.en}](/ajuda/).`;
  const lists = groups.map(({ title, pages }) => {
    const items = pages.map(
      ({ href, rendered }) => `- [${rendered.title}](${href})${firstSentence(rendered) === '' ? '' : `: ${firstSentence(rendered)}`}`,
    );
    return `## ${title.en}\n\n${items.join('\n')}`;
  });
  const records =
    'Numbers such as 0219 name records of decisions, and some words name files: both are in the folder `docs/` and beside it, where svc is installed.';
  return renderMarkdown([lead, ...lists, records].join('\n\n'), (href) => ({ href, title: null })).html;
}

/** Sentences about how a page is made say nothing of what is in it. */
function firstSentence({ lead }: RenderedPage): string {
  const text = lead.replace(/^Written by .*?[.;](?=\s|$)\s*/, '');
  const sentence = /^.{20,160}?[.:;](?=\s|$)/.exec(text)?.[0] ?? (text === '' ? '' : `${text.slice(0, 120).replace(/\s\S*$/, '')} …`);
  return sentence.replace(/[:;]$/, '.').replaceAll(/[[\]<>*_`\\]/g, String.raw`\$&`);
}

const indexed = ({ href, rendered: { title, sections } }: Source): IndexedPage => ({
  href,
  title,
  sections: sections.filter(({ text, heading }) => text !== '' || heading !== ''),
});

/** Paths below `/ajuda/`, with their text. `root` is the checkout. */
export async function makeHelp(root: string): Promise<ReadonlyMap<string, string>> {
  const docs = (await readdir(path.join(root, 'docs'))).filter((name) => name.endsWith('.md')).toSorted();
  const people = helpLanguages.map((language) => peoplePages.map((name) => [language, `shell/help/${language}/${name}.md`, name] as const));
  const places = [
    ...docs.map((name) => [`docs/${name}`, `${helpRoot}/docs/${name.replace(/md$/, 'html')}`] as const),
    ...people.flat().map(([language, file, name]) => [file, `${helpRoot}/${language}/${name === 'index' ? '' : `${name}.html`}`] as const),
  ];
  const addresses = new Map(
    await Promise.all(
      places.map(async ([file, href]) => [file, { href, title: titleOf(await readFile(path.join(root, file), 'utf8')) }] as const),
    ),
  );
  const docsIndexPage = { href: `${helpRoot}/docs/`, title: 'Documentation' };
  const ofDocs = await readPages(
    root,
    docs.map((name) => `docs/${name}`),
    addresses,
  );
  const parts: [string, readonly Source[], readonly Page[]][] = [['docs', ofDocs, docsPart(ofDocs, docsIndexPage)]];
  for (const [at, language] of helpLanguages.entries()) {
    const sources = await readPages(
      root,
      people[at]!.map(([, file]) => file),
      addresses,
    );
    parts.push([language, sources, peoplePart(language, sources, docsIndexPage.href)]);
  }
  const fileOf = (href: string): string => `${href.slice(helpRoot.length + 1)}${href.endsWith('/') ? 'index.html' : ''}`;
  return new Map([
    ...parts.flatMap(([, , pages]) => pages.map((page) => [fileOf(page.href), pageHtml(page)] as const)),
    ...parts.map(([part, sources]) => [`search-${part}.json`, JSON.stringify(sources.map(indexed))] as const),
  ]);
}

/** The help as it is built: what it has, and where its links lead. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeHelp } from './make-help.ts';
import { docsGroups, groupsOf, helpLanguages, peoplePages } from './pages.ts';
import { renderMarkdown } from './render-markdown.ts';

const root = path.resolve(import.meta.dirname, '../..');
const docs = readdirSync(path.join(root, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => name.replace(/\.md$/, ''));

let pages: ReadonlyMap<string, string>;
beforeAll(async () => {
  pages = await makeHelp(root);
});

const html = (): readonly (readonly [string, string])[] => [...pages].filter(([name]) => name.endsWith('.html'));
/** The file of an address, and the place in it. */
function placeOf(from: string, href: string): { file: string; id: string } {
  const { pathname, hash } = new URL(href, `http://portal/ajuda/${from}`);
  const file = pathname.slice('/ajuda/'.length);
  return { file: file === '' || file.endsWith('/') ? `${file}index.html` : file, id: decodeURIComponent(hash.slice(1)) };
}
const linksOf = (text: string): string[] => [...text.matchAll(/<a [^>]*?href="([^"]*)"/g)].map(([, href = '']) => href);

describe('pages', () => {
  test('each page of docs/ is one of the help, and in the list of every other', () => {
    expect(docs.filter((name) => !pages.has(`docs/${name}.html`))).toEqual([]);
    const [, nav = ''] = /<nav id="pages"[^>]*>(.*?)<\/nav>/s.exec(pages.get('docs/index.html')!) ?? [];
    expect(
      linksOf(nav)
        .filter((href) => href.startsWith('/ajuda/docs/'))
        .toSorted(),
    ).toEqual(docs.map((name) => `/ajuda/docs/${name}.html`).toSorted());
  });

  test('no group names a page of docs/ that is not there, or one twice', () => {
    const named = docsGroups.flatMap((group) => group.pages);
    expect(named.filter((name) => !docs.includes(name))).toEqual([]);
    expect(named).toHaveLength(new Set(named).size);
  });

  test('a page that no group names is in the last one', () => {
    const [first, last] = groupsOf(
      ['new', 'a'],
      [
        { title: { pt: '', en: '' }, pages: ['a', 'gone'] },
        { title: { pt: '', en: '' }, pages: [] },
      ],
    );
    expect([first?.pages, last?.pages]).toEqual([['a'], ['new']]);
  });

  test.for(helpLanguages)('each page for people in %s is in the list, in its order', (language) => {
    const files = readdirSync(path.join(root, 'shell/help', language)).toSorted();
    expect(files).toEqual(peoplePages.map((name) => `${name}.md`).toSorted());
    expect(peoplePages.filter((name) => !pages.has(`${language}/${name}.html`))).toEqual([]);
  });

  test('the page about failures has the same places in both languages', () => {
    const ids = (language: string): string[] =>
      [...pages.get(`${language}/failures.html`)!.matchAll(/<h2 id="([^"]*)"/g)].map(([, id = '']) => id);
    expect(ids('pt')).toEqual(ids('en'));
    // Led to by api/portal/people-page.ts and api/proxy/panel.ts.
    expect(ids('en')).toEqual(expect.arrayContaining(['app', 'not-found', 'pass-refused', 'rate-limited', 'internal']));
  });
});

describe('links', () => {
  test('each one leads to a page of the help and to a place in it, to the desktop, or to another site', () => {
    const broken = html().flatMap(([from, text]) =>
      linksOf(text)
        .filter((href) => href !== '/' && !/^https?:/.test(href))
        .filter((href) => {
          const { file, id } = placeOf(from, href);
          if (file === 'index.html') return href !== '/ajuda/';
          return !(id === '' ? pages.has(file) : pages.get(file)?.includes(` id="${id}"`));
        })
        .map((href) => `${from}: ${href}`),
    );
    expect(broken).toEqual([]);
  });

  test('each thing that the search finds has an address', () => {
    const found = [...pages]
      .filter(([name]) => name.endsWith('.json'))
      .flatMap(([, text]) => JSON.parse(text) as { href: string; sections: { id: string }[] }[])
      .flatMap(({ href, sections }) => sections.map(({ id }) => ({ file: placeOf('', href).file, id })));
    expect(found.length).toBeGreaterThan(300);
    expect(found.filter(({ file, id }) => !(id === '' ? pages.has(file) : pages.get(file)?.includes(` id="${id}"`)))).toEqual([]);
  });

  test('no page has a script or a style of its own: the policy of the portal allows none', () => {
    const own = /<script(?![^>]* src="\/ajuda\/)|<style|<[^>]+ (?:style|on\w+)=/;
    expect(
      html()
        .filter(([, text]) => own.test(text))
        .map(([name]) => name),
    ).toEqual([]);
  });
});

describe('Markdown', () => {
  test('what looks like a tag is text', () => {
    const { html } = renderMarkdown(
      '# T\n\nA <b onclick="x()">c</b> and\n\n<script>alert(1)</script>\n\n[x](javascript:alert(1))',
      () => null,
    );
    expect(html).not.toMatch(/<script|<b|href/);
    expect(html).toContain('&lt;script&gt;');
  });

  test('a heading that comes twice has two ids; a comment before one gives it', () => {
    const { headings } = renderMarkdown('# T\n\n## A b\n\n## A b\n\n<!-- id: own -->\n## C\n', () => null);
    expect(headings.map(({ id }) => id)).toEqual(['a-b', 'a-b-1', 'own']);
  });

  test('the text of a section is that of its tables, lists and code', () => {
    const { sections } = renderMarkdown('# T\n\n| a | b |\n|---|---|\n| `c` | *d* |\n\n- e\n  - f\n\n```sh\ng\n```\n', () => null);
    expect(sections[0]?.text).toBe('a b c d e f g');
  });
});

import { expect, test } from 'vitest';
import { drawingWork } from './drawing-work.ts';

const svg = (inside: string): string => `<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg">${inside}</svg>`;
const levels = (use: (id: string) => string): string =>
  svg(Array.from({ length: 9 }, (_, n) => `<g id='g${n}'>${n === 0 ? '<path d=""/>' : use(`g${n - 1}`).repeat(10)}</g>`).join('\n'));

test.for<[string, string, number | null]>([
  ['elements', svg('<g><path d="M0 0"/><path d="a>b"></path></g>'), 4],
  ['a use counts what it uses', svg('<defs><g id="a"><path/><path/></g></defs><use href="#a"/><use xlink:href="#a"/>'), 13],
  ['a gradient', svg('<linearGradient id="a"><stop/></linearGradient><rect fill="url(#a)"/><rect style="fill: url( \'#a\' )"/>'), 9],
  ['what uses itself is drawn once', svg('<g id="a"><use href="#a"/></g>'), 3],
  ['comments and words of data are none', svg('<!-- <g> --><text><![CDATA[<g>]]></text>'), 2],
  ['entities of its own', `<!DOCTYPE svg [<!ENTITY a "b">]>${svg('')}`, null],
  ['what is not closed', '<svg><g></svg>', null],
  ['a quote that is not closed', '<svg a="', null],
  ['a comment that is not closed', '<!-- <svg></svg>', null],
  ['text', 'svg', null],
])('%s', ([, text, work]) => {
  expect(drawingWork(text)).toBe(work);
});

test.for<[string, (id: string) => string]>([
  ['use', (id) => `<use href="#${id}"/>`],
  ['a reference to a character', (id) => `<use href="&#35;${id}"/>`],
  ['an escape of an address', (id) => `<use href="#${id.replace('g', '%67')}"/>`],
  ['a pattern', (id) => `<rect fill="url(#${id})"/>`],
  ['a mask by a style', (id) => `<rect style="mask: URL('#${id}')"/>`],
  ['another prefix', (id) => `<use x:href=' #${id} '/>`],
])('nine levels of ten: %s', ([, use]) => {
  expect(drawingWork(levels(use))).toBeGreaterThan(10 ** 8);
});

test('a style sheet counts for each element', () => {
  const text = svg(
    `<style><![CDATA[rect { fill: url(#p) }]]></style><pattern id="p">${'<path/>'.repeat(200)}</pattern>${'<rect/>'.repeat(200)}`,
  );
  expect(drawingWork(text)).toBeGreaterThan(200 * 200);
});

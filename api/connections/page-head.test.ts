/** Pages that load nothing carry their colours with them: they are those of the desktop, light and dark. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const coloursOf = (file: string): readonly (readonly [name: string, value: string])[] =>
  [...readFileSync(new URL(file, import.meta.url), 'utf8').matchAll(/--([\w-]+): ([^;]+);/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ]);

/** The first of each: what a person may choose instead comes after, and is held by test/accents.test.ts. */
const firstColoursOf = (file: string): ReadonlyMap<string, string> => new Map(coloursOf(file).toReversed());
const ofDesktop = firstColoursOf('../../shell/static/shell.css');

test.for([
  ['the pages of the portal and the failure panel', '../proxy/panel/panel.css'],
  ['the page while the portal is away', '../../shell/offline/page.ts'],
] as const)('%s', ([, file]) => {
  const own = [...firstColoursOf(file)];
  expect(own.length).toBeGreaterThan(4);
  expect(own).toEqual(own.map(([name]) => [name, ofDesktop.get(name)]));
});

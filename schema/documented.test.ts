/** The pages that explain codes and reasons, held against the lists they explain. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { errorKinds } from './errors.ts';
import { findingKinds } from './findings.ts';
import { reasons } from './reasons/derived.ts';
import { roomCloseCodes } from './rooms.ts';
import type { EventLine } from './wire/events.ts';

interface Line {
  readonly code: string;
  /** Status and retry class, or the weight; '' for a reason. */
  readonly classes: string;
  readonly cause: string;
}

/** Lines of a page that explain a code: `- \`CODE\` classes: cause. → what to do`. */
function linesOf(page: string): Line[] {
  const text = readFileSync(new URL(`../docs/${page}`, import.meta.url), 'utf8');
  const lines = text.matchAll(/^- `(\w+)`((?: \w+){0,2}): (.*?)(?:\. → .+)?$/gm);
  return Array.from(lines, ([, code = '', classes = '', cause = '']) => ({ code, classes: classes.trim(), cause }));
}

const errorLines = linesOf('errors.md');

test('docs/errors.md explains every code once and no other, with its status and retry class, or its weight', () => {
  const known = [
    ...Object.entries(errorKinds).map(([code, { status, retry }]) => `${code} ${status} ${retry}`),
    ...Object.entries(findingKinds).map(([code, { weight }]) => `${code} ${weight}`),
  ];
  expect(errorLines.map(({ code, classes }) => `${code} ${classes}`).toSorted()).toEqual(known.toSorted());
});

test('docs/reasons.md explains every reason once and no other', () => {
  expect(
    linesOf('reasons.md')
      .map(({ code }) => code)
      .toSorted(),
  ).toEqual(reasons.toSorted());
});

test.for([...errorLines, ...linesOf('reasons.md')])('$code has a cause', ({ cause }) => {
  expect(cause.length).toBeGreaterThan(1);
});

/** The product's sources but for the lists themselves and the catalogues of words. */
function* productTexts(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== 'testing' && entry.name !== 'texts') yield* productTexts(file);
    else if (entry.isFile() && /\.(?:ts|js)$/.test(file) && !/\.test\.ts$|schema\/(?:errors|findings)\.ts$/.test(file))
      yield readFileSync(file, 'utf8');
  }
}

test('no code and no reason is documented that the product never says', () => {
  const root = path.join(import.meta.dirname, '..');
  const folders = ['schema', 'machines', 'reconcilers', 'controller', 'store', 'kit', 'api', 'bin', 'sdk', 'shell'];
  const texts = folders.flatMap((folder) => Array.from(productTexts(path.join(root, folder))));
  const wanted = [...Object.keys(errorKinds), ...Object.keys(findingKinds), ...reasons];
  expect(wanted.filter((word) => !texts.some((text) => text.includes(`'${word}'`)))).toEqual([]);
});

test('docs/rooms.md has each code by which the relay closes a connection, and that of a message in too many parts', () => {
  const page = readFileSync(new URL('../docs/rooms.md', import.meta.url), 'utf8');
  const told = [...page.matchAll(/^\| (\d{4}) \|/gm)].map(([, code]) => Number(code));
  expect(told.toSorted((left, right) => left - right)).toEqual(
    [1008, ...Object.values(roomCloseCodes)].toSorted((left, right) => left - right),
  );
});

test('docs/api.md names each event', () => {
  const types: Record<EventLine['type'], true> = {
    ola: true,
    pulso: true,
    'app-status': true,
    'app-step': true,
    'apps-changed': true,
    avisos: true,
    preferencias: true,
    consentimentos: true,
    trabalhos: true,
    dev: true,
    mudaram: true,
    'install-progress': true,
  };
  const page = readFileSync(new URL('../docs/api.md', import.meta.url), 'utf8');
  const section = page.slice(page.indexOf('## Events'), page.indexOf("## On an app's origin"));
  const told = new Set([...section.matchAll(/["`]([a-z-]+)["`]/g)].map(([, word]) => word));
  expect(Object.keys(types).filter((type) => !told.has(type))).toEqual([]);
});

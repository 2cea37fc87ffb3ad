/** The desktop has no second set beside the UI kit that apps have: what the kit has is not drawn anew. Decision: docs/decisions/0250-one-set-of-elements.md */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const shell = path.resolve(import.meta.dirname, '..');
const sources = globSync('**/*.{ts,html}', { cwd: shell, exclude: (name) => name.endsWith('.test.ts') }).map(
  (name) => [name, readFileSync(path.join(shell, name), 'utf8')] as const,
);

/** File and what it has of its own: why. */
const exceptions = new Map([
  ['files/svc-folder.ts ui-field', 'inputs of files are never seen: only their picker is'],
  ['launcher/svc-launcher.ts ui-field', 'a combobox names what it stands at by its id, which reaches into no shadow tree'],
  ['session/svc-sign-in.ts ui-field', 'password managers look for inputs in the document, in one form'],
]);

/** Elements of the kit; the pattern of a second one; a line that is one, and a line that is none. */
const set: readonly (readonly [string, RegExp, string, string])[] = [
  ['ui-dialog', /<dialog\b|\.showModal\(|createElement\('dialog'\)/, '<dialog open>', '<ui-dialog open>'],
  ['ui-field', /<(input|textarea)\b/, '<input type="radio" />', '<ui-field type="textarea">'],
  ['ui-select', /<select\b/, '<select class="field">', '<ui-select label="a">'],
  ['ui-radio-group', /role="(radio|radiogroup)"/, '<div role="radiogroup">', '<ui-radio-group>'],
  ['ui-checkbox', /role="(checkbox|switch)"/, '<button role="switch">', '<ui-checkbox>'],
  ['ui-tabs', /role="tab(list|panel)?"/, '<div role="tablist">', 'role="table"'],
  ['ui-table', /(?<!<ui-table\b[^`]*)<table\b/, '<table>', '<ui-table label="t">\n  <table>'],
  ['ui-progress', /<progress\b|role="progressbar"/, '<progress max="2">', '<ui-progress>'],
  ['ui-toolbar', /role="toolbar"/, '<div role="toolbar">', '<ui-toolbar>'],
  ['ui-menu', /role="menu(item|itemradio|itemcheckbox)?"/, '<ul role="menu">', 'aria-haspopup="menu"'],
  ['ui-empty', /class="empty"/, '<p class="empty">', '<ui-empty>'],
];

describe.for(set)('%s, and no other', ([tag, raw, own, none]) => {
  test('is what is looked for', () => {
    expect([raw.test(own), raw.test(none)]).toEqual([true, false]);
  });

  test('is what the desktop has', () => {
    expect(sources.some(([, source]) => source.includes(`<${tag}`))).toBe(true);
    const found = sources.flatMap(([name, source]) => (raw.test(source) ? [`${name} ${tag}`] : []));
    expect(found.toSorted()).toEqual([...exceptions.keys()].filter((each) => each.endsWith(` ${tag}`)));
  });
});

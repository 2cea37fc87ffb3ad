/** The accents that a person may choose, in the three stylesheets that draw with them: the same names, and enough contrast (WCAG 2.2, 1.4.3). */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { accents } from '../schema/wire/preferences.ts';

const root = path.resolve(import.meta.dirname, '..');
const sheet = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const [desktop, panel, kit] = ['shell/static/shell.css', 'api/proxy/panel/panel.css', 'sdk/web/ui/svc-ui.css'].map(sheet) as [
  string,
  string,
  string,
];

/** Colours of the accent, light and dark, by their token. */
function colours(css: string, attribute: string, name: string): Record<string, readonly [string, string]> {
  const [, block = ''] = new RegExp(`:root\\[${attribute}='${name}'\\] \\{([^}]*)\\}`).exec(css) ?? [];
  return Object.fromEntries(
    [...block.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(([, token = '', light = '', dark = '']) => [
      token,
      [light, dark],
    ]),
  );
}

function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.039_28 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

test.for(accents.slice(1))('%s is one colour on the desktop and on failure pages, and can be read in apps', (name) => {
  const { focus, ...shown } = colours(desktop, 'data-accent', name);
  expect(focus).toBeDefined();
  expect(colours(panel, 'data-destaque', name)).toEqual(shown);
  const [light = '', dark = ''] = colours(kit, 'data-svc-destaque', name)['svc-acento'] ?? [];
  // Colours of a text that stands beside the accent on the desktop.
  expect([light, dark]).toEqual(shown['accent-ink']);
  // On page and surface, with the words on it.
  for (const ground of ['#f6f7f9', '#ffffff']) expect(contrast(light, ground)).toBeGreaterThanOrEqual(4.5);
  for (const ground of ['#14171c', '#1d2128', '#23272f', '#11161f']) expect(contrast(dark, ground)).toBeGreaterThanOrEqual(4.5);
});

test('no accent is drawn that cannot be chosen', () => {
  for (const [css, attribute] of [
    [desktop, 'data-accent'],
    [panel, 'data-destaque'],
    [kit, 'data-svc-destaque'],
  ] as const) {
    const named = [...css.matchAll(new RegExp(`\\[${attribute}='(\\w+)'\\] \\{`, 'g'))].map(([, name]) => name);
    expect(new Set(named)).toEqual(new Set(accents.slice(1)));
  }
});

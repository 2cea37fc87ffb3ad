/** The stylesheet has what a person can choose, and white is read on it and it is read on the surfaces (WCAG 2.2, 1.4.3), light and dark. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { accents, walls } from '../../schema/wire/preferences.ts';

const css = readFileSync(path.join(import.meta.dirname, '../static/shell.css'), 'utf8');
const samples = readFileSync(path.join(import.meta.dirname, '../settings/settings-styles.ts'), 'utf8');

/** Colours of both themes, by token. */
function tokens(rule: string, of = css): ReadonlyMap<string, readonly [string, string]> {
  const start = of.indexOf(`${rule} {`);
  const body = start === -1 ? '' : of.slice(start, of.indexOf('}', start));
  return new Map(
    [...body.matchAll(/(--[\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(([, name = '', light = '', dark = '']) => [
      name,
      [light, dark],
    ]),
  );
}

const channel = (value: number): number => (value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => channel(Number.parseInt(colour.slice(at, at + 2), 16) / 255));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const root = tokens(':root');

test.for(accents)('accent %s', (name) => {
  const own = name === 'azul' ? root : tokens(`:root[data-accent='${name}']`);
  for (const theme of [0, 1] as const) {
    const token = (of: ReadonlyMap<string, readonly [string, string]>, wanted: string): string => of.get(wanted)?.[theme] ?? '';
    for (const ground of ['--accent', '--accent-strong']) expect(contrast('#ffffff', token(own, ground))).toBeGreaterThanOrEqual(4.5);
    for (const surface of ['--surface', '--raised', '--field', '--wall'])
      expect([name, theme, surface, contrast(token(own, '--accent-ink'), token(root, surface)) >= 4.5]).toEqual([
        name,
        theme,
        surface,
        true,
      ]);
    expect(contrast(token(own, '--focus'), token(root, '--surface'))).toBeGreaterThanOrEqual(3);
  }
  const [light, dark] = own.get('--accent') ?? ['', ''];
  expect(samples).toContain(`.${name} {\n    background: light-dark(${light}, ${dark});`);
});

const grounds = ['--surface', '--raised', '--field', '--title-idle', '--terminal'];
const everywhere = [...grounds, '--wall', '--wall-glow', '--wall-glow-2', '--wall-edge', '--title', '--hover', '--selected', '--note'];
test.for([
  ['--ink', everywhere],
  ['--muted', everywhere],
  ['--wall-muted', everywhere],
  // On the glow of the wall nothing is written with it.
  ['--accent-ink', everywhere.filter((ground) => !ground.startsWith('--wall-glow'))],
  ['--on-note', ['--note']],
  ['--on-danger', ['--danger']],
  ['--danger', grounds],
  ['--good', grounds],
] as const)('%s is read on all that it may stand on, in both themes (WCAG 2.2, 1.4.3)', ([ink, on]) => {
  const faint = on.filter(
    (ground) => !([0, 1] as const).every((theme) => contrast(root.get(ink)![theme], root.get(ground)![theme]) >= 4.5),
  );
  expect(faint).toEqual([]);
});

test.for(['light', 'dark'])('borders of fields are seen on all that they stand on (WCAG 2.2, 1.4.11): %s', (theme) => {
  const at = theme === 'light' ? 0 : 1;
  const kit = readFileSync(path.join(import.meta.dirname, '../../sdk/web/ui/svc-ui.css'), 'utf8');
  const ofApps = tokens(':root', kit);
  expect(css).toContain('--svc-borda-campo: var(--line-field);');
  const seen = (of: ReadonlyMap<string, readonly [string, string]>, border: string, grounds: readonly string[]): string[] =>
    grounds.filter((ground) => !(contrast(of.get(border)![at], of.get(ground)![at]) >= 3));
  expect(seen(root, '--line-field', ['--surface', '--raised', '--field', '--wall', '--title', '--title-idle', '--selected'])).toEqual([]);
  expect(seen(ofApps, '--svc-borda-campo', ['--svc-fundo', '--svc-superficie', '--svc-superficie-alta', '--svc-alto'])).toEqual([]);
});

test.for(walls.slice(1))('wallpaper %s is drawn, and has its picture in Settings', (name) => {
  expect(css).toContain(`:root[data-wall='${name}'] body {`);
  expect(samples).toContain(`  .${name} {`);
});

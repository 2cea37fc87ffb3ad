/**
 * The rules 2.1 `opens` written a second time, as a search over claims instead of a chain of questions, with a table of kinds of its own
 * that holds what the generated files use. For the properties of elections.test.ts.
 */
import type { Opener } from '../file-type.ts';

/** Treatment of an extension by the desktop: `O`: its own, to no app by itself; `V`: it can show it; `-`: it only draws it. */
export const world: Readonly<Record<string, 'O@editor' | 'O@files' | 'O@viewer' | 'V@viewer' | '-'>> = {
  py: 'O@editor',
  txt: 'O@editor',
  tar: 'O@files',
  gz: 'O@files',
  'tar.gz': 'O@files',
  html: 'O@viewer',
  png: 'V@viewer',
  svg: 'V@viewer',
  mp3: 'V@viewer',
  pdf: 'V@viewer',
  docx: '-',
};
export const mediaWorld: Readonly<Record<string, string>> = {
  'text/x-python': 'O@editor',
  'text/plain': 'O@editor',
  'application/gzip': 'O@files',
  'image/png': 'V@viewer',
  'application/x-traco': '',
};

export interface Case {
  /** Without the name before the first dot. */
  readonly ends: readonly string[];
  readonly mime: string | null;
  readonly apps: readonly Opener[];
  readonly tipos: Readonly<Record<string, string>>;
}

/** `app:ID`, a destination, or `ask`. */
export function expected({ ends, mime, apps, tipos }: Case): string {
  const wholeEnds = ends.map((_end, at) => ends.slice(at).join('.'));
  const claims = apps.flatMap((app) => [
    ...app.tipos.map(({ extensao, pede }) => ({ app: app.id, on: extensao, pede })),
    ...app.midias.map(({ tipo, pede }) => ({ app: app.id, on: tipo, pede })),
  ]);
  const known = wholeEnds.filter((end) => end in world || claims.some(({ on }) => on === end));
  const type = known.length > 0 ? known[0]! : (wholeEnds[wholeEnds.length - 1] ?? null);
  const rule = known.length > 0 ? (world[type!] ?? '') : mime === null ? '' : (mediaWorld[mime] ?? '');
  const claimed = (on: string | null): readonly string[] =>
    on === null ? [] : claims.filter((claim) => claim.on === on).map(({ app }) => app);
  const wish = tipos[type ?? mime ?? ''];
  if (wish !== undefined) {
    if (!wish.startsWith('@') && (claimed(type).includes(wish) || claimed(mime).includes(wish))) return `app:${wish}`;
    const shows = [rule.slice(1), ...(type === 'svg' || type === 'html' || rule === '' ? ['@editor'] : [])];
    if (wish.startsWith('@') && shows.includes(wish)) return wish;
  }
  if (rule.startsWith('O')) return rule.slice(1);
  const on = claimed(type).length > 0 ? type : mime;
  const mine = claimed(on);
  if (mine.length === 1) return `app:${mine[0]}`;
  // An app that asks for the extension may have declared the media type alone, and the other way round.
  const wanting = mine.filter((id) => claims.some(({ app, on: what, pede }) => app === id && pede && (what === type || what === mime)));
  if (wanting.length === 1) return `app:${wanting[0]}`;
  if (wanting.length === 0 && rule.startsWith('V')) return rule.slice(1);
  return 'ask';
}

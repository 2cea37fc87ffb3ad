import { describe, expect, test } from 'vitest';
import { elected, openerOf, openers, type Opener } from './elections.ts';

const app = (id: string, types: Readonly<Record<string, boolean>>): Opener => ({
  id,
  nome: id.toUpperCase(),
  tipos: Object.entries(types).map(([extensao, pede]) => ({ extensao, pede })),
});
const [quiet, asking, rival, other] = [
  app('q', { nota: false, py: true }),
  app('a', { nota: true }),
  app('r', { nota: true }),
  app('o', { odt: false }),
];

describe('who opens a kind of file', () => {
  // Source: spec 2.1 `opens.default`.
  test.for([
    ['the only app that declares it, whether it asks or not', [quiet], 'nota', {}, 'q'],
    ['the only one of several that asks for it', [quiet, asking], 'nota', {}, 'a'],
    ['none of two that ask', [quiet, asking, rival], 'nota', {}, null],
    ['none of two that do not ask', [quiet, app('z', { nota: false })], 'nota', {}, null],
    ['whom the person chose, above who asks', [quiet, asking], 'nota', { nota: 'q' }, 'q'],
    ['whom the person chose, of two that ask', [asking, rival], 'nota', { nota: 'r' }, 'r'],
    ['as without a choice where the chosen app is gone', [quiet, asking], 'nota', { nota: 'gone' }, 'a'],
    ['as without a choice where the chosen app declares it no longer', [quiet, asking, other], 'nota', { nota: 'o' }, 'a'],
    ['nobody, where none declares it', [other], 'nota', { nota: 'o' }, null],
    ['the desktop, where the kind has a destination of its own', [quiet], 'py', {}, null],
    ['whom the person chose, there as well', [quiet], 'py', { py: 'q' }, 'q'],
  ] as const)('%s', ([, apps, extension, tipos, id]) => {
    expect(openerOf(extension, apps, { tipos })?.id ?? null).toBe(id);
  });

  test.for(['ts', 'html', 'zip', 'txt', 'tar'])('.%s goes to no app by itself', (extension) => {
    expect(elected(extension, [app('x', { [extension]: true })])).toBeNull();
  });

  test('kinds are listed in the order of the alphabet, each with its apps', () => {
    const listed = [...openers([asking, quiet, other])].map(([extension, apps]) => [extension, apps.map(({ id }) => id).join()]);
    expect(listed).toEqual([
      ['nota', 'a,q'],
      ['odt', 'o'],
      ['py', 'q'],
    ]);
  });
});

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mergePatch } from '../../schema/wire/merge-patch.ts';
import type { Preferences, PreferencesPatch } from '../../schema/wire/preferences.ts';
import { createPreferencesModel, type PreferencesPortal } from './model.ts';
import { isPinned, pinnedAmong, pinning } from './pins.ts';

/** A portal that several pages share: one document, and who read an older one is told so. */
function sharedPortal(value: Preferences = {}) {
  const seen = { reads: 0, refused: 0, writes: 0, value, down: false };
  let version = 1;
  const now = () => ({ etag: `"${version}"`, value: seen.value });
  const page = (): PreferencesPortal => ({
    read: async () => {
      seen.reads += 1;
      if (seen.down) throw new Error('away');
      return now();
    },
    change: async (patch, etag) => {
      await Promise.resolve();
      if (seen.down) throw new Error('away');
      if (etag !== `"${version}"`) {
        seen.refused += 1;
        return null;
      }
      version += 1;
      seen.writes += 1;
      seen.value = mergePatch(seen.value, patch) as Preferences;
      return now();
    },
  });
  return { seen, page };
}
const event = (etag: string) => ({ type: 'preferencias', etag }) as const;
const settled = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 0));

describe('two pages', () => {
  test('that change different fields at the same moment lose nothing', async () => {
    const { seen, page } = sharedPortal();
    const [one, other] = [createPreferencesModel(page()), createPreferencesModel(page())];
    one.refresh();
    other.refresh();
    await settled();
    await Promise.all([one.change({ tema: 'escuro' }), other.change({ idioma: 'en' }), one.change({ padroes: { terminal: 'concha' } })]);
    await other.change({ padroes: { editor: 'pena' } });
    expect(seen.value).toEqual({ tema: 'escuro', idioma: 'en', padroes: { terminal: 'concha', editor: 'pena' } });
    expect(seen.refused).toBeGreaterThan(0);
    expect(other.state.get()).toEqual(seen.value);
  });

  test('that give the same field a value: the later one wins, and the first is told what is', async () => {
    const { seen, page } = sharedPortal();
    const [one, other] = [createPreferencesModel(page()), createPreferencesModel(page())];
    await one.change({ tema: 'escuro' });
    await other.change({ tema: 'claro' });
    expect([seen.value.tema, one.state.get()?.tema]).toEqual(['claro', 'escuro']);
    one.apply(event('"3"'));
    await settled();
    expect(one.state.get()?.tema).toBe('claro');
  });

  test('that pin at the same moment: both are pinned, in the order in which they were written', async () => {
    const { seen, page } = sharedPortal({ fixados: ['a', 'b'] });
    const [one, other] = [createPreferencesModel(page()), createPreferencesModel(page())];
    await Promise.all([one.change(pinning('c', true)), other.change(pinning('d', true)), other.change(pinning('a', false))]);
    expect(seen.value.fixados?.toSorted()).toEqual(['b', 'c', 'd']);
  });

  test('any changes of any pages: every field and every entry holds the last value that was written to it', async () => {
    const patch: fc.Arbitrary<PreferencesPatch> = fc.oneof(
      fc.record({ tema: fc.constantFrom('claro', 'escuro', null) }),
      fc.record({ idioma: fc.constantFrom('pt', 'en', null) }),
      fc.record({ padroes: fc.dictionary(fc.constantFrom('terminal', 'editor'), fc.constantFrom('a', 'b', null), { minKeys: 1 }) }),
    ) as fc.Arbitrary<PreferencesPatch>;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(2), patch), { maxLength: 12 }), async (steps) => {
        const { seen, page } = sharedPortal();
        const written: PreferencesPatch[] = [];
        const pages = [0, 1, 2].map(() => {
          const portal = page();
          return createPreferencesModel({
            ...portal,
            change: async (asked, etag) => {
              const answer = await portal.change(asked, etag);
              if (answer !== null) written.push(asked);
              return answer;
            },
          });
        });
        await Promise.all(steps.map(async ([at, asked]) => pages[at]?.change(asked)));
        expect(written).toHaveLength(steps.length);
        expect(seen.value).toEqual(written.reduce<unknown>((value, asked) => mergePatch(value, asked), {}));
      }),
    );
  });
});

test('a change is shown at once, and what the portal keeps is shown again when it takes it not', async () => {
  const { seen, page } = sharedPortal({ tema: 'claro', padroes: { terminal: 'concha' } });
  const model = createPreferencesModel(page());
  model.refresh();
  await settled();
  seen.down = true;
  const refused = model.change({ tema: 'escuro', padroes: { terminal: null, editor: 'pena' } });
  expect(model.state.get()).toEqual({ tema: 'escuro', padroes: { editor: 'pena' } });
  await expect(refused).rejects.toThrow('away');
  expect(model.state.get()).toEqual({ tema: 'claro', padroes: { terminal: 'concha' } });
  // The next one is not held up by it.
  seen.down = false;
  await model.change({ idioma: 'en' });
  expect(model.state.get()).toEqual({ tema: 'claro', idioma: 'en', padroes: { terminal: 'concha' } });
});

test('a change that finds what it wants there writes nothing', async () => {
  const { seen, page } = sharedPortal({ fixados: ['a'] });
  const model = createPreferencesModel(page());
  await model.change(pinning('a', true));
  expect(seen).toMatchObject({ writes: 0, value: { fixados: ['a'] } });
});

test('who is always too late gives up after twenty times, and says so', async () => {
  let asked = 0;
  const model = createPreferencesModel({
    read: async () => ({ etag: '"1"', value: {} }),
    change: async () => {
      asked += 1;
      return null;
    },
  });
  await expect(model.change({ tema: 'escuro' })).rejects.toThrow('all the time');
  expect([asked, model.state.get()]).toEqual([20, {}]);
});

test('its own change, told by the portal, is not read again', async () => {
  const { seen, page } = sharedPortal();
  const model = createPreferencesModel(page());
  await model.change({ tema: 'escuro' });
  const { reads } = seen;
  model.apply(event('"2"'));
  model.apply({ type: 'apps-changed' });
  await settled();
  expect(seen.reads).toBe(reads);
});

test('pinned are the apps that are installed, in their order; a removed one keeps its place', () => {
  const apps = [{ id: 'a' }, { id: 'b' }, { id: 'c' }];
  expect(pinnedAmong({ fixados: ['c', 'gone', 'a'] }, apps)).toEqual([{ id: 'c' }, { id: 'a' }]);
  expect([pinnedAmong(null, apps), isPinned(null, 'a'), isPinned({ fixados: ['a'] }, 'a')]).toEqual([[], false, true]);
});

describe('readings and answers that overtake each other', () => {
  const now = (n: number) => ({ etag: `"${n}"`, value: { idioma: n % 2 === 0 ? 'pt' : 'en', versao: n } as unknown as Preferences });
  const versionOf = (value: Preferences | null): unknown => (value as { readonly versao?: number } | null)?.versao;
  /** Answers when the test says so. */
  function slowPortal() {
    const reads: ((n: number) => void)[] = [];
    const changes: ((n: number) => void)[] = [];
    const ask = (waiting: ((n: number) => void)[]) => async () =>
      await new Promise<ReturnType<typeof now>>((resolve) => void waiting.push((n) => resolve(now(n))));
    return { reads, changes, portal: { read: ask(reads), change: ask(changes) } satisfies PreferencesPortal };
  }

  test.for([
    ['in order', [0, 1]],
    ['the later first', [1, 0]],
  ] as const)('of two readings under way the later one is shown: %s', async ([, order]) => {
    const { reads, portal } = slowPortal();
    const model = createPreferencesModel(portal);
    model.refresh();
    model.refresh();
    for (const which of order) {
      reads[which]!(which + 1);
      await settled();
    }
    expect(versionOf(model.state.get())).toBe(2);
  });

  test('a reading that an answer to a change overtook is done again', async () => {
    const { reads, changes, portal } = slowPortal();
    const model = createPreferencesModel(portal);
    model.refresh();
    reads[0]!(1);
    await settled();
    const changed = model.change({ tema: 'escuro' });
    await settled();
    model.refresh();
    changes[0]!(2);
    await changed;
    reads[1]!(3);
    await settled();
    reads[2]!(3);
    await settled();
    expect(versionOf(model.state.get())).toBe(3);
  });

  test('what another page wrote behind this page’s own change is read, although it was told before the answer', async () => {
    const { reads, changes, portal } = slowPortal();
    const model = createPreferencesModel(portal);
    model.refresh();
    reads[0]!(1);
    await settled();
    const changed = model.change({ tema: 'escuro' });
    await settled();
    model.apply(event('"2"'));
    model.apply(event('"3"'));
    changes[0]!(2);
    await changed;
    await settled();
    reads[1]!(3);
    await settled();
    expect(versionOf(model.state.get())).toBe(3);
  });

  test('what was told of this page’s own change is not read again', async () => {
    const { reads, changes, portal } = slowPortal();
    const model = createPreferencesModel(portal);
    model.refresh();
    reads[0]!(1);
    await settled();
    const changed = model.change({ tema: 'escuro' });
    await settled();
    model.apply(event('"2"'));
    changes[0]!(2);
    await changed;
    await settled();
    expect(reads).toHaveLength(1);
  });
});

/** Passkeys and their challenges; for every driver. */
import { expect, test } from 'vitest';
import { limits } from './limits.ts';
import type { Store, StoredPasskey } from './store.ts';

export function passkeyTests(store: () => Store): void {
  const row = (id: string, person = 'ana'): StoredPasskey => {
    const made = { publicKey: 'pk', counter: 3, transports: ['usb', 'nfc'], isBackedUp: true, name: 'Chave ✓', madeAtMs: 5, usedAtMs: 0 };
    return { id, person, ...made };
  };

  test('a passkey is kept once, counts up, is renamed and removed by its person alone', async () => {
    expect(await store().addPasskey(row('a'))).toBe('added');
    expect(await store().addPasskey(row('a', 'bia'))).toBe('taken');
    expect([await store().passkey('a'), await store().passkey('b')]).toEqual([row('a'), null]);
    const use = async (id: string, counter: number) => await store().usePasskey(id, { counter, isBackedUp: false, usedAtMs: 9 });
    expect([await use('a', 3), await use('a', 0), await use('a', 4), await use('a', 4), await use('b', 9)]).toEqual([
      false,
      false,
      true,
      false,
      false,
    ]);
    await store().addPasskey({ ...row('zero'), counter: 0 });
    expect([await use('zero', 0), await use('zero', 0), await use('zero', 1), await use('zero', 0)]).toEqual([true, true, true, false]);
    expect([await store().renamePasskey('bia', 'a', 'x'), await store().renamePasskey('ana', 'a', 'Y')]).toEqual([false, true]);
    expect(await store().passkey('a')).toEqual({ ...row('a'), counter: 4, isBackedUp: false, usedAtMs: 9, name: 'Y' });
    expect([await store().deletePasskey('bia', 'a'), await store().deletePasskey('ana', 'a')]).toEqual([false, true]);
    await store().deletePasskeysOf('ana');
    expect(await store().passkeys('ana')).toEqual([]);
  });

  test('a person has so many, also of those that are made at the same time', async () => {
    const asked = Array.from({ length: limits.passkeysPerPersonMax + 3 }, (_, n) => store().addPasskey(row(`k${n}`)));
    expect((await Promise.all(asked)).filter((each) => each === 'many')).toHaveLength(3);
    expect(await store().addPasskey(row('other', 'bia'))).toBe('added');
  });

  test('a challenge counts once until it expires', async () => {
    const once = await Promise.all([store().spendChallenge('c', 10, 1), store().spendChallenge('c', 10, 1)]);
    expect([once.filter(Boolean).length, await store().spendChallenge('c', 10, 9), await store().spendChallenge('d', 20, 10)]).toEqual([
      1,
      false,
      true,
    ]);
  });
}

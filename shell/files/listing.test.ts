import { afterEach, describe, expect, test, vi } from 'vitest';
import type { FileItem } from '../../schema/wire/files.ts';
import { ApiError } from '../session/api.ts';
import { createListing, pageItems, type Page } from './listing.ts';

const item = (n: number): FileItem => ({
  nome: `n${n}`,
  caminho: `/f/n${n}`,
  tipo: 'arquivo',
  bytes: 0,
  modificadoMs: 0,
  modo: 0,
  oculto: false,
  atalho: false,
});

/** A folder of `total` entries; answers are held until `answer`. */
function folder(total: number) {
  const now = { total, version: 'v1' };
  const asked: { readonly desde: number; readonly versao: string | undefined }[] = [];
  const listing = createListing(async ({ desde, limite, versao }): Promise<Page> => {
    asked.push({ desde, versao });
    await Promise.resolve();
    const itens = Array.from({ length: Math.max(0, Math.min(limite, now.total - desde)) }, (_, at) => item(desde + at));
    return { total: now.total, ocultos: 0, itens, versao: now.version, cortada: false };
  });
  return { listing, asked, now };
}
const settled = async (): Promise<void> => await new Promise((resolve) => void setTimeout(resolve, 5));

describe('a listing', () => {
  test('reads what is looked at, each page once, and in one version', async () => {
    const { listing, asked } = folder(100_000);
    listing.ensure(0, 40);
    listing.ensure(0, 40);
    await settled();
    expect(listing.state.get()).toMatchObject({ total: 100_000, problem: null });
    listing.ensure(50_000, 50_040);
    await settled();
    expect(asked).toEqual([
      { desde: 0, versao: undefined },
      { desde: 50_000, versao: 'v1' },
    ]);
    expect(listing.at(50_039)?.nome).toBe('n50039');
    expect(listing.at(70_000)).toBeUndefined();
    expect(listing.indexOf('/f/n50001')).toBe(50_001);
  });

  test('asked for anew while it is read, it is shown as it was read, and read once more; closed, no more', async () => {
    const { listing, asked, now } = folder(10);
    const shown: (number | null)[] = [];
    listing.state.subscribe(() => shown.push(listing.state.get().total));
    listing.ensure(0, 10);
    listing.refresh();
    listing.refresh();
    now.total = 11;
    now.version = 'v2';
    await settled();
    expect([asked.length, shown.at(0), shown.at(-1)]).toEqual([2, 11, 11]);
    listing.refresh();
    listing.refresh();
    listing.close();
    await settled();
    expect(asked).toHaveLength(3);
  });

  test('all of it comes in few answers', async () => {
    const { listing, asked } = folder(12_345);
    listing.ensure(0, 10);
    await settled();
    const all = await listing.range(0, 12_345);
    expect([all.length, all.at(-1)?.nome]).toEqual([12_345, 'n12344']);
    expect(asked.length).toBeLessThan(6);
  });

  test('an answer that a limit cut short inside a page leaves no hole', async () => {
    const listing = createListing(async ({ desde, limite }): Promise<Page> => {
      await Promise.resolve();
      const itens = Array.from({ length: Math.max(0, Math.min(limite, 500, 1_234 - desde)) }, (_, at) => item(desde + at));
      return { total: 1_234, ocultos: 0, itens, versao: 'v', cortada: false };
    });
    listing.ensure(0, 10);
    await settled();
    expect((await listing.range(0, 1_234)).map(({ nome }) => nome)).toEqual(Array.from({ length: 1_234 }, (_, n) => `n${n}`));
  });

  test('a folder that changed is read anew where it is looked at, and nothing of before stays', async () => {
    const { listing, now } = folder(1_000);
    listing.ensure(0, 40);
    await settled();
    listing.ensure(600, 640);
    await settled();
    Object.assign(now, { total: 900, version: 'v2' });
    listing.refresh();
    expect(listing.at(600)?.nome).toBe('n600');
    await settled();
    expect(listing.state.get().total).toBe(900);
    expect(listing.at(0)).toBeUndefined();
    expect(listing.at(639)?.nome).toBe('n639');
  });

  test('a folder that became shorter than what is looked at', async () => {
    const { listing, now } = folder(1_000);
    listing.ensure(0, 40);
    await settled();
    listing.ensure(960, 1_000);
    await settled();
    Object.assign(now, { total: pageItems / 2, version: 'v2' });
    listing.refresh();
    await settled();
    expect(listing.state.get().total).toBe(pageItems / 2);
    expect(listing.at(0)?.nome).toBe('n0');
  });

  test('a failure is told and not asked for again by itself; refresh does', async () => {
    let fails = true;
    const listing = createListing(async ({ desde }) => {
      await Promise.resolve();
      if (fails) throw new Error('away');
      return { total: 1, ocultos: 0, itens: [item(desde)], versao: 'v', cortada: false };
    });
    listing.ensure(0, 10);
    await settled();
    expect(listing.state.get().problem).toBeInstanceOf(Error);
    fails = false;
    listing.refresh();
    await settled();
    expect(listing.state.get()).toMatchObject({ total: 1, problem: null });
  });
});

describe('a listing of which a page could not be read now', () => {
  afterEach(() => void vi.useRealTimers());

  function restarting() {
    const now = { isAway: false, asked: 0 };
    const listing = createListing(async ({ desde, limite }): Promise<Page> => {
      now.asked += 1;
      await Promise.resolve();
      if (now.isAway) throw new ApiError(503, 'UNAVAILABLE', 'away');
      return { total: 1_000, ocultos: 0, itens: Array.from({ length: limite }, (_, at) => item(desde + at)), versao: 'v', cortada: false };
    });
    return { listing, now };
  }

  test('is read by itself when the portal is back, and says until then that it is away', async () => {
    vi.useFakeTimers();
    const { listing, now } = restarting();
    listing.ensure(0, 40);
    await vi.advanceTimersByTimeAsync(0);
    now.isAway = true;
    listing.ensure(600, 640);
    const problems: unknown[] = [];
    listing.state.subscribe(() => problems.push(listing.state.get().problem));
    await vi.advanceTimersByTimeAsync(120_000);
    expect(now.asked).toBeGreaterThan(3);
    expect(now.asked).toBeLessThan(30);
    expect(problems).not.toContain(null);
    expect(listing.at(0)?.nome).toBe('n0');
    now.isAway = false;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(listing.state.get().problem).toBeNull();
    expect([listing.at(639)?.nome, listing.at(0)?.nome]).toEqual(['n639', 'n0']);
    // A page that is wanted next is read as ever.
    listing.ensure(400, 440);
    await vi.advanceTimersByTimeAsync(0);
    expect(listing.at(439)?.nome).toBe('n439');
  });

  test('asks no more once it is closed', async () => {
    vi.useFakeTimers();
    const { listing, now } = restarting();
    now.isAway = true;
    listing.ensure(0, 40);
    await vi.advanceTimersByTimeAsync(0);
    listing.close();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(now.asked).toBe(1);
  });
});

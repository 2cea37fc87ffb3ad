import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { UploadBody } from '../../schema/wire/files.ts';
import { ApiError } from '../session/api.ts';
import { nextPieceBytes, pieceBytes, uploadAll, type Conflict, type ToUpload, type UploadParts } from './uploads.ts';

const problem = (status: number, code: string): ApiError => new ApiError(status, code, code);

/** A portal that keeps bytes as the real one does; `fault` may throw before or after an act. */
function portalWith(taken: readonly string[], fault: (act: string, when: 'before' | 'after') => void = () => undefined) {
  const files = new Map<string, Buffer>();
  const folders: string[] = [];
  const open = new Map<string, { readonly body: UploadBody; bytes: Buffer }>();
  const waits: number[] = [];
  const ended = new Map<string, Awaited<ReturnType<UploadParts['endUpload']>>>();
  let lastId = 0;
  const act = async <T>(name: string, run: () => Promise<T> | T): Promise<T> => {
    fault(name, 'before');
    const answer = await run();
    fault(name, 'after');
    return answer;
  };
  const seen = (id: string) => {
    const upload = open.get(id);
    if (upload === undefined) throw problem(404, 'NOT_FOUND');
    return upload;
  };
  const view = (id: string) => ({ id, caminho: seen(id).body.caminho, bytes: seen(id).body.bytes, recebidos: seen(id).bytes.length });
  /** As after its start: what was written last may be missing. */
  const takeUp = (id: string) => {
    const upload = disk.get(id);
    if (upload === undefined) throw problem(404, 'NOT_FOUND');
    upload.bytes = upload.bytes.subarray(0, Math.max(0, upload.bytes.length - 1_000));
    open.set(id, upload);
    return view(id);
  };
  const disk = new Map<string, { readonly body: UploadBody; bytes: Buffer }>();
  /** It is started again; with `loses` what had come is gone, too. */
  const restart = (loses: boolean): void => {
    for (const [id, upload] of open) if (!loses) disk.set(id, upload);
    open.clear();
    ended.clear();
  };
  const parts: UploadParts = {
    isFolder: async (caminho) => Promise.resolve(caminho.endsWith('/pasta')),
    beginUpload: (body) =>
      act('begin', () => {
        if (body.retomar !== undefined) return takeUp(body.retomar);
        if (taken.includes(body.caminho) && body.conflito === 'recusar') throw problem(409, 'FILE_EXISTS');
        const id = `u${(lastId += 1)}`;
        open.set(id, { body, bytes: Buffer.alloc(0) });
        return view(id);
      }),
    seeUpload: (id) => act('see', () => view(id)),
    putPiece: (id, from, piece) =>
      act('put', async () => {
        const upload = seen(id);
        if (from !== upload.bytes.length) throw problem(409, 'CONFLICT');
        upload.bytes = Buffer.concat([upload.bytes, Buffer.from(await piece.arrayBuffer())]);
        return view(id);
      }),
    endUpload: (id, sha256) =>
      act('end', () => {
        const before = ended.get(id);
        if (before !== undefined) return before;
        const { body, bytes } = seen(id);
        expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
        expect(bytes.length).toBe(body.bytes);
        const place = body.conflito === 'renomear' ? `${body.caminho} (2)` : body.caminho;
        files.set(place, bytes);
        const item = {
          nome: '',
          caminho: place,
          tipo: 'arquivo',
          bytes: bytes.length,
          modificadoMs: 0,
          modo: 0,
          oculto: false,
          atalho: false,
        };
        const answer = { item: item as never, sha256 };
        ended.set(id, answer);
        open.delete(id);
        return answer;
      }),
    dropUpload: async (id) => void open.delete(id),
    makeFolder: (path) =>
      act('folder', () => {
        if (folders.includes(path)) throw problem(409, 'FILE_EXISTS');
        folders.push(path);
        return {} as never;
      }),
    wait: async (ms) => void waits.push(ms),
  };
  return { parts, files, folders, open, waits, restart };
}

async function run(
  portal: ReturnType<typeof portalWith>,
  files: readonly ToUpload[],
  answer: (name: string) => Conflict | null = () => null,
  signal = new AbortController().signal,
) {
  const told = { bytes: 0, done: [] as string[], failed: [] as string[], asked: [] as string[], about: [] as string[] };
  const says = {
    arrived: (bytes: number) => void (told.bytes += bytes),
    done: (name: string) => void told.done.push(name),
    failed: (name: string, error: unknown) => void told.failed.push(`${name}: ${(error as ApiError).code}`),
    ask: async ({ name, isFolder, left }: { readonly name: string; readonly isFolder: boolean; readonly left: number }) => {
      told.asked.push(name);
      told.about.push(`${isFolder ? 'folder' : 'file'} ${left}`);
      return await Promise.resolve(answer(name));
    },
  };
  await uploadAll(files, '/home/ana', says, signal, portal.parts);
  return told;
}

const file = (path: string, content: Uint8Array<ArrayBuffer> | string): ToUpload => ({ path, file: new File([content], path) });
const large = new Uint8Array(pieceBytes + 12_345).map((_, at) => at % 251);

describe('uploads', () => {
  test('files of folders arrive whole, each folder made once, odd names exact', async () => {
    const portal = portalWith([]);
    const told = await run(portal, [file('a/b/um.txt', '1'), file('a/b/100%.txt', '2'), file('vazio', ''), file('grande', large)]);
    expect([...portal.files.keys()].toSorted()).toEqual([
      '/home/ana/a/b/100%25.txt',
      '/home/ana/a/b/um.txt',
      '/home/ana/grande',
      '/home/ana/vazio',
    ]);
    expect(portal.files.get('/home/ana/grande')?.equals(large)).toBe(true);
    expect(portal.folders).toEqual(['/home/ana/a', '/home/ana/a/b']);
    expect(told).toMatchObject({ bytes: large.length + 2, failed: [] });
    expect(told.done).toHaveLength(4);
  });

  test.for(['before', 'after'] as const)('a connection that breaks %s each act takes nothing and doubles nothing', async (when) => {
    const broken = new Set<string>();
    const portal = portalWith([], (act, at) => {
      if (at !== when || broken.has(act)) return;
      broken.add(act);
      throw problem(0, 'OFFLINE');
    });
    const told = await run(portal, [file('grande', large)]);
    expect(told).toMatchObject({ bytes: large.length, done: ['grande'], failed: [] });
    expect(portal.files.get('/home/ana/grande')?.equals(large)).toBe(true);
    expect(broken).toContain('put');
  });

  test.for([
    ['put', false],
    ['end', false],
    ['put', true],
    ['end', true],
  ] as const)(
    'a portal that is started again before %s goes on from what it has; lost on its disk (%s) it begins anew',
    async ([name, loses]) => {
      let restarts = 0;
      const portal = portalWith([], (act, at) => {
        if (act !== name || at !== 'before' || restarts >= 2) return;
        restarts += 1;
        portal.restart(loses);
      });
      const told = await run(portal, [file('grande', large)]);
      expect(told).toMatchObject({ bytes: large.length, done: ['grande'], failed: [] });
      expect(portal.files.get('/home/ana/grande')?.equals(large)).toBe(true);
      expect([restarts, portal.open.size]).toEqual([2, 0]);
    },
  );

  test('what does not pass is told, and nothing of it stays', async () => {
    const portal = portalWith([], (act, at) => {
      if (act === 'put' && at === 'before') throw problem(507, 'DISK_FULL');
    });
    const told = await run(portal, [file('um', '1'), file('dois', '2')]);
    expect(told).toMatchObject({ bytes: 0, done: [], failed: ['um: DISK_FULL', 'dois: DISK_FULL'] });
    expect(portal.open.size).toBe(0);
    expect(portal.waits).toEqual([]);
  });

  test('a proxy that takes less than the portal gets smaller pieces, and is tried with larger ones once for all files', async () => {
    const portal = portalWith([]);
    const sizes: number[] = [];
    const { putPiece } = portal.parts;
    const narrow: UploadParts = {
      ...portal.parts,
      putPiece: async (id, from, bytes, signal) => {
        sizes.push(bytes.size);
        if (bytes.size > 1_000_000) throw problem(413, 'HTTP_413');
        return await putPiece(id, from, bytes, signal);
      },
    };
    const told = await run({ ...portal, parts: narrow }, [file('um', large), file('dois', large)]);
    expect(told).toMatchObject({ bytes: 2 * large.length, failed: [] });
    expect(told.done.toSorted()).toEqual(['dois', 'um']);
    expect(portal.files.get('/home/ana/dois')?.equals(large)).toBe(true);
    // The two that were under way at once.
    expect(sizes.filter((size) => size > 1_000_000).length).toBeLessThanOrEqual(2);
    const closed: UploadParts = { ...portal.parts, putPiece: async () => await Promise.reject(problem(413, 'HTTP_413')) };
    expect((await run({ ...portal, parts: closed }, [file('tres', large)])).failed).toEqual(['tres: HTTP_413']);
  });

  test('what passes is tried a bounded number of times', async () => {
    const portal = portalWith([], (act) => {
      if (act === 'begin') throw problem(503, 'SERVER_UNREACHABLE');
    });
    expect((await run(portal, [file('um', '1')])).failed).toEqual(['um: SERVER_UNREACHABLE']);
    expect(portal.waits.length).toBeGreaterThan(3);
    expect(portal.waits.length).toBeLessThan(20);
  });

  test('a name that is taken is asked about: kept beside, skipped, or all are given up', async () => {
    const taken = ['/home/ana/a', '/home/ana/b'];
    const beside = portalWith(taken);
    const told = await run(beside, [file('a', '1'), file('b', '2')], (name) => (name === 'a' ? 'renomear' : 'pular'));
    expect(told).toMatchObject({ asked: ['a', 'b'], done: ['a'], failed: [] });
    expect([...beside.files.keys()]).toEqual(['/home/ana/a (2)']);
    const given = portalWith(taken);
    const after = await run(given, [file('a', '1'), file('b', '2'), file('c', '3'), file('d', '4')], () => null);
    expect(after.failed).toEqual([]);
    expect(given.files.size).toBeLessThan(2);
  });

  test('the question says whether a folder has the name, and how many are left with this one', async () => {
    const portal = portalWith(['/home/ana/pasta', '/home/ana/b']);
    const told = await run(portal, [file('pasta', '1'), file('b', '2')], () => 'renomear');
    expect(told).toMatchObject({ asked: ['pasta', 'b'], about: ['folder 2', 'file 1'], failed: [] });
    expect((await run(portalWith(['/home/ana/b']), [file('b', '2')], () => 'pular')).about).toEqual(['file 1']);
  });

  test('given up by the person: what was begun is dropped', async () => {
    const ended = new AbortController();
    const portal = portalWith([], (act, at) => {
      if (act !== 'put' || at !== 'after') return;
      ended.abort();
      throw problem(0, 'OFFLINE');
    });
    const told = await run(portal, [file('grande', large)], () => null, ended.signal);
    expect(told).toMatchObject({ done: [], failed: [] });
    expect(portal.open.size).toBe(0);
    expect(portal.files.size).toBe(0);
  });
});

test('pieces take about a second: they double on a fast line, halve on a slow one, within 64 KiB and 4 MiB', () => {
  const sizes = (tookMs: number, from: number): readonly number[] => {
    const all = [from];
    while (all.length < 6) all.push(nextPieceBytes(all.at(-1)!, tookMs));
    return all.map((bytes) => bytes / 1_024);
  };
  expect(sizes(100, 256 * 1_024)).toEqual([256, 512, 1_024, 2_048, 4_096, 4_096]);
  expect(sizes(2_000, 256 * 1_024)).toEqual([256, 128, 64, 64, 64, 64]);
  expect(sizes(1_000, 256 * 1_024)).toEqual([256, 256, 256, 256, 256, 256]);
});

import { expect, test } from 'vitest';
import { rawEntry, tarEnd } from '../../kit/archive/testing/raw-tar.ts';
import type { OperationBody } from '../../schema/wire/files.ts';
import { createSimulatedClock } from '../clock/simulated.ts';
import type { FileSystem, PinnedFileSystem } from './file-system.ts';
import { limits } from './limits.ts';
import { createOperations } from './operations.ts';
import { memoryFiles } from './testing/memory-file-system.ts';
import type { Trash } from './trash.ts';

/** 200 files, in an archive and in a folder. `removal` is what each removal waits for; `halfWay` is called when 100 were made anew. */
async function someFiles(removal: Promise<void>, halfWay: () => void) {
  const entries = Array.from({ length: 200 }, (_, n) => rawEntry({ name: `x/${n}`, data: Buffer.alloc(0) }));
  const { fs, made } = memoryFiles('a.tar', Buffer.concat([...entries, tarEnd]));
  const inner = await fs.pinned();
  await inner.makeFolder(Buffer.from('/de'), 0o700);
  for (let n = 0; n < 200; n += 1) await inner.open(Buffer.from(`/de/${n}`), 'create', 0o600);
  await inner.makeFolder(Buffer.from('/para'), 0o700);
  let opened = 0;
  const pinned: PinnedFileSystem = {
    ...inner,
    keepAttributes: async () => false,
    setMode: async () => undefined,
    open: async (path, how, mode) => {
      if (how === 'create' && (opened += 1) % 100 === 0) halfWay();
      return await inner.open(path, how, mode);
    },
    removeFile: async (path) => {
      await removal;
      await inner.removeFile(path);
    },
  };
  const slow: FileSystem = { ...pinned, pinned: async () => pinned };
  return { operations: createOperations({ fs: slow, trash: {} as Trash, clock: createSimulatedClock(0) }), made };
}

test.for<OperationBody>([
  { tipo: 'extrair', itens: ['/a.tar'], destino: '/para' },
  { tipo: 'copiar', itens: ['/de'], destino: '/para', conflito: 'recusar' },
])('$tipo: a cancel is told before what was made is removed, which counts as work until it is', async (order) => {
  const removal = Promise.withResolvers<void>();
  let id = '';
  const { operations, made } = await someFiles(removal.promise, () => operations.cancel(id));
  const grown = (): number => [...made.keys()].filter((path) => path.startsWith('/para/')).length;
  for (let n = 0; n < limits.operationsPerPersonMax; n += 1) {
    ({ id } = await operations.begin(order));
    await expect
      .poll(() => operations.all().find((one) => one.id === id))
      .toMatchObject({ estado: 'cancelada', resultados: [], erros: [], atual: null });
  }
  expect([grown() > 50, operations.isBusy()]).toEqual([true, true]);
  await expect(operations.begin(order)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  removal.resolve();
  await expect.poll(() => [grown(), operations.isBusy()]).toEqual([0, false]);
});

/** Work on files that takes long: it goes on when the page that began it goes, tells how far it is, and can be cancelled. */
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { pathBytes, pathText, shownName } from '../../schema/wire/file-path.ts';
import type { OperationBody, OperationView } from '../../schema/wire/files.ts';
import { codedFault, FileFault } from './file-fault.ts';
import { nameOf, parentOf, type FileSystem } from './file-system.ts';
import { limits } from './limits.ts';
import { copyTo, inFolder, moveTo } from './moving.ts';
import { newId } from './placing.ts';
import type { Trash } from './trash.ts';
import { bytesIn, removeTree, type Progress } from './trees.ts';
import { unpackTo } from './unpacking/unpack.ts';

type Mutable<Type> = { -readonly [Name in keyof Type]: Type[Name] };
type Row = OperationView['resultados'][number];
type Trouble = OperationView['erros'][number];

interface Operation {
  readonly view: Mutable<Omit<OperationView, 'resultados' | 'erros'>> & { readonly resultados: Row[]; readonly erros: Trouble[] };
  readonly ending: AbortController;
  /** Items that are being done, and those that a cancel undoes after it was answered. */
  readonly working: Set<Promise<void>>;
  /** Called at the next change. */
  readonly waiting: Set<() => void>;
}

export interface Operations {
  begin(order: OperationBody): Promise<OperationView>;
  all(): readonly OperationView[];
  wait(id: string, waitMs: number, signal: AbortSignal): Promise<OperationView>;
  cancel(id: string): OperationView;
  isBusy(): boolean;
}

export interface OperationDeps {
  readonly fs: FileSystem;
  readonly trash: Trash;
  readonly clock: Clock;
}

/** `failed`: reports a failure in a part of the item, while the rest goes on. */
type Act = (item: Buffer, progress: Progress, failed: (path: Buffer, error: unknown) => void) => Promise<Buffer | null>;

export function createOperations(deps: OperationDeps): Operations {
  const { clock } = deps;
  const kept = new Map<string, Operation>();
  const forget = (): void => {
    for (const [id, { view, working }] of kept) {
      const isOld =
        view.acabouMs !== null &&
        working.size === 0 &&
        (clock.nowMs() - view.acabouMs > limits.operationKeptMs || kept.size > limits.operationsKeptMax);
      if (isOld) kept.delete(id);
    }
  };
  const running = (): number => [...kept.values()].filter(({ view, working }) => view.estado === 'correndo' || working.size > 0).length;
  const find = (id: string): Operation => {
    const one = kept.get(id);
    if (one === undefined) throw new SvcError('NOT_FOUND', 'there is no such operation');
    return one;
  };
  return {
    begin: async (order) => {
      forget();
      if (running() >= limits.operationsPerPersonMax) {
        throw new SvcError('RATE_LIMITED', `at most ${limits.operationsPerPersonMax} at a time`, { retryAfterMs: 1_000 });
      }
      const act = actOf(deps, order);
      const items = order.tipo === 'esvaziar' && order.itens.length === 0 ? await deps.trash.ids() : order.itens.map(pathOf);
      const operation = createOperation(order, items.length, clock.nowMs());
      kept.set(operation.view.id, operation);
      void run(deps, operation, items, act);
      return snapshot(operation);
    },
    all: () => {
      forget();
      return [...kept.values()].map(snapshot);
    },
    wait: async (id, waitMs, signal) => {
      const operation = find(id);
      if (waitMs > 0 && operation.view.estado === 'correndo' && !signal.aborted) await changed(clock, operation, waitMs, signal);
      return snapshot(operation);
    },
    cancel: (id) => {
      const operation = find(id);
      operation.ending.abort();
      return snapshot(operation);
    },
    isBusy: () => running() > 0,
  };
}

const snapshot = ({ view }: Operation): OperationView => ({ ...view, resultados: [...view.resultados], erros: [...view.erros] });

function pathOf(text: string): Buffer {
  const bytes = pathBytes(text);
  if (bytes === null || bytes.length === 1) throw new SvcError('BAD_REQUEST', 'itens: expected absolute paths in their exact form');
  return Buffer.from(bytes);
}

function createOperation({ tipo }: OperationBody, itens: number, nowMs: number): Operation {
  const counts = { itens, itensFeitos: 0, arquivosFeitos: 0, bytes: 0, bytesFeitos: 0 };
  return {
    view: { id: newId(), tipo, estado: 'correndo', ...counts, atual: null, resultados: [], erros: [], comecouMs: nowMs, acabouMs: null },
    ending: new AbortController(),
    working: new Set(),
    waiting: new Set(),
  };
}

function actOf({ fs, trash }: OperationDeps, { tipo, destino, conflito: conflict = 'recusar' }: OperationBody): Act {
  const to = destino === undefined ? null : pathOf(destino);
  if ((tipo === 'copiar' || tipo === 'mover') && to === null) throw new SvcError('BAD_REQUEST', 'destino: expected the folder to go into');
  const folder = to ?? Buffer.from('/');
  const acts: { readonly [Kind in OperationBody['tipo']]: Act } = {
    copiar: (item, progress) => copyTo(fs, item, inFolder(folder, item), conflict, progress),
    mover: (item, progress) => moveTo(fs, item, inFolder(folder, item), conflict, progress),
    lixo: (item, progress) => trash.put(item, progress),
    restaurar: (item, progress) => trash.restore(item, to, conflict, progress),
    esvaziar: async (item, progress) => {
      await trash.remove(item, progress);
      return null;
    },
    apagar: async (item, progress) => {
      await removeTree(fs, item, progress);
      return null;
    },
    extrair: (item, progress, leftOut) => unpackTo(fs, item, to ?? parentOf(item), { progress, leftOut }),
  };
  return acts[tipo];
}

async function run({ fs, clock }: OperationDeps, operation: Operation, items: readonly Buffer[], act: Act): Promise<void> {
  const { view, ending } = operation;
  const tell = (): void => {
    for (const waiter of operation.waiting) waiter();
  };
  const progress: Progress = {
    signal: ending.signal,
    bytes: (done) => {
      view.bytesFeitos += done;
      tell();
    },
    file: (path) => {
      if (view.acabouMs !== null) return;
      view.atual = shownName(nameOf(path));
      view.arquivosFeitos += 1;
      tell();
    },
  };
  const failed = (item: Buffer, error: unknown): void => {
    const path = (error instanceof FileFault ? error.path : null) ?? item;
    const coded = codedFault(error, path);
    const { code, message } = coded instanceof SvcError ? coded : new SvcError('INTERNAL', 'the portal failed');
    if (view.erros.length < limits.operationErrorsMax) view.erros.push({ caminho: pathText(path), code, mensagem: message });
  };
  const doItem = async (item: Buffer, watched: Progress): Promise<void> => {
    try {
      const to = await act(item, watched, failed);
      view.resultados.push({ de: pathText(item), para: to === null ? null : pathText(to) });
      view.itensFeitos += 1;
    } catch (error) {
      if (!ending.signal.aborted) failed(item, error);
    }
  };
  if (view.tipo === 'copiar' || view.tipo === 'extrair') {
    for (const item of items) view.bytes += await bytesIn(fs, item, ending.signal).catch(() => 0);
  }
  for (const item of items) {
    if (ending.signal.aborted) break;
    const { promise: undone, resolve } = Promise.withResolvers<void>();
    const work = doItem(item, { ...progress, undoable: () => onAbort(ending.signal, resolve) });
    operation.working.add(work);
    await Promise.race([work.finally(() => operation.working.delete(work)), undone]);
    tell();
  }
  view.estado = ending.signal.aborted && view.itensFeitos < view.itens ? 'cancelada' : view.erros.length > 0 ? 'com-erros' : 'feita';
  view.atual = null;
  view.acabouMs = clock.nowMs();
  tell();
}

/** Answers the function that removes the listener. */
function onAbort(signal: AbortSignal, heard: () => void): () => void {
  if (signal.aborted) heard();
  signal.addEventListener('abort', heard, { once: true });
  return () => signal.removeEventListener('abort', heard);
}

async function changed(clock: Clock, { waiting }: Operation, waitMs: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.at(clock.monotonicMs() + waitMs, resolve);
  waiting.add(resolve);
  signal.addEventListener('abort', () => resolve(), { once: true });
  try {
    await promise;
  } finally {
    cancel();
    waiting.delete(resolve);
  }
}

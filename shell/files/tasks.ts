/** Tasks with files of the person and their progress: operations of the portal, and uploads of this page. */
import { problemText } from '../../schema/texts/problems.ts';
import type { OperationBody, OperationView } from '../../schema/wire/files.ts';
import { language, text } from '../i18n/i18n.ts';
import { nameOfPath, parentOf } from '../opening/file-path.ts';
import { isPassing } from '../session/api.ts';
import * as api from '../session/files-api.ts';
import { sayError } from '../session/say-error.ts';
import { createSignal, type Signal } from '../state/signal.ts';
import { folderChanged } from './watching.ts';

export interface Task {
  readonly id: number;
  readonly label: string;
  readonly state: 'running' | 'done' | 'failed' | 'cancelled';
  readonly done: number;
  /** 0: not known yet. */
  readonly total: number;
  /** How far it is, in words. */
  readonly words: string;
  readonly errors: readonly string[];
  readonly cancel: () => void;
}

type End = Exclude<Task['state'], 'running'>;

export interface Tasks {
  /** Name of a folder in the text of an act with a destination. */
  readonly folderName: (path: string) => string;
  readonly state: Signal<readonly Task[]>;
  readonly begin: (label: string, cancel: () => void) => number;
  readonly change: (id: number, patch: Partial<Task>) => void;
  readonly end: (id: number, state: End, errors: readonly string[]) => void;
  readonly dismiss: (id: number) => void;
  /** Entries that the last act removed from their place, by their old names: paths, and names in the trash. */
  readonly taken: Signal<readonly string[]>;
}

/** Time that a successful task is shown. */
const shownMs = 4_000;
const endTexts = { done: 'files.taskDone', failed: 'files.taskFailed', cancelled: 'files.taskCancelled' } as const;

export function createTasks(announce: (words: string) => void, folderName: Tasks['folderName']): Tasks {
  const state = createSignal<readonly Task[]>([]);
  let lastId = 0;
  const change = (id: number, patch: Partial<Task>): void =>
    state.set(state.get().map((task) => (task.id === id ? Object.assign({}, task, patch) : task)));
  const dismiss = (id: number): void => state.set(state.get().filter((task) => task.id !== id));
  return {
    folderName,
    state,
    change,
    dismiss,
    taken: createSignal<readonly string[]>([]),
    begin: (label, cancel) => {
      lastId += 1;
      // Successful tasks make room.
      const others = state.get().filter(({ state: now }) => now === 'running' || now === 'failed');
      state.set([...others, { id: lastId, label, state: 'running', done: 0, total: 0, words: '', errors: [], cancel }]);
      return lastId;
    },
    end: (id, how, errors) => {
      change(id, { state: how, errors });
      const task = state.get().find((each) => each.id === id);
      if (task === undefined) return;
      announce(text(endTexts[how], { nome: task.label }));
      if (how !== 'failed') setTimeout(() => dismiss(id), shownMs);
    },
  };
}

/** An answer of the portal about what goes on is waited for so long. */
const followSeconds = 10;
const patienceMs = 1_000;

/**
 * Runs an operation of the portal to its end. Null: it could not be begun or followed, which was reported. A taken name is reported only
 * where the person was not to be asked.
 */
export async function operate(tasks: Tasks, label: string, body: OperationBody): Promise<OperationView | null> {
  let id: string | null = null;
  const task = tasks.begin(label, () => {
    if (id !== null) api.cancelOperation(id).catch(() => undefined);
  });
  try {
    let operation = await api.startOperation(body);
    ({ id } = operation);
    while (operation.estado === 'correndo') {
      tasks.change(task, progressOf(operation));
      operation = (await followed(id)) ?? operation;
    }
    if (body.tipo !== 'copiar' && body.tipo !== 'extrair') tasks.taken.set(operation.resultados.map(({ de }) => de));
    for (const folder of foldersOf(body, operation)) folderChanged(folder);
    const isAsked = (body.tipo === 'copiar' || body.tipo === 'mover') && body.conflito === undefined;
    const told = operation.erros.filter(({ code }) => !(isAsked && code === 'FILE_EXISTS')).map(sayFailure);
    tasks.end(task, operation.estado === 'cancelada' ? 'cancelled' : told.length > 0 ? 'failed' : 'done', told);
    return operation;
  } catch (error) {
    tasks.end(task, 'failed', [sayError(error)]);
    return null;
  }
}

/** Null: the portal could not be asked now; what it does goes on. */
async function followed(id: string): Promise<OperationView | null> {
  try {
    return await api.followOperation(id, followSeconds);
  } catch (error) {
    if (!isPassing(error)) throw error;
    await new Promise((resolve) => void setTimeout(resolve, patienceMs));
    return null;
  }
}

const progressOf = ({ itensFeitos, itens, bytes, bytesFeitos, atual }: OperationView): Partial<Task> => ({
  ...(bytes > 0 ? { done: bytesFeitos, total: bytes } : { done: itensFeitos, total: itens }),
  words: atual === null ? '' : nameOfPath(atual),
});

const sayFailure = ({ caminho, code, mensagem }: OperationView['erros'][number]): string =>
  `${nameOfPath(caminho)}: ${problemText(code, language.get()) ?? mensagem}`;

/** Folders that look otherwise now. */
function foldersOf({ itens, destino }: OperationBody, { resultados }: OperationView): ReadonlySet<string> {
  const paths = [...itens, ...resultados.flatMap(({ para }) => para ?? [])].filter((path) => path.startsWith('/'));
  return new Set([...paths.flatMap((path) => parentOf(path) ?? []), ...(destino === undefined ? [] : [destino])]);
}

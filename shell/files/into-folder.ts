/** Copies, moves and uploads into a folder: a name that is taken there is asked about, once for all if the person says so. */
import type { OperationView, SpaceAnswer } from '../../schema/wire/files.ts';
import { countText, text } from '../i18n/i18n.ts';
import { joinPath, nameOfPath, parentOf } from '../opening/file-path.ts';
import { ApiError } from '../session/api.ts';
import { isFolderAt } from '../session/content-api.ts';
import { readSpace } from '../session/files-api.ts';
import { sayError } from '../session/say-error.ts';
import { saySize } from '../shop/words.ts';
import { isWithoutRoom, lackOf } from './room.ts';
import { askConflict, askRoom, type Taken } from './svc-file-question.ts';
import { operate, type Tasks } from './tasks.ts';
import { uploadAll, type Conflict, type ToUpload } from './uploads.ts';
import { folderChanged } from './watching.ts';

/** Where something was, and where it is now. */
export interface Placed {
  readonly de: string;
  readonly para: string;
}

const placedOf = (operation: OperationView | null): readonly Placed[] =>
  (operation?.resultados ?? []).flatMap(({ de, para }) => (para === null ? [] : [{ de, para }]));

/** Asks about each, until an answer is for all. Null: the person put it away. */
function asker(): (taken: Taken) => Promise<Conflict | null> {
  let forAll: Conflict | null = null;
  return async (taken) => {
    // That others are replaced is no answer for a folder.
    if (forAll !== null && !(taken.isFolder && forAll === 'substituir')) return forAll;
    const answer = await askConflict(taken);
    if (answer?.all === true) forAll = answer.choice;
    return answer?.choice ?? null;
  };
}

export async function intoFolder(
  tasks: Tasks,
  tipo: 'copiar' | 'mover',
  paths: readonly string[],
  folder: string,
): Promise<readonly Placed[]> {
  const label = (n: number): string => text(tipo === 'copiar' ? 'files.copying' : 'files.moving', { n, pasta: tasks.folderName(folder) });
  const run = async (itens: readonly string[], conflito?: Conflict): Promise<OperationView | null> =>
    itens.length === 0
      ? null
      : await operate(tasks, label(itens.length), {
          tipo,
          itens: [...itens],
          destino: folder,
          ...(conflito === undefined ? {} : { conflito }),
        });
  // In its own folder a copy is a second one, and a move nothing.
  const beside = tipo === 'copiar' ? paths.filter((path) => parentOf(path) === folder) : [];
  const others = paths.filter((path) => parentOf(path) !== folder);
  const placed = [...placedOf(await run(beside, 'renomear'))];
  const first = await run(others);
  placed.push(...placedOf(first));
  const names = new Set(first?.erros.filter(({ code }) => code === 'FILE_EXISTS').map(({ caminho }) => nameOfPath(caminho)));
  const clashing = others.filter((path) => names.has(nameOfPath(path)) && !placed.some(({ de }) => de === path));
  const ask = asker();
  const chosen: { readonly path: string; readonly choice: Conflict }[] = [];
  for (const [at, path] of clashing.entries()) {
    const name = nameOfPath(path);
    const choice = await ask({ name, isFolder: await isFolderAt(joinPath(folder, name)), left: clashing.length - at });
    if (choice === null) break;
    chosen.push({ path, choice });
  }
  for (const conflito of ['substituir', 'renomear'] as const) {
    const itens = chosen.filter(({ choice }) => choice === conflito).map(({ path }) => path);
    placed.push(...placedOf(await run(itens, conflito)));
  }
  return placed;
}

/** To where each was. */
export async function moveBack(tasks: Tasks, placed: readonly Placed[]): Promise<void> {
  const folders = new Set(placed.flatMap(({ de }) => parentOf(de) ?? []));
  for (const folder of folders) {
    const itens = placed.filter(({ de }) => parentOf(de) === folder).map(({ para }) => para);
    const label = text('files.moving', { n: itens.length, pasta: tasks.folderName(folder) });
    await operate(tasks, label, { tipo: 'mover', itens, destino: folder, conflito: 'renomear' });
  }
}

/** Failures of an upload that are listed. */
const errorsMax = 50;

/** A folder that can't be asked is one whose room is not known. */
const spaceOf = async (folder: string): Promise<SpaceAnswer | null> => await readSpace(folder).catch(() => null);

/** Reports a lack of space before anything is sent. False: the person cancelled. */
async function fits(tasks: Tasks, files: readonly ToUpload[], folder: string): Promise<boolean> {
  const lack = lackOf(
    files.map(({ file }) => file.size),
    await spaceOf(folder),
  );
  if (lack === null) return true;
  const say = lack.of === 'bytes' ? saySize : (n: number) => countText(n);
  const words = text(lack.of === 'bytes' ? 'files.noRoom' : 'files.noRoomFiles', {
    n: files.length,
    pasta: tasks.folderName(folder),
    bytes: say(lack.needed),
    livre: say(lack.free),
  });
  return await askRoom(words);
}

/** Sentence after the failures: the free space of the disk. The free quota of the account is not known. */
async function roomWords(tasks: Tasks, code: 'DISK_FULL' | 'QUOTA_USED', n: number, folder: string): Promise<string> {
  const space = code === 'DISK_FULL' ? await spaceOf(folder) : null;
  if (space === null || space.totalBytes === 0) return text('files.withoutRoom', { n });
  return text('files.withoutRoomLeft', { n, pasta: tasks.folderName(folder), livre: saySize(space.livreBytes) });
}

/** Not in the first second, and not when all is there. */
function leftWords(left: number, arrived: number, tookMs: number): readonly string[] {
  if (left <= 0 || arrived <= 0 || tookMs < 1_000) return [];
  const seconds = Math.ceil((left / arrived) * (tookMs / 1_000));
  return [seconds < 60 ? text('files.leftSeconds', { n: seconds }) : text('files.leftMinutes', { n: Math.ceil(seconds / 60) })];
}

export async function upload(tasks: Tasks, files: readonly ToUpload[], folder: string): Promise<void> {
  if (files.length === 0 || !(await fits(tasks, files, folder))) return;
  const ended = new AbortController();
  const task = tasks.begin(text('files.uploading', { n: files.length, pasta: tasks.folderName(folder) }), () => ended.abort());
  const total = files.reduce((sum, { file }) => sum + file.size, 0);
  const errors: string[] = [];
  const ask = asker();
  const full = { code: 'DISK_FULL' as 'DISK_FULL' | 'QUOTA_USED', n: 0 };
  let bytes = 0;
  let through = 0;
  const begunMs = performance.now();
  const tell = (nome: string): void => {
    const [done, all] = total > 0 ? [bytes, total] : [through, files.length];
    tasks.change(task, {
      done,
      total: all,
      words: [
        text(nome === '' ? 'files.ofFilesOnly' : 'files.ofFiles', { feitos: through, todos: files.length, nome }),
        ...(total > 0 ? [text('files.ofBytes', { feitos: saySize(bytes), todos: saySize(total) })] : []),
        ...leftWords(total - bytes, bytes, performance.now() - begunMs),
      ].join(' · '),
    });
  };
  const says = {
    arrived: (more: number) => {
      bytes += more;
      tell('');
    },
    done: (name: string) => {
      through += 1;
      tell(name);
    },
    failed: (name: string, error: unknown) => {
      if (error instanceof ApiError && isWithoutRoom(error.code)) Object.assign(full, { code: error.code, n: full.n + 1 });
      if (errors.length < errorsMax) errors.push(`${name}: ${sayError(error)}`);
    },
    ask,
  };
  await uploadAll(files, folder, says, ended.signal);
  folderChanged(folder);
  if (full.n > 0) errors.push(await roomWords(tasks, full.code, full.n, folder));
  tasks.end(task, ended.signal.aborted ? 'cancelled' : errors.length > 0 ? 'failed' : 'done', errors);
}

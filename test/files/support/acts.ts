/** Changes to files that a test breaks off at every step, and what must hold afterwards. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Clock } from '../../../schema/clock.ts';
import type { OperationBody } from '../../../schema/wire/files.ts';
import type { FileSystem } from '../../../controller/files/file-system.ts';
import { createListings } from '../../../controller/files/listing.ts';
import { createFileService } from '../../../controller/files/service.ts';

export const oldText = 'velho'.repeat(20_000);
export const newText = 'novo!'.repeat(30_000);
export const actNames = ['save', 'upload', 'rename', 'move', 'moveFolder', 'trash', 'restore', 'unpack'] as const;

export interface ActWorld {
  readonly fs: FileSystem;
  /** The home. */
  readonly folder: string;
  /** On another file system. */
  readonly other: string;
  readonly clock: Clock;
}

async function* bodyOf(text: string): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < text.length; at += 40_000) yield Buffer.from(text.slice(at, at + 40_000));
}

export function prepare(folder: string, own: (path: string) => void): void {
  mkdirSync(folder, { recursive: true });
  mkdirSync(`${folder}/pasta`);
  for (const name of ['a', 'pasta/um', 'pasta/dois']) {
    writeFileSync(`${folder}/${name}`, oldText);
    own(`${folder}/${name}`);
  }
  execFileSync('tar', ['czf', 'pasta.tgz', '--transform', 's/^pasta/extraida/', 'pasta'], { cwd: folder });
  for (const path of [folder, `${folder}/pasta`, `${folder}/pasta.tgz`]) own(path);
}

export async function runAct(act: string, { fs, folder, other, clock }: ActWorld): Promise<void> {
  const files = createFileService({ fs, person: 'p', account: 'p', home: Buffer.from(folder), listings: createListings(clock), clock });
  const operate = async (order: OperationBody): Promise<string> => {
    const { id } = await files.begin(order);
    for (;;) {
      const view = await files.operation(id, 5_000, new AbortController().signal);
      if (view.estado === 'correndo') continue;
      if (view.erros.length > 0) throw new Error(view.erros[0]?.code);
      return view.resultados[0]?.para ?? '';
    }
  };
  if (act === 'save') await files.write(Buffer.from(`${folder}/a`), bodyOf(newText), { matches: null, isNew: false, bytes: null });
  else if (act === 'upload') {
    const { id } = await files.beginUpload({
      path: Buffer.from(`${folder}/a`),
      bytes: newText.length,
      conflict: 'substituir',
      resume: null,
    });
    await files.putPiece(id, 0, bodyOf(newText));
    await files.endUpload(id, null);
  } else if (act === 'rename') await files.rename(Buffer.from(`${folder}/a`), Buffer.from('b'));
  else if (act === 'move') await operate({ tipo: 'mover', itens: [`${folder}/a`], destino: other });
  else if (act === 'moveFolder') await operate({ tipo: 'mover', itens: [`${folder}/pasta`], destino: other });
  else if (act === 'unpack') await operate({ tipo: 'extrair', itens: [`${folder}/pasta.tgz`] });
  else {
    // A restore that is tried again finds it in the trash.
    const id = existsSync(`${folder}/a`) ? await operate({ tipo: 'lixo', itens: [`${folder}/a`] }) : (await files.trash(0, 1)).itens[0]?.id;
    if (act === 'restore' && id !== undefined) await operate({ tipo: 'restaurar', itens: [id] });
  }
}

const textAt = (path: string): string | null => (existsSync(path) ? readFileSync(path, 'utf8') : null);

/** Returns the fault; null: nothing is lost, and nothing is half. */
export function faultAfter(act: string, folder: string, other: string): string | null {
  if (act === 'save' || act === 'upload') {
    const text = textAt(`${folder}/a`);
    return text === oldText || text === newText ? null : `a is neither old nor new: ${text?.length}`;
  }
  if (act === 'moveFolder') {
    const whole = [`${folder}/pasta`, `${other}/pasta`].filter((path) =>
      ['um', 'dois'].every((name) => textAt(`${path}/${name}`) === oldText),
    );
    const half = existsSync(`${other}/pasta`) && !whole.includes(`${other}/pasta`);
    return whole.length === 0 || half ? `the folder is whole at ${whole.length} places, half at its new one: ${half}` : null;
  }
  if (act === 'unpack') {
    const texts = ['um', 'dois'].map((name) => textAt(`${folder}/extraida/${name}`));
    const isWhole = texts.every((text) => text === oldText) || !existsSync(`${folder}/extraida`);
    return isWhole ? null : 'what was unpacked is half there';
  }
  const trash = `${folder}/.local/share/Trash`;
  const inTrash = existsSync(`${trash}/files`) ? readdirSync(`${trash}/files`) : [];
  const unnoted = inTrash.filter((name) => !existsSync(`${trash}/info/${name}.trashinfo`));
  if (unnoted.length > 0) return `without a note in the trash: ${unnoted.join(', ')}`;
  const places = [`${folder}/a`, `${folder}/b`, `${other}/a`, ...inTrash.map((name) => `${trash}/files/${name}`)];
  const texts = places.map(textAt).filter((text) => text !== null);
  return texts.length > 0 && texts.every((text) => text === oldText) ? null : `the file is at ${texts.length} places, or half`;
}

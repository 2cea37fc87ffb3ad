/** Type, size and date of an entry in words; made once for each as it was read. */
import type { FileItem } from '../../schema/wire/files.ts';
import type { FilesDesk } from './desk-acts.ts';
import { language, shownAs, text } from '../i18n/i18n.ts';
import { markOf, typeName } from '../opening/file-mark.ts';
import { typeOf, type FileToOpen } from '../opening/file-type.ts';
import { saySize } from '../shop/words.ts';
import type { EntryWords } from './file-entry.ts';

export const fileOf = ({ caminho, nome, tipo }: FileItem): FileToOpen => ({ caminho, nome, isFolder: tipo === 'pasta' });

export function entryWords(desk: FilesDesk): (item: FileItem) => EntryWords {
  let known = new WeakMap<FileItem, EntryWords>();
  let of: readonly unknown[] = [];
  let dates = new Intl.DateTimeFormat(shownAs(), { dateStyle: 'short', timeStyle: 'short' });
  return (item) => {
    const now = [desk.opening.openers.get(), desk.preferences.state.get(), language.get()];
    if (now.some((part, at) => part !== of[at])) {
      known = new WeakMap();
      of = now;
      dates = new Intl.DateTimeFormat(shownAs(), { dateStyle: 'short', timeStyle: 'short' });
    }
    const before = known.get(item);
    if (before !== undefined) return before;
    const type = typeOf(fileOf(item), desk.opening.openers.get());
    const mark = markOf(type, desk.opening.openers.get(), desk.preferences.state.get() ?? {});
    const words: EntryWords = {
      mark,
      type: item.tipo === 'quebrado' ? text('files.brokenLink') : item.tipo === 'outro' ? text('files.special') : typeName(type, mark),
      size: item.tipo === 'arquivo' ? saySize(item.bytes) : '',
      date: item.modificadoMs === 0 ? '' : dates.format(item.modificadoMs),
    };
    known.set(item, words);
    return words;
  };
}

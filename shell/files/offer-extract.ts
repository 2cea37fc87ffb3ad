/** A compressed file that is opened: there is nothing to show of it, and the person is asked whether to extract it. Loaded with the first one. */
import type { FilesDesk } from './desk-acts.ts';
import { actsOf } from './desk-acts.ts';
import { askExtract } from './svc-file-question.ts';

export async function offerExtract(desk: FilesDesk, caminho: string, nome: string): Promise<void> {
  if (await askExtract(nome)) await actsOf(desk).extract([caminho]);
}

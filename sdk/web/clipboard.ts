/** The clipboard of the browser, where it allows it: after a press of the person, in a page of a secure origin. */
import { notValid } from '../../schema/bridge/verbs.ts';
import { failure } from './requests.ts';

async function carryOut<Done>(act: () => Promise<Done>): Promise<Done> {
  if (!navigator.userActivation.isActive) throw failure('sem-gesto', 'a área de transferência pede um toque da pessoa');
  try {
    return await act();
  } catch (problem) {
    throw failure('recusado', String(problem));
  }
}

export async function writeClipboard(texto: unknown): Promise<null> {
  if (typeof texto !== 'string') throw failure('argumentos-invalidos', notValid('area.escrever', 'texto', 'expected a text'));
  await carryOut(async () => await navigator.clipboard.writeText(texto));
  return null;
}

export const readClipboard = async (): Promise<string> => await carryOut(async () => await navigator.clipboard.readText());

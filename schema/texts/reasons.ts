/**
 * Reasons and start steps in words for people, on the pages of the shell and on the portal's own. Reasons of a newer portal are shown as they
 * are.
 */
import type { Reason, StartStep } from '../backend.ts';
import { reasonTexts } from '../reasons/derived.ts';

/**
 * A text in every language that the pages speak. A sentence for people is made where its facts are known, in both languages at once: a new check or
 * reason does not compile with one. Values (a version, an address, a command, the words of another program) are the same in both. Messages for
 * engineers are English and shown under "Technical detail" only. `svc doctor` speaks the language of the terminal, the rest of `svc` English.
 */
export interface Words {
  readonly pt: string;
  readonly en: string;
}
export type TextLanguage = keyof Words;

export const stepTexts: { readonly [S in StartStep]: Words } = {
  package: { pt: 'Pacote', en: 'Package' },
  install: { pt: 'Preparação', en: 'Set-up' },
  gpu: { pt: 'Placa de vídeo', en: 'Graphics card' },
  spawn: { pt: 'Processo', en: 'Process' },
  socket: { pt: 'Conexão', en: 'Connection' },
  probe: { pt: 'Resposta', en: 'Answer' },
};

export const reasonText = (reason: Reason, language: TextLanguage): string => reasonTexts[reason]?.[language] ?? reason;
export const stepText = (step: StartStep, language: TextLanguage): string => stepTexts[step]?.[language] ?? step;

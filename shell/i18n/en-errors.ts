/** The sentences of logs that are not there, and of errors that apps report, in English. Part of en.ts. */
import type { ptErrors } from './pt-errors.ts';

type Sentence<T> = T extends string ? string : { readonly one: string; readonly other: string };

export const enErrors: { readonly [K in keyof typeof ptErrors]: Sentence<(typeof ptErrors)[K]> } = {
  'log.empty': 'Nothing written yet.',
  'log.error': 'The log could not be read: {erro}',
  'errors.title': { one: '{n} kind of error reported by the app', other: '{n} kinds of errors reported by the app' },
  'errors.count': { one: 'once', other: '{n} times' },
  'errors.inPage': 'in the page',
  'errors.inBackend': 'in the program',
  'errors.version': 'version {versao}',
  'errors.last': 'last {quando}',
  'errors.stack': 'Call stack',
};

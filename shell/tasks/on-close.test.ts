import { afterEach, expect, test } from 'vitest';
import { language } from '../i18n/i18n.ts';
import { sayOnClose } from './on-close.ts';

afterEach(() => language.set('pt'));

test.for([
  ['pt', 'encerrar', 'Para'],
  ['en', 'encerrar', 'It stops'],
  ['en', 'manter', 'It keeps running'],
  ['pt', 'ocioso:1m', 'Para depois de 1 minuto sem uso'],
  ['en', 'ocioso:30m', 'It stops after 30 minutes without use'],
  ['en', 'of-a-newer-one', 'of-a-newer-one'],
] as const)('in %s: %s is "%s"', ([name, aoFechar, said]) => {
  language.set(name);
  expect(sayOnClose(aoFechar)).toBe(said);
});

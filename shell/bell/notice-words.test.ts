import { afterEach, describe, expect, test } from 'vitest';
import { language } from '../i18n/i18n.ts';
import { noticeRoute, noticeText } from './notice-words.ts';

afterEach(() => language.set('pt'));

const de = { usuario: 'bia', nome: 'Bia Lima' };

describe('the sentence of a notice', () => {
  test.for([
    ['pt', 'convite', 'ver', 'Bia Lima convidou você para ver “Ata”'],
    ['pt', 'convite', 'comentar', 'Bia Lima convidou você para comentar em “Ata”'],
    ['pt', 'convite', 'editar', 'Bia Lima convidou você para editar “Ata”'],
    ['pt', 'convite', 'dona', 'Bia Lima passou a sala “Ata” a você'],
    ['pt', 'convite', null, 'Bia Lima convidou você para “Ata”'],
    ['pt', 'mencao', null, 'Bia Lima mencionou você em “Ata”'],
    ['pt', 'comentario', null, 'Bia Lima comentou em “Ata”'],
    ['en', 'convite', 'editar', 'Bia Lima invited you to edit “Ata”'],
    ['en', 'mencao', null, 'Bia Lima mentioned you in “Ata”'],
  ] as const)('%s %s %s', ([name, tipo, papel, words]) => {
    language.set(name);
    expect(noticeText({ tipo, papel, de, salaNome: 'Ata', appNome: 'Caderno', texto: null, trabalho: null })).toBe(words);
  });
});

test('what an app says to its own person begins with its name', () => {
  expect(noticeText({ tipo: 'aplicativo', papel: null, de, salaNome: null, appNome: 'Notas', texto: 'Ana: pronto', trabalho: null })).toBe(
    'Notas: Ana: pronto',
  );
});

test('Open leads to the room, and to the comment when there is one; or to where the app said', () => {
  expect(noticeRoute({ sala: 's1', ancora: null, rota: null })).toBe('?sala=s1');
  expect(noticeRoute({ sala: 's1', ancora: 'c-9_', rota: null })).toBe('?sala=s1&comentario=c-9_');
  expect(noticeRoute({ sala: null, ancora: null, rota: 'nota/1' })).toBe('nota/1');
  expect(noticeRoute({ sala: null, ancora: null, rota: null })).toBe('');
});

describe('a job that ended', () => {
  const job = { id: 'j1', quantos: 1, falharam: 0 };
  test.for([
    ['pt', 'soma', { ...job, estado: 'terminado' }, 'Moinho: “soma” terminou'],
    ['pt', 'soma', { ...job, estado: 'falhou', falharam: 1 }, 'Moinho: “soma” falhou'],
    ['pt', '', { ...job, estado: 'cancelado' }, 'Moinho: um trabalho foi cancelado'],
    ['pt', 'soma', { ...job, estado: 'terminado', quantos: 12 }, 'Moinho: 12 trabalhos acabaram'],
    ['pt', 'soma', { ...job, estado: 'terminado', quantos: 12, falharam: 3 }, 'Moinho: 12 trabalhos acabaram; com falha: 3'],
    ['en', 'soma', { ...job, estado: 'terminado' }, 'Moinho: “soma” is done'],
    ['en', '', { ...job, estado: 'falhou', falharam: 1 }, 'Moinho: a job failed'],
    ['en', 'soma', { ...job, estado: 'cancelado' }, 'Moinho: “soma” was cancelled'],
    ['en', '', { ...job, estado: 'terminado', quantos: 2, falharam: 2 }, 'Moinho: 2 jobs ended; failed: 2'],
  ] as const)('%s, called %s: %o', ([name, texto, trabalho, words]) => {
    language.set(name);
    expect(noticeText({ tipo: 'trabalho', papel: null, de, salaNome: null, appNome: 'Moinho', texto, trabalho })).toBe(words);
  });
});

import { afterEach, describe, expect, test, vi } from 'vitest';
import type { RoomVersion } from '../../schema/wire/rooms.ts';
import { language } from '../i18n/i18n.ts';
import { byDay, fileName, timeOf, versionAt, whoOf } from './version-words.ts';

afterEach(() => language.set('pt'));

const at = (day: number, hour: number, minute = 0): number => new Date(2026, 10, day, hour, minute).getTime();
const version = (versao: number, de: number | null, ate: number | null, more: Partial<RoomVersion> = {}): RoomVersion => ({
  versao,
  de,
  ate,
  pessoas: [],
  nome: null,
  ...more,
});
const person = (nome: string | null) => ({ usuario: nome ?? 'x', nome });

describe('versions', () => {
  test('stand by the day of their last change, over a midnight too; what was there before comes last', () => {
    const versions = [
      version(6, at(30, 9), at(30, 10)),
      version(5, at(29, 23, 50), at(30, 0, 5)),
      version(4, at(29, 8), at(29, 9)),
      version(3, at(2, 8), at(2, 9)),
      version(2, at(2, 7), at(2, 7)),
      version(1, null, at(1, 7)),
    ];
    expect(byDay(versions, at(30, 12)).map(({ title, versions: those }) => [title, those.map(({ versao }) => versao)])).toEqual([
      ['Hoje', [6, 5]],
      ['Ontem', [4]],
      ['segunda-feira, 2 de novembro de 2026', [3, 2]],
      ['Antes de haver histórico', [1]],
    ]);
  });

  test('a day after a change of the clock is the next one all the same', () => {
    vi.stubEnv('TZ', 'America/New_York');
    expect(byDay([version(1, at(1, 0, 30), at(1, 0, 30))], at(2, 0, 10))[0]?.title).toBe('Ontem');
    vi.unstubAllEnvs();
  });

  test.for([
    [at(30, 9), at(30, 9), '09:00'],
    [at(30, 9), at(30, 9, 20), '09:00 – 09:20'],
    [null, null, 'Antes de haver histórico'],
    [null, at(1, 7), 'até 1 de nov. de 2026, 07:00'],
  ] as const)('from %o to %o is %s', ([de, ate, expected]) => {
    expect(timeOf(version(1, de, ate)).replaceAll(/[\u2009\u202f]/g, ' ')).toBe(expected);
  });

  test.for([
    ['itself', 4, 4],
    ['the one that it was merged into', 5, 9],
    ['the youngest where it is behind all', 12, 9],
    ['the youngest where none is chosen', null, 9],
  ] as const)('the one for a change: %s', ([, versao, expected]) => {
    const versions = [9, 4, 2].map((each) => version(each, 0, 0));
    expect(versionAt(versions, versao)?.versao).toBe(expected);
    expect(versionAt([], versao)).toBeUndefined();
  });

  test.for([
    [[], ''],
    [['Ana'], 'Ana'],
    [['Ana', null, null], 'Ana e alguém que saiu'],
    [['Ana', 'Bia', 'Caio', 'Davi'], 'Ana, Bia, Caio e Davi'],
    [['Ana', 'Bia', 'Caio', 'Davi', 'Eva'], 'Ana, Bia, Caio e mais 2 pessoas'],
  ] as const)('%j wrote: %s', ([names, expected]) => {
    expect(whoOf({ pessoas: names.map(person) })).toBe(expected);
  });

  test.for([
    ['Ata: 5/11', version(1, 0, at(5, 9, 7)), 'Ata- 5-11 2026-11-05 09-07.md'],
    ['Ata', version(1, 0, 0, { nome: 'Final?' }), 'Ata Final-.md'],
    ['Ata', version(1, null, null), 'Ata.md'],
  ] as const)('is downloaded as a file of a plain name: %s', ([room, one, expected]) => {
    expect(fileName(room, one, 'md')).toBe(expected);
  });
});

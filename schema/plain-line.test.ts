import { describe, expect, test } from 'vitest';
import { asPlainLine, isPlainLine, isPlainText, plainNameSource } from './plain-line.ts';

const name = new RegExp(plainNameSource, 'u');

describe('one plain line', () => {
  test.for([
    'Ata',
    'Reunião de março (2ª via) — “rascunho”',
    '漢字 かな',
    'שלום עולם',
    'مرحبا ۱۲',
    'نامه‌ای',
    'क्‍ष',
    '👩‍👩‍👧 ❤️ 1️⃣ 🇧🇷',
    '葛\u{e0100}',
    'a\u0301',
    'x\u00a0y',
  ])('%j is one, and a name', (text) => {
    expect([isPlainLine(text), name.test(text), asPlainLine(text)]).toEqual([true, true, text]);
  });

  test.for([
    ['a C0 control', '\u0007'],
    ['an end of line', '\n'],
    ['a tab', '\t'],
    ['DEL', '\u007f'],
    ['NEL', '\u0085'],
    ['a C1 control', '\u009b'],
    ['a line separator', '\u2028'],
    ['a paragraph separator', '\u2029'],
    ['an Arabic letter mark', '\u061c'],
    ['a left-to-right mark', '\u200e'],
    ['a right-to-left mark', '\u200f'],
    ['an override', '\u202e'],
    ['an isolate', '\u2066'],
    ['a deprecated format character', '\u206e'],
    ['half a surrogate pair', '\ud83d'],
    ['the other half', '\ude00'],
    ['a tag character', '\u{e0041}'],
    ['a noncharacter', '\uffff'],
    ['a space without width', '\u200b'],
    ['a byte order mark', '\ufeff'],
    ['a soft hyphen', '\u00ad'],
    ['an invisible operator', '\u2062'],
    ['a Hangul filler', '\u3164'],
    ['a half-width filler', '\uffa0'],
    ['a choseong filler', '\u115f'],
    ['a Mongolian vowel separator', '\u180e'],
  ])('%s is in none', ([, character]) => {
    const text = `Ata${character}B`;
    expect([isPlainLine(text), name.test(text), isPlainLine(character!), asPlainLine(text)]).toEqual([false, false, false, 'Ata B']);
  });

  test.for([
    '',
    ' ',
    '\u00a0',
    '\u3000\u2003',
    '\u2800',
    '\u2800 \u2800',
    '\u200d',
    '\ufe0f',
    '\u034f',
    '\u0301',
    '\u{1d159}',
    '\u{13441}',
  ])('%j shows nothing', (text) => {
    expect([isPlainLine(text), name.test(text), asPlainLine(text)]).toEqual([false, false, '']);
  });

  test.for([' Ata', 'Ata ', '\u00a0Ata', 'Ata\u3000'])('%j is a line and no name', (text) => {
    expect([isPlainLine(text), name.test(text)]).toEqual([true, false]);
  });
});

describe('several lines', () => {
  test.for([
    ['one', 'Apagar?', true],
    ['a list', 'Apagar?\n\n\t- um\r\n\t- dois', true],
    ['as many as there may be', 'a\nb\nc\nd', true],
    ['one more', 'a\nb\nc\nd\ne', false],
    ['two empty ones between', 'a\n\n\nb', false],
    ['two that look empty between', 'a\n\u3000\n \nb', false],
    ['one that holds a filler', 'a\n\u3164\nb', false],
    ['one that is drawn as nothing', 'a\n\u2800\nb', false],
    ['an empty first one', '\na', false],
    ['an empty last one', 'a\n', false],
    ['nothing', '', false],
    ['an override in the second', 'a\n\u202eb', false],
  ] as const)('%s', ([, text, isPlain]) => {
    expect(isPlainText(text, 4)).toBe(isPlain);
  });
});

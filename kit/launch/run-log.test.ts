import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { appendToRunLog, heldBack, lastLines, redact, rotateRunLog, trimRunLog } from './run-log.ts';

describe('run.log', () => {
  let dir: string;
  let paths: { runLog: string; previousRunLog: string };
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'svc-'));
    paths = { runLog: join(dir, 'run.log'), previousRunLog: join(dir, 'run.log.1') };
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  test('the previous run goes to run.log.1, and only the person may read the new one', () => {
    closeSync(rotateRunLog(paths));
    expect(existsSync(paths.previousRunLog)).toBe(false);
    writeFileSync(paths.runLog, 'first\n');
    closeSync(rotateRunLog(paths));
    expect([readFileSync(paths.previousRunLog, 'utf8'), readFileSync(paths.runLog, 'utf8')]).toEqual(['first\n', '']);
    expect(statSync(paths.runLog).mode & 0o777).toBe(0o600);
  });

  test('over the limit keeps its end in place, and the writer goes on with its own descriptor', () => {
    const writer = openSync(paths.runLog, 'a');
    const line = `${'x'.repeat(99)}\n`;
    for (let written = 0; written < 17 * 1_024 * 1_024; written += 1_000 * line.length) writeSync(writer, line.repeat(1_000));
    writeSync(writer, 'the last line\n');
    expect(trimRunLog(paths.runLog)).toBe(true);
    writeSync(writer, 'a later line\n');
    closeSync(writer);
    const lines = readFileSync(paths.runLog, 'utf8').split('\n');
    expect(lines[0]).toBe('svc: run.log passed 16777216 bytes; older lines were dropped');
    expect(lines[1]).toBe('x'.repeat(99));
    expect(lines.slice(-3)).toEqual(['the last line', 'a later line', '']);
    expect(statSync(paths.runLog).size).toBeLessThan(1_100_000);
    expect(trimRunLog(paths.runLog)).toBe(false);
  });

  test.for([
    [0, []],
    [1, ['c']],
    [2, ['b', 'c']],
    [9, ['a', 'b', 'c']],
  ] as const)('its last %i lines', ([count, expected]) => {
    writeFileSync(paths.runLog, 'a\nb\nc\n');
    expect(lastLines(paths.runLog, count, 1_000)).toEqual(expected);
  });

  test('a line without its end counts, a line cut by the window does not', () => {
    writeFileSync(paths.runLog, 'first line\nsecond\nthird');
    expect(lastLines(paths.runLog, 5, 14)).toEqual(['second', 'third']);
    appendFileSync(paths.runLog, '\n');
    expect(lastLines(join(dir, 'none'), 5, 100)).toEqual([]);
  });

  test('a line of svc is not glued to half a line of the app', () => {
    appendToRunLog(paths.runLog, 'one');
    appendFileSync(paths.runLog, 'half');
    appendToRunLog(paths.runLog, 'two');
    expect(readFileSync(paths.runLog, 'utf8')).toBe('svc: one\nhalf\nsvc: two\n');
  });

  test('shows no secret, also when one is part of another, and leaves words alone', () => {
    expect(redact('key=abcdef, abcd and abc', ['abcd', 'abcdef', 'abc'])).toBe('key=***, *** and abc');
  });

  test('a hidden value is hidden as JSON and as URLs spell it, too', () => {
    const value = 'a"b\\c/ç d';
    expect(redact(`plain ${value} json ${JSON.stringify({ key: value })} url ?k=${encodeURIComponent(value)}`, [value])).toBe(
      'plain *** json {"key":"***"} url ?k=***',
    );
  });

  test('of a hidden value of several lines each line is hidden, but not the frame of a key', () => {
    const key = '-----BEGIN KEY-----\r\nMIIEvQ==\n  indented\n}\n-----END KEY-----\n';
    expect(redact(key, [key])).toBe('***');
    expect(redact('MIIEvQ== and indented } -----END KEY-----', [key])).toBe('*** and *** } -----END KEY-----');
    expect(redact(JSON.stringify({ key }), [key])).toBe('{"key":"***"}');
  });

  test.for([
    ['colours', 'se\u001b[1;31mgre\u001b[0mdo'],
    ['colours before each letter', 'segredo'.replaceAll(/./g, '\u001b[38;5;9m$&')],
    ['a C1 sequence', 'seg\u009b31mredo'],
    ['a title of the window', 'seg\u001b]0;x\u0007redo'],
    ['another sequence', 'seg\u001b(Bredo'],
    ['a lone escape', 'seg\u001b\u001bredo'],
    ['an escape and a letter', 'seg\u001bcredo'],
    ['a return', 'segr\redo'],
    ['an end of line', 'segr\nedo'],
    ['a character without width', 's\u200begred\u2060o'],
    ['an override', 'seg\u202eredo'],
  ])('a hidden value that is interrupted by %s is hidden', ([, text]) => {
    const shown = redact(`antes ${text} depois\n`, ['segredo', 'outro']);
    expect(stripVTControlCharacters(shown)).toBe('antes *** depois\n');
  });

  test('what is not hidden keeps its colours and lines', () => {
    const text = '\u001b[32mum\u001b[0m\ndois\r\n\u001b[1mtrês';
    expect(redact(text, ['segredo'])).toBe(text);
  });

  test('a long text that looks like the beginning of sequences takes no longer than its length', () => {
    const text = '\u001b['.repeat(200_000) + '\u001b]'.repeat(200_000);
    expect(redact(text, ['segredo'])).toBe(text);
  });

  test.for([
    ['segr\u001b[31', 8],
    ['se\u001b[31mg', 8],
    ['nothing of it', 0],
    ['ends with its beginning: s', 1],
    ['ends with its beginning: segre', 5],
    ['ends with all of it: segredo', 0],
    ['twice the beginning segrsegr', 4],
    ['sdo', 0],
    ['', 0],
  ] as const)('%j: %i characters could be the beginning of a hidden value', ([text, count]) => {
    expect(heldBack(text, ['segredo', 'xyz'])).toBe(count);
  });
});

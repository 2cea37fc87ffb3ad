import { expect, test } from 'vitest';
import { endOf, whyOf } from './backends.ts';
import { appLogLines, inTerminal } from './logs.ts';
import { createOnce } from './once.ts';

const why = (reason: 'InvalidManifest' | 'ExitedAtOnce' | 'InstallCommandFailed', message: string, lines: readonly string[] = []) =>
  whyOf({ answer: { reason, message }, how: 'exit code 1', lines, folder: '/a', language: 'en' });

test('the place of the mistake comes first', () => {
  const { detail, tail } = why('ExitedAtOnce', '', ['ouvindo', '  File "/a/backend/main.py", line 27', "SyntaxError: unmatched ')'"]);
  expect(detail).toBe("main.py:27 SyntaxError: unmatched ')'; exit code 1");
  expect(tail).toHaveLength(2);
});

test('a missing entrypoint is no crash, and nothing is said to stand above', () => {
  expect(why('InvalidManifest', 'the entrypoint backend/main.mjs is missing in the package; last: ExitedAtOnce')).toEqual({
    refused: true,
    words: 'the entrypoint backend/main.mjs is missing in the package',
    detail: 'the entrypoint backend/main.mjs is missing in the package',
    tail: [],
  });
  expect(why('InstallCommandFailed', 'installCommand failed: exit code 3; its output is above').detail).not.toContain('above');
});

test('one that lives has not ended: the last end is that of the process before it', () => {
  const exit = { code: 7, signal: null };
  expect((['starting', 'running', 'backoff', 'failed', 'stopped'] as const).map((status) => endOf(status, exit))).toEqual([
    '',
    '',
    'exit code 7',
    'exit code 7',
    'exit code 7',
  ]);
  expect([endOf('failed', { code: null, signal: 'SIGSEGV' }), endOf('failed', null)]).toEqual(['SIGSEGV', '']);
});

test('the line of a start is in the language of the terminal', () => {
  const line = '[notas] versão 0.1.0 escutando em /run/notas.sock';
  expect([inTerminal(line, 'en'), inTerminal(line, 'pt'), inTerminal('versão 2', 'en')]).toEqual([
    '[notas] version 0.1.0 listening on /run/notas.sock',
    line,
    'versão 2',
  ]);
});

test('a line of app.log with a traceback has its lines', () => {
  expect(appLogLines('{"ts":1,"evento":"pedido.erro","nivel":"erro","rota":"/x","rastro":"Traceback:\\n  File\\nE: x\\n"}')).toEqual([
    'erro pedido.erro rota=/x',
    'Traceback:',
    '  File',
    'E: x',
  ]);
  expect(appLogLines('no JSON')).toEqual(['no JSON']);
});

test('what was told is told again after the next change only', () => {
  const once = createOnce();
  expect([once.isNew('a'), once.isNew('a')]).toEqual([true, false]);
  once.begin();
  expect(once.isNew('a')).toBe(true);
});

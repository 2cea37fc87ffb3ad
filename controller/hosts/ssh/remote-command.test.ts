import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { array, constantFrom, sample, string } from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { remoteCommand } from './remote-command.ts';

/** Whatever login shells stand here; an account may have any of them. */
const shells = ['/bin/sh', '/bin/bash', '/bin/dash', '/bin/zsh', '/usr/bin/fish', '/bin/tcsh', '/bin/ksh', '/bin/busybox'].filter(
  existsSync,
);
const taken = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:@%+,=-';

/** A single shell reads all lines: each begins a command. */
function wordsSeenBy(shell: string, lines: readonly string[]): string[] {
  const line = lines.join('\n');
  const flags = shell.endsWith('busybox') ? ['sh', '-c', line] : ['-c', line];
  return execFileSync(shell, flags, { encoding: 'utf8', env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent' } })
    .split('\n')
    .slice(0, -1);
}

test('of all 65,536 first characters only the plain ones are taken', () => {
  const isTaken = (character: string): boolean => {
    try {
      remoteCommand(['printf', `a${character}b`]);
      return true;
    } catch {
      return false;
    }
  };
  // Nobody reads the stack traces of so many refusals.
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  onTestFinished(() => void (Error.stackTraceLimit = before));
  const all = Array.from({ length: 65_536 }, (_unused, code) => String.fromCharCode(code));
  expect(all.filter(isTaken)).toEqual(taken.split('').sort());
});

test.for(shells)('%s reads back the very words that were given', (shell) => {
  const word = string({ unit: constantFrom(...taken.split('')), minLength: 1, maxLength: 40 });
  const argvs = sample(array(word, { minLength: 1, maxLength: 8 }), { numRuns: 60, seed: 20_261_121 });
  // Words that mean something to one shell or another when they stand bare.
  const special = ['=ls', '-n', '--', '%1', '@a', 'a=b', '.', '..', '/', ':', '+x', ',', 'if', 'A=1', '-'];
  // The words of remoteCommand behind a command, of the shell itself in most, that prints what it was given.
  const lines = [...argvs, special].map((argv) => `'printf' '%s\\n' ${remoteCommand(['x', ...argv])} ''`);
  // An empty word, which no command has, ends each of them.
  expect(wordsSeenBy(shell, lines)).toEqual([...argvs, special].flatMap((argv) => ['x'].concat(argv, '')));
});

test.for([
  [[], 'nothing'],
  [['-o', 'x'], 'an option in the place of the program'],
  [['', 'x'], 'an empty program'],
  [['=ls'], 'a program that begins with a sign'],
  [['ls', ''], 'an empty word'],
  [['ls', 'a'.repeat(4_097)], 'a word that is too long'],
  [['ls', "it's"], 'a quote'],
  [['ls', 'a b'], 'a space'],
  [['ls', '$(id)'], 'a substitution'],
  [['ls', 'a\n'], 'a newline at the end'],
  [['ls', 'ção'], 'a letter beyond ASCII'],
] as const)('$1 is refused', ([argv]) => {
  expect(() => remoteCommand(argv)).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }) as Error);
});

test('a refusal never repeats the word: it may be anything', () => {
  expect(() => remoteCommand(['svc-app-install', 'segredo $x'])).toThrow(/word 1 of the command svc-app-install/);
  expect(() => remoteCommand(['svc-app-install', 'segredo $x'])).not.toThrow(/segredo/);
});

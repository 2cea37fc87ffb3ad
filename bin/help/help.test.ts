import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { beforeAll, describe, expect, test } from 'vitest';
import { publishProgram } from '../publish-program.ts';
import { program } from '../svc-program.ts';
import { examples } from './examples.ts';
import { commandersWords, pathOf, prepareHelp, valuesIn, withAllBelow } from './help.ts';
import { portuguese } from './portuguese.ts';
import { placeIn } from './complete.ts';
import { sources } from './values.ts';

const commands = withAllBelow(program);
const visible = commands.filter((command) => pathOf(command) !== 'complete');
const named = (path: string): Command => visible.find((command) => pathOf(command) === path)!;
const textsOf = (command: Command): string[] => [
  command.description(),
  ...command.options.map(({ description }) => description),
  ...command.registeredArguments.map(({ description }) => description),
];
const valueNamesOf = (command: Command): readonly string[] => [
  ...command.options.flatMap(({ flags }) => valuesIn(flags)),
  ...command.registeredArguments.map((argument) => argument.name()),
];
/** Before it is translated. */
const english = new Set([...visible.flatMap(textsOf), ...commandersWords]);
const values = new Set([...visible.flatMap(valueNamesOf), 'options', 'command']);
const helpIn = (path: string): string => named(path).helpInformation();

describe('the help in Portuguese', () => {
  test('has each text of the program, and no other', () => {
    expect([...english].filter((text) => portuguese.texts[text] === undefined)).toEqual([]);
    expect(Object.keys(portuguese.texts).filter((text) => !english.has(text))).toEqual([]);
  });

  test('has each name of a value, and no other', () => {
    expect([...values].filter((name) => portuguese.values[name] === undefined)).toEqual([]);
    expect(Object.keys(portuguese.values).filter((name) => !values.has(name))).toEqual([]);
  });
});

describe('examples', () => {
  test('each command has one, and no row is of a command that is not there', () => {
    expect(Object.keys(examples).toSorted()).toEqual(visible.map(pathOf).toSorted());
    expect(Object.values(examples).filter((lines) => lines.length === 0)).toEqual([]);
  });

  /** Words that a shell gives the program: without redirections and pipes; for `source <(…)` and `… | source` the inner command. */
  const wordsOf = (line: string): string[] => (/svc ([^<|)]*)/.exec(line)?.[1] ?? '').trim().split(/\s+/);

  /** The command that the words end at, and what it would get. */
  function read(command: Command, words: string[]): { command: Command; operands: string[]; unknown: string[] } {
    const { operands, unknown } = command.parseOptions(words);
    const below = command.commands.find((each) => each.name() === operands[0]);
    // Options of the program may stand before the command: the examples have none there.
    return below === undefined ? { command, operands, unknown } : read(below, words.slice(words.indexOf(below.name()) + 1));
  }

  /** Commands of the first page that an author reads are checked, too. */
  const firstApp = readFileSync(join(import.meta.dirname, '../../docs/first-app.md'), 'utf8');
  const told = Array.from(firstApp.matchAll(/^svc .+$/gm), ([line]) => ['', line] as const);
  const ours = Object.entries(examples).flatMap(([path, lines]) => lines.map((line) => [path, line] as const));

  test.for([...ours, ...told])('%s: %s', ([path, line]) => {
    const { command, operands, unknown } = read(program, wordsOf(line));
    const taken = command.registeredArguments;
    expect(unknown).toEqual([]);
    expect(operands.length).toBeGreaterThanOrEqual(taken.filter(({ required }) => required).length);
    expect(operands.length).toBeLessThanOrEqual(taken.some(({ variadic }) => variadic) ? Infinity : taken.length);
    expect(`${pathOf(command)} `).toMatch(new RegExp(`^${path === '' ? '' : `${path} `}`));
    expect(command).not.toBe(program);
  });
});

describe('what completes a word', () => {
  test('each value of the program has a row, and no row is of none', () => {
    const isFree = ({ argChoices }: { readonly argChoices?: readonly string[] }): boolean => argChoices === undefined;
    const all = [...commands, publishProgram];
    const options = all.flatMap((command) => command.options.filter(isFree).flatMap(({ flags }) => valuesIn(flags)));
    const operands = all.flatMap((command) => command.registeredArguments.filter(isFree).map((argument) => argument.name()));
    const taken = new Set([...options, ...operands]);
    expect([...taken].toSorted()).toEqual(Object.keys(sources).toSorted());
  });

  const texts = (...words: string[]): string[] => placeIn(program, words).words.map(({ text }) => text);
  test('commands, options that are not given yet, and choices', () => {
    expect(texts('')).toEqual(program.commands.filter((each) => each.name() !== 'complete').map((each) => each.name()));
    expect(texts('jobs', '')).toEqual(['get', 'logs', 'cancel', 'why', 'help']);
    expect(texts('events', '--follow', '-')).toEqual(['--limit', '-n', '--state', '--output', '-o', '--help', '-h']);
    expect(texts('get', '-o', '')).toEqual(['table', 'wide', 'json', 'yaml']);
    expect(texts('get', '--output=')).toEqual(['table', 'wide', 'json', 'yaml']);
    expect(texts('server', 'add', 'lab', '-o', '')).toEqual(['table', 'json']);
    expect(texts('completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect(texts('help', 'jobs', '')).toEqual(['get', 'logs', 'cancel', 'why']);
    expect(texts('no-such', '')).toEqual([]);
  });

  test.for<[readonly string[], string | null, string]>([
    [['start', 'an'], 'person/app', 'an'],
    [['get', ''], 'kind|key|name', ''],
    [['get', 'backends', ''], 'person', ''],
    [['get', 'backends', 'ana', ''], null, ''],
    [['validate', 'a', 'b', ''], 'file', ''],
    [['secret', 'set', 'ana/a', ''], 'secret', ''],
    [['sessions', 'ana', '--revoke', ''], 'session', ''],
    [['--state', ''], 'dir', ''],
    [['get', '--state=/v'], 'dir', '/v'],
    [['logs', '--tail', '5', 'ana'], 'person/app', 'ana'],
    [['logs', '-f', '--', '-x'], 'person/app', '-x'],
    // As bash cuts it.
    [['get', '--state', '=', '/v'], 'dir', '/v'],
  ])('%j is %s', ([words, value, typed]) => {
    expect(placeIn(program, words)).toMatchObject({ value, typed });
  });

  test('svc-app-publish takes a folder and its own options', () => {
    expect(placeIn(publishProgram, [''])).toMatchObject({ value: 'dir' });
    expect(placeIn(publishProgram, ['.', '--repository', 'r'])).toMatchObject({ value: 'dir|url', typed: 'r' });
    expect(placeIn(publishProgram, ['.', '--check', '--']).words.map(({ text }) => text)).toContain('--repository');
  });

  test('the state folder that is named is the one that is asked, wherever it stands', () => {
    for (const words of [
      ['--state', 's', 'get', ''],
      ['get', '--state=s', ''],
      ['get', '--state', '=', 's', ''],
    ])
      expect(placeIn(program, words).state).toBe('s');
    expect(placeIn(program, ['get', '']).state).toBe('state');
  });
});

describe('in the language of the reader', () => {
  beforeAll(() => prepareHelp(program, portuguese));

  test('all of it is Portuguese: no English text is left', () => {
    const others = [...english].filter((text) => text.length > 8 && portuguese.texts[text] !== text);
    for (const command of visible) {
      const help = command.helpInformation().replaceAll(/\s+/g, ' ');
      expect(others.filter((text) => help.includes(text))).toEqual([]);
      expect(help).not.toMatch(/\[options\]|\[command\]|default:|choices:/);
    }
    expect(helpIn('events')).toMatch(/^\S*Uso:\S* svc events \[opções\] \[chave\]\n[^]*--limit <quantos> +quantos \(padrão: 50\)/);
    expect(helpIn('validate')).toContain('<arquivo...>');
  });
});

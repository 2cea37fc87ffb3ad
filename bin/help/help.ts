/** Adds to the help of commander: examples, and all of it in the language of the reader. */
import { styleText } from 'node:util';
import { type Command, Help, type HelpConfiguration } from 'commander';
import { examples } from './examples.ts';

/** Another language than that of the program: by the English text, and by the name of a value (`person/app`). */
export interface Translation {
  readonly texts: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, string>>;
}

export const withAllBelow = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(withAllBelow)];

/** `jobs get`; '' for the program itself. */
export function pathOf(command: Command): string {
  if (command.parent === null) return '';
  return [pathOf(command.parent), command.name()].filter((name) => name !== '').join(' ');
}

/** The words of commander, beside those of the program. */
export const commandersWords = [
  'Usage:',
  'Arguments:',
  'Options:',
  'Commands:',
  'Examples:',
  'choices:',
  'default:',
  'help for a command',
  'help for the command',
  'Pages to read are at /ajuda of the portal.',
] as const;

/** `<person/app>`, `[dir]`, `<file...>`: the name between the brackets. */
export const valuesIn = (text: string): readonly string[] =>
  Array.from(text.matchAll(/[<[]([^<>[\]]+?)(?:\.\.\.)?[>\]]/g), ([, name = '']) => name);

export function prepareHelp(program: Command, translation: Translation | null): void {
  const told = (text: string): string => translation?.texts[text] ?? text;
  const configuration = configurationOf(translation, told);
  for (const command of withAllBelow(program)) {
    command.configureHelp(configuration);
    command.helpOption('-h, --help', told('help for the command'));
    if (command.commands.length > 0 && command !== program) command.helpCommand('help [command]', told('help for a command'));
    command.addHelpText('after', () => examplesOf(command, told('Examples:')));
    if (command === program) command.addHelpText('after', () => `\n${told('Pages to read are at /ajuda of the portal.')}`);
    if (translation !== null) translate(command, told);
  }
}

function translate(command: Command, told: (text: string) => string): void {
  command.description(told(command.description()));
  for (const option of command.options) option.description = told(option.description);
  for (const argument of command.registeredArguments) argument.description = told(argument.description);
}

/** Commander takes the colours away where none are wanted. */
const title = (text: string): string => styleText('bold', text, { validateStream: false });

function examplesOf(command: Command, heading: string): string {
  const lines = examples[pathOf(command)] ?? [];
  return lines.length === 0 ? '' : `\n${title(heading)}\n${lines.map((line) => `  ${line}\n`).join('')}`.trimEnd();
}

function configurationOf(translation: Translation | null, told: (text: string) => string): HelpConfiguration {
  const plain = new Help();
  const base = { helpWidth: 80, minWidthToWrap: 30, styleTitle: (text: string) => title(told(text)) };
  if (translation === null) return base;
  const terms = (text: string): string =>
    text.replaceAll(/(?<=[<[])([^<>[\]]+?)(?=(?:\.\.\.)?[>\]])/g, (name) => translation.values[name] ?? name);
  const description = (text: string): string =>
    text.replaceAll(/(?<=[(\s])(choices:|default:)(?= ")|\b(default:)(?= \d)/g, (word) => told(word));
  return {
    ...base,
    commandUsage: (command) => terms(plain.commandUsage(command)),
    subcommandTerm: (command) => terms(plain.subcommandTerm(command)),
    optionTerm: (option) => terms(plain.optionTerm(option)),
    argumentTerm: (argument) => translation.values[plain.argumentTerm(argument)] ?? plain.argumentTerm(argument),
    optionDescription: (option) => description(plain.optionDescription(option)),
    argumentDescription: (argument) => description(plain.argumentDescription(argument)),
  };
}

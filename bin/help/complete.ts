/** Completes the end of a command line from the program itself: commands, options, their choices, or a value by its name. */
import type { Argument, Command, Option } from 'commander';

/** The start of a word that is typed, and what it may become. */
export interface Place {
  /** `-o`, `get`, …: what is known without a portal. */
  readonly words: readonly { readonly text: string; readonly about: string }[];
  /** The name of a value (help/values.ts); null: none may stand here. */
  readonly value: string | null;
  /** Part of the word that is the value: all of it, or the text after `--state=`. */
  readonly typed: string;
  /** Comes before each of the words in the shell: `--state=`. */
  readonly start: string;
  /** Arguments of the command so far. */
  readonly before: readonly string[];
  readonly state: string;
}

interface Walk {
  readonly command: Command;
  readonly before: readonly string[];
  /** Takes the next word. */
  readonly option: Option | null;
  readonly given: ReadonlySet<Option>;
  readonly state: string;
  /** After `--`. */
  readonly isPlain: boolean;
}

const nothing: Pick<Place, 'words' | 'value'> = { words: [], value: null };

/** `words`: what stands after `svc`, the last as far as it is typed. */
export function placeIn(program: Command, words: readonly string[]): Place {
  const all = joined(words);
  const word = all.at(-1)?.text ?? '';
  const start: Walk = { command: program, before: [], option: null, given: new Set(), state: 'state', isPlain: false };
  const walk = all.slice(0, -1).reduce((walked, { text }) => step(walked, text), start);
  const at = { before: walk.before, state: walk.state, typed: word, start: '' };
  if (walk.option !== null) return { ...at, ...valueOf(walk.option) };
  const [, flag, value] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
  if (!walk.isPlain && flag !== undefined) {
    const option = optionNamed(walk.command, flag);
    // Bash takes what follows the sign as a word of its own.
    const shown = all.at(-1)?.isJoined === true ? '' : `${flag}=`;
    return { ...at, typed: value ?? '', start: shown, ...(option ? valueOf(option) : nothing) };
  }
  if (!walk.isPlain && word.startsWith('-')) return { ...at, words: optionsOf(walk), value: null };
  return { ...at, ...operandOf(walk) };
}

/** `--state`, `=`, `dir` as bash gives it: one word. */
function joined(words: readonly string[]): readonly { readonly text: string; readonly isJoined: boolean }[] {
  const found: { text: string; isJoined: boolean }[] = [];
  for (const [at, text] of words.entries()) {
    const last = found.at(-1);
    const isSign = text === '=' && last?.text.startsWith('--') === true;
    if (last !== undefined && (isSign || (last.isJoined && words[at - 1] === '='))) {
      last.text += text;
      last.isJoined = true;
    } else found.push({ text, isJoined: false });
  }
  return found;
}

function step(walk: Walk, text: string): Walk {
  const { command, option } = walk;
  if (option !== null && !(option.optional && text.startsWith('-')))
    return { ...walk, option: null, state: option.attributeName() === 'state' ? text : walk.state };
  if (!walk.isPlain && text === '--') return { ...walk, isPlain: true, option: null };
  if (!walk.isPlain && text.startsWith('-') && text.length > 1) return optionStep({ ...walk, option: null }, text);
  const below = walk.before.length === 0 ? command.commands.find((each) => each.name() === text) : undefined;
  if (below !== undefined) return { ...walk, command: below, option: null, given: new Set() };
  return { ...walk, before: [...walk.before, text], option: null };
}

/** `--tail 5`, `--tail=5`, `-n 5`, `-n5`. */
function optionStep(walk: Walk, text: string): Walk {
  const [, flag = '', value] = /^(--[^=]+|-.)(?:=?(.*))$/s.exec(text) ?? [];
  const option = optionNamed(walk.command, flag);
  if (option === undefined) return walk;
  const given = new Set([...walk.given, option]);
  const takes = option.required || option.optional;
  if (value === undefined || value === '') return { ...walk, given, option: takes ? option : null };
  return { ...walk, given, state: option.attributeName() === 'state' ? value : walk.state };
}

const optionNamed = ({ options }: Command, flag: string): Option | undefined =>
  options.find(({ short, long }) => flag === short || flag === long);

function optionsOf({ command, given }: Walk): Place['words'] {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter((option) => !given.has(option) || option.variadic)
    .flatMap(({ short, long, description }) => [long, short].flatMap((text) => (text === undefined ? [] : [{ text, about: description }])));
}

function operandOf({ command, before }: Walk): Pick<Place, 'words' | 'value'> {
  if (command.commands.length > 0) return before.length > 0 ? nothing : { words: commandsOf(command), value: null };
  const argument = command.registeredArguments[before.length] ?? command.registeredArguments.at(-1);
  if (argument === undefined || (before.length >= command.registeredArguments.length && !argument.variadic)) return nothing;
  return argument.name() === 'command' ? { words: commandsNamed(command.parent, before), value: null } : valueOf(argument);
}

/** Completes `svc help`: commands of the program, then those of the command that is named. */
function commandsNamed(program: Command | null, names: readonly string[]): Place['words'] {
  const named = names.reduce((command, name) => command?.commands.find((each) => each.name() === name) ?? null, program);
  return named === null ? [] : commandsOf(named).filter(({ text }) => text !== 'help');
}

const commandsOf = (command: Command): Place['words'] =>
  command
    .createHelp()
    .visibleCommands(command)
    .map((below) => ({ text: below.name(), about: below.description() }));

function valueOf(taker: Option | Argument): Pick<Place, 'words' | 'value'> {
  if (taker.argChoices !== undefined) return { words: taker.argChoices.map((text) => ({ text, about: '' })), value: null };
  const name = 'flags' in taker ? /[<[]([^<>[\].]+)/.exec(taker.flags)?.[1] : taker.name();
  return { words: [], value: name ?? null };
}

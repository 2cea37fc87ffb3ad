/** svc(1), from the program itself: each command with its arguments, options and examples. */
import type { Command } from 'commander';
import { examples } from '../bin/help/examples.ts';
import { pathOf, withAllBelow } from '../bin/help/help.ts';

/** In roff a line that begins with a dot or an apostrophe is a request, and a backslash an escape. */
export const roff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^(?=[.'])/gm, '\\&');

function sectionOf(command: Command): readonly string[] {
  const name = pathOf(command);
  const given = command.registeredArguments.map((argument) => {
    const value = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${value}>` : `[${value}]`;
  });
  const described = [
    ...command.registeredArguments.map((argument) => [argument.name(), argument.description] as const),
    ...command.options.map((option) => [option.flags, option.description] as const),
  ];
  return [
    '.SS',
    roff(['svc', name, ...given].join(' ')),
    roff(command.description()),
    ...described.flatMap(([term, text]) => ['.TP', `.B ${roff(term)}`, roff(text)]),
    ...(examples[name] ?? []).flatMap((line) => ['.PP', '.RS', '.nf', roff(line), '.fi', '.RE']),
  ];
}

export function manPage(program: Command, version: string): string {
  const commands = withAllBelow(program).filter((command) => command !== program && command.commands.length === 0);
  return [
    `.TH SVC 1 "" ${JSON.stringify(`svc ${version}`)}`,
    '.SH NAME',
    'svc \\- small applications inside a web desktop, on real Linux servers',
    '.SH SYNOPSIS',
    '.B svc',
    'COMMAND [OPTION]...',
    '.SH COMMANDS',
    ...commands.flatMap(sectionOf),
    '.SH ENVIRONMENT',
    '.TP',
    '.B SVC_STATE',
    roff('folder of the portal, where --state is not given; it goes before that of svc.conf'),
    '.SH FILES',
    '.TP',
    '.I /etc/svc\\-portal',
    'the desired state: YAML',
    '.TP',
    '.I /etc/svc\\-portal/svc.conf',
    'a line SVC_STATE=FOLDER, where the state of the installed portal is elsewhere',
    '.TP',
    '.I /var/lib/svc/state',
    'the state of the installed portal',
    '.TP',
    '.I /usr/lib/svc/docs',
    'the documentation',
    '',
  ].join('\n');
}

/** The table of verbs (schema/bridge/verbs.ts) as a page for authors and as types for their editor. */
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { limits } from '../schema/bridge/limits.ts';
import type { Checks } from '../schema/bridge/verb.ts';
import { bridgeErrors, events, verbNames, verbs, type VerbName } from '../schema/bridge/verbs.ts';

const root = resolve(import.meta.dirname, '..');
export const typesPath = resolve(root, 'sdk/web/svc.d.ts');

/** The sentence above each row. */
function remarks(): ReadonlyMap<string, string> {
  const folder = resolve(root, 'schema/bridge');
  const files = readdirSync(folder).filter((file) => file.endsWith('verbs.ts'));
  const text = files.map((file) => readFileSync(resolve(folder, file), 'utf8')).join('\n');
  const rows = text.matchAll(/(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\s*)?\n {2}(?:'([\w.-]+)'|(\w+)): /g);
  return new Map(
    Array.from(rows, ([, remark = '', quoted, plain]) => [quoted ?? plain ?? '', remark.replaceAll(/\s*\n\s*\*?\s*/g, ' ').trim()]),
  );
}

const said = remarks();
const publicVerbs = verbNames.filter((name) => verbs[name].by !== 'inner');

const parameter = (checks: Checks): string[] =>
  Object.entries(checks).map(([name, { type, optional }]) => `${name}${optional === true ? '?' : ''}: ${type}`);

/** As svc.d.ts writes them, in brackets. */
function parametersOf(name: VerbName): string {
  const { args, options, takes } = verbs[name];
  if (takes !== undefined) return takes;
  const fields = parameter(options).map((field) => `readonly ${field}`);
  const object = Object.values(options).every(({ optional }) => optional) ? 'opcoes?' : 'opcoes';
  return `(${[...parameter(args), ...(fields.length === 0 ? [] : [`${object}: { ${fields.join('; ')} }`])].join(', ')})`;
}

const answerOf = (name: VerbName): string => (verbs[name].by === 'shell' ? `Promise<${verbs[name].gives}>` : verbs[name].gives);

/** Writes a method on a line, its sentence above it, as the formatter leaves it. */
function method(name: VerbName, indent: string): string[] {
  const own = name.split('.').at(-1) ?? name;
  const remark = said.get(name) ?? '';
  return [...(remark === '' ? [] : comment(remark, indent)), `${indent}${own}${parametersOf(name)}: ${answerOf(name)};`];
}

const columnsMax = 140;

function comment(remark: string, indent: string): string[] {
  const whole = `${indent}/** ${remark} */`;
  if (whole.length <= columnsMax) return [whole];
  const lines = remark.matchAll(new RegExp(`(.{1,${columnsMax - indent.length - 3}})(?: |$)`, 'g'));
  return [`${indent}/**`, ...Array.from(lines, ([, line]) => `${indent} * ${line}`), `${indent} */`];
}

function interfaceOfSvc(): string {
  const groups = [...new Set(publicVerbs.filter((name) => name.includes('.')).map((name) => name.split('.', 1)[0] ?? ''))];
  const lines = groups.flatMap((group) => {
    const methods = publicVerbs.filter((name) => name.startsWith(`${group}.`)).flatMap((name) => method(name, '    '));
    return [`  readonly ${group}: {`, methods.join('\n'), '  };'];
  });
  const heard = Object.entries(events).map(([event, type]) => `  readonly ${event}: ${type};`);
  return [
    'interface SvcEventos {',
    ...heard,
    '}',
    '',
    'interface Svc {',
    '  readonly noAmbiente: boolean;',
    ...publicVerbs.filter((name) => !name.includes('.')).flatMap((name) => method(name, '  ')),
    ...lines,
    '}',
  ].join('\n');
}

const first = '// From here written by node setup/verbs-table.ts.\n';
const last = '\n// To here.';

export function withVerbTypes(text: string): string {
  const [before, rest = ''] = text.split(first);
  const after = rest.split(last)[1];
  if (after === undefined) throw new Error('svc.d.ts has no place for the verbs');
  return `${before}${first}${interfaceOfSvc()}${last}${after}`;
}

const elsewhere: Readonly<Record<string, string>> = { null: 'outside `null`', own: '', same: 'also outside' };

/** How long the desktop works on it, where that is not the usual time. */
function waits(name: VerbName): string {
  const { by, deadlineMs } = verbs[name];
  if (by === 'page' || deadlineMs === limits.portalVerbAnswerMs) return '';
  return deadlineMs === null ? 'no deadline' : `${deadlineMs / 1_000} s`;
}

function lineOf(name: VerbName): string {
  const rest = [waits(name), elsewhere[verbs[name].outside] ?? ''].filter((part) => part !== '').join('; ');
  const remark = said.get(name) ?? '';
  const signature = `svc.${name}${parametersOf(name)}: ${answerOf(name)}`.replaceAll('readonly ', '');
  return `- \`${signature}\`${remark === '' ? '' : ` ${remark}`}${rest === '' ? '' : ` *${rest}*`}`;
}

export function verbsPage(): string {
  const heard = Object.entries(events).map(([event, type]) => `- \`${event}\` \`${type}\`: ${said.get(event) ?? ''}`);
  const errors = Object.keys(bridgeErrors).map((code) => `- \`${code}\`: ${said.get(code) ?? ''}`);
  return `${head}${publicVerbs.map(lineOf).join('\n')}\n${middle}${heard.join('\n')}\n${end}${errors.join('\n')}\n`;
}

const head = `# Verbs of the page

Written by \`node setup/verbs-table.ts\` from \`schema/bridge/verbs.ts\`, as are the types in \`sdk/web/svc.d.ts\`. How to write an app:
[app-authors.md](app-authors.md).

Where neither a line nor the text below says another, a verb answers within ${limits.portalVerbAnswerMs / 1_000} s, or rejects with \`sem-resposta\`; outside the shell it rejects with \`fora-do-ambiente\`.

`;

const middle = `
Outside the shell \`app.capacidades\` and \`capabilities\` answer \`{ host: 'none', shellVersion: null, verbos: [] }\`. \`dialogo.confirmar\` and \`perguntar\` ask
in the browser's own dialog, \`area.ler\` reads where the browser allows it, \`notificar\` writes to the console, \`janela.abrir\` and \`window.abrir\` open a tab,
\`window.close\` closes one that a script opened. \`fila.disponivel\` and \`metricas.disponivel\` answer \`FORA_DO_AMBIENTE\`, \`gpu.*\` is not granted,
\`configuracoes.ligada\` is false, \`apps.pedir\` answers 404; \`apps.listar\`, \`fila.listar\`, \`salas.listar\` and \`pessoas.buscar\` are empty;
\`metricas.*\` counts nothing.

\`disco.*\` reaches only what the person chose in \`arquivos.*\`, and the \`caminho\` that the app was opened with. Paths are in their exact form
([files.md](files.md)).

## Events

`;

const end = `
## Codes

The portal's refusals have its own code and \`status\` ([errors.md](errors.md)). Codes of the bridge:

`;

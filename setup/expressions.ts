/**
 * Every regular expression of the product, and which of them take more than linear time: a text that somebody wrote must not stop the process that
 * serves everybody. `node setup/judge-expressions.ts` keeps in judged-expressions.json which ones were found to be linear, since a verdict takes up to
 * seconds; what is not there is judged by the test. Decision: docs/decisions/0386-regular-expressions-in-linear-time.md
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { check } from 'recheck';
import { parseSync } from 'vite';

const root = path.resolve(import.meta.dirname, '..');
const folders = ['schema', 'machines', 'reconcilers', 'store', 'controller', 'kit', 'api', 'shell', 'bin', 'sdk'] as const;

export interface Expression {
  readonly source: string;
  readonly flags: string;
  /** `file:line`, or the module whose value it is. */
  readonly at: string;
}

export interface Found {
  readonly expressions: readonly Expression[];
  /** Made of a value that no text of a file tells: known only by running its module. */
  readonly unread: readonly string[];
}

type Node = Readonly<Record<string, unknown>> & { readonly type?: string; readonly start: number };

/** Expressions in the text of the product's files; in a template each substitution counts as `x`, and as 64 where a count stands. */
export function writtenExpressions(): Found {
  const expressions: Expression[] = [];
  const unread: string[] = [];
  for (const file of sourceFiles()) {
    const text = readFileSync(path.join(root, file), 'utf8');
    const at = ({ start }: Node): string => `${file}:${text.slice(0, start).split('\n').length}`;
    visit(parseSync(file, text, { lang: file.endsWith('.ts') ? 'ts' : 'js' }).program, (node) => {
      const made = expressionOf(node);
      if (made === null) return;
      if (made === 'unread') unread.push(at(node));
      else expressions.push({ ...made, at: at(node) });
    });
  }
  return { expressions, unread };
}

export function sourceFiles(): readonly string[] {
  return folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => `${folder}/${file}`)
      .filter((file) => /\.(?:ts|js|cjs|mjs)$/.test(file) && !/\.(?:test|d)\.ts$|\/(?:testing|node_modules|templates)\//.test(file)),
  );
}

function visit(value: unknown, see: (node: Node) => void): void {
  if (Array.isArray(value)) for (const one of value) visit(one, see);
  else if (typeof value === 'object' && value !== null) {
    if ('type' in value) see(value as Node);
    for (const one of Object.values(value)) visit(one, see);
  }
}

/** Null: the node is no expression. */
function expressionOf(node: Node): Pick<Expression, 'source' | 'flags'> | 'unread' | null {
  if (node.type === 'Literal' && node['regex'] !== undefined && node['regex'] !== null) {
    const { pattern, flags } = node['regex'] as { pattern: string; flags: string };
    return { source: pattern, flags };
  }
  if ((node.type === 'NewExpression' || node.type === 'CallExpression') && (node['callee'] as Node)['name'] === 'RegExp') {
    const [source, flags] = node['arguments'] as readonly Node[];
    if (source === undefined || source['regex'] !== undefined || isOfTable(source)) return null;
    return asExpression(source, flags === undefined ? '' : (textOf(flags) ?? ''));
  }
  const key = node.type === 'Property' ? ((node['key'] as Node)['name'] ?? (node['key'] as Node)['value']) : null;
  // The pattern of a JSON Schema; Ajv compiles it with this flag.
  return key === 'pattern' && textOf(node['value'] as Node) !== null ? asExpression(node['value'] as Node, 'u') : null;
}

/** Whether the node is `patterns` or `namePatterns`, whose values are judged each. */
function isOfTable(node: Node): boolean {
  const table = node.type === 'MemberExpression' ? (node['object'] as Node)['name'] : null;
  return typeof table === 'string' && /patterns$/i.test(table);
}

function asExpression(node: Node, flags: string): Pick<Expression, 'source' | 'flags'> | 'unread' {
  const source = textOf(node);
  return source === null ? 'unread' : { source, flags };
}

function textOf(node: Node): string | null {
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : null;
  const template = node.type === 'TaggedTemplateExpression' ? (node['quasi'] as Node) : node;
  if (template.type !== 'TemplateLiteral') return null;
  const form = node === template ? 'cooked' : 'raw';
  const parts = (template['quasis'] as readonly { value: Record<typeof form, string> }[]).map(({ value }) => value[form]);
  return parts.reduce((before, part) => `${before}${/\{(?:\d+,)?$/.test(before) ? '64' : 'x'}${part}`);
}

/**
 * Expressions that modules (programs excepted) create while they are loaded, and the patterns of the schemas that they export. In a process
 * of its own: a module is loaded once.
 */
export async function madeExpressions(): Promise<readonly Expression[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [path.join(import.meta.dirname, 'made-expressions.ts')], {
    maxBuffer: 64 * 1_024 * 1_024,
  });
  return JSON.parse(stdout) as readonly Expression[];
}

export const hashOf = ({ source, flags }: Expression): string =>
  createHash('sha256').update(`${flags}/${source}`).digest('hex').slice(0, 12);

/** Nothing in it is repeated but one plain thing behind the beginning of the text: there is nothing to try again. */
export function isPlainlyLinear({ source, flags }: Expression): boolean {
  const text = source
    .replaceAll(/\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)/g, 'a')
    .replaceAll(/\[\^?[^\]]*\]/g, 'a');
  const repeated = Array.from(text.matchAll(/(.)(?:[*+]|\{\d+,?\d*\})/g), ([, what]) => what);
  if (repeated.length === 0) return true;
  return repeated.length === 1 && repeated[0] !== ')' && text.startsWith('^') && !flags.includes('m') && !text.includes('|');
}

/** Null: linear, as far as the tool can tell. Else what was found, with a text that shows it. */
export async function judged({ source, flags, at }: Expression): Promise<string | null> {
  const verdict = await check(source, flags.replaceAll(/[dv]/g, ''), { timeout: 60_000 });
  if (verdict.status === 'safe') return null;
  const where = `${at} /${source}/${flags}`;
  if (verdict.status === 'unknown') return `${where}: ${verdict.error.kind}`;
  // On a machine that does much else its own trial of a text that it made takes long for any expression.
  const isProven = verdict.checker === 'automaton' || millisecondsOf(new RegExp(source, flags), verdict.attack.string) > 200;
  return isProven ? `${where}: ${verdict.complexity.summary}, ${verdict.attack.pattern.slice(0, 80)}` : null;
}

function millisecondsOf(expression: RegExp, text: string): number {
  const before = process.cpuUsage();
  text.replace(expression, '');
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Two at a time: each verdict has a deadline of its own. */
export async function judgedAll(expressions: readonly Expression[], see: (one: Expression, found: string | null) => void): Promise<void> {
  const left = [...expressions];
  const work = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) see(one, await judged(one));
  };
  await Promise.all([work(), work()]);
}

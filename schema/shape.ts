/**
 * JSON Schema (ajv 8) as problems a person understands: one problem per mistake, a stable code, what was expected and what was
 * found, the nearest known word, and the place of the key or of the value.
 */
import type { ErrorObject, ValidateFunction } from 'ajv';
import { distance } from 'fastest-levenshtein';
import { type FindingCode, type Problem, pointer, segmentsOf } from './findings.ts';
import { type SourceNode, characters, clip, locate } from './positions/node.ts';

export type Shape = ValidateFunction;

/** The findings of the schema, as problems of the text behind `root`. Empty when `value` fits. */
export function shapeProblems(shape: Shape, value: unknown, root: SourceNode, base: readonly string[] = []): Problem[] {
  if (shape(value)) return [];
  const problems: Problem[] = [];
  const seen = new Set<string>();
  const errors = shape.errors ?? [];
  const wrongType = new Set(errors.flatMap((error) => (error.keyword === 'type' ? [error.instancePath] : [])));
  for (const error of errors) {
    // Further errors of a value of the wrong type don't help.
    if (error.keyword !== 'type' && wrongType.has(error.instancePath)) continue;
    const problem = translate(error);
    if (!problem) continue;
    const path = [...base, ...problem.path];
    const once = `${problem.code} ${pointer(path)} ${problem.message}`;
    if (seen.has(once)) continue;
    seen.add(once);
    problems.push({ code: problem.code, path: pointer(path), span: locate(root, path, problem.at), message: problem.message });
  }
  return problems;
}

interface ShapeProblem {
  readonly code: FindingCode;
  readonly path: readonly string[];
  readonly at: 'key' | 'value';
  readonly message: string;
}

type Translate = (error: ErrorObject, path: string[]) => ShapeProblem | null;

/** A row for each keyword that the schemas use. A keyword without a row is a defect: a test walks the schemas. */
const translations: Readonly<Record<string, Translate>> = {
  additionalProperties: (error, path) => {
    const field = String(error.params['additionalProperty']);
    const known = Object.keys((error.parentSchema?.['properties'] as object | undefined) ?? {});
    const hint = didYouMean(field, known) || (known.length > 0 && known.length <= 6 ? `; known here: ${known.join(', ')}` : '');
    return { code: 'UNKNOWN_FIELD', path: [...path, field], at: 'key', message: `unknown field "${clip(field)}" in ${owner(path)}${hint}` };
  },
  required: (error, path) => {
    const field = String(error.params['missingProperty']);
    return { code: 'MISSING_FIELD', path: [...path, field], at: 'key', message: `"${field}" is missing in ${owner(path)}` };
  },
  type: (error, path) => {
    if (error.parentSchema?.['writeOnly'] === true) {
      return value('INLINE_CREDENTIAL', path, 'a credential is given by reference only: { env: NAME } or { file: PATH }');
    }
    const hint =
      error.params['type'] === 'string' && (typeof error.data === 'number' || typeof error.data === 'boolean') ? '; put it in quotes' : '';
    return value('WRONG_TYPE', path, `expected ${article(String(error.params['type']))}, found ${found(error)}${hint}`);
  },
  pattern: (error, path) => {
    const expected = String(error.parentSchema?.['title'] ?? `a text that matches ${String(error.params['pattern'])}`);
    const name = error.propertyName;
    if (name !== undefined) {
      return {
        code: 'PATTERN',
        path: [...path, name],
        at: 'key',
        message: `expected ${expected} as the name of the field, found "${clip(name)}"`,
      };
    }
    return value('PATTERN', path, `expected ${expected}, found ${found(error)}`);
  },
  // The pattern row reports it with the name of the field.
  propertyNames: () => null,
  enum: (error, path) => {
    // `transport` has a separate message. Source: rules 7.
    if (path.join('.') === 'backend.transport' && typeof error.data === 'string') return null;
    const allowed = error.params['allowedValues'] as unknown[];
    const words = allowed.filter((word) => typeof word === 'string');
    const hint = typeof error.data === 'string' ? didYouMean(error.data, words) : '';
    return value('ENUM', path, `expected ${allowed.map((word) => JSON.stringify(word)).join(', ')}, found ${found(error)}${hint}`);
  },
  const: (error, path) => value('ENUM', path, `expected ${JSON.stringify(error.params['allowedValue'])}, found ${found(error)}`),
  minimum: (error, path) => value('RANGE', path, `expected at least ${error.params['limit']}, found ${found(error)}`),
  maximum: (error, path) => value('RANGE', path, `expected at most ${error.params['limit']}, found ${found(error)}`),
  minLength: (error, path) => value('LENGTH', path, `expected at least ${count(error, 'character')}, found ${length(error)}`),
  maxLength: (error, path) => value('LENGTH', path, `expected at most ${count(error, 'character')}, found ${length(error)}`),
  minItems: (error, path) => value('LENGTH', path, `expected at least ${count(error, 'item')}, found ${length(error)}`),
  maxItems: (error, path) => value('LENGTH', path, `expected at most ${count(error, 'item')}, found ${length(error)}`),
  uniqueItems: (error, path) =>
    value(
      'DUPLICATE_ITEM',
      [...path, String(error.params['i'])],
      `this item is already in the list, at position ${Number(error.params['j']) + 1}`,
    ),
  format: (error, path) => value('FORMAT', path, `expected an address such as https://example.org, found ${found(error)}`),
  minProperties: (error, path) => oneOf(error, path),
  maxProperties: (error, path) => oneOf(error, path),
};

/** `scheme://user:password@…`, and `https://token@…`. */
const hasCredential = (data: unknown): boolean =>
  typeof data === 'string' && /^(?:[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:[^\s]+@|https?:\/\/[^/\s]+@)/i.test(data);

export const translatedKeywords: readonly string[] = Object.keys(translations);

function translate(error: ErrorObject): ShapeProblem | null {
  const row = translations[error.keyword];
  const path = segmentsOf(error.instancePath);
  // The found value is never repeated, whatever is wrong with it: findings end in logs and in the store.
  if (hasCredential(error.data)) {
    const expected: unknown = error.parentSchema?.['title'];
    const hint = typeof expected === 'string' ? `: expected ${expected}` : '';
    return value('INLINE_CREDENTIAL', path, `a credential is given by reference only, and not in an address${hint}`);
  }
  return row ? row(error, path) : value('FORMAT', path, `does not fit "${error.keyword}", found ${found(error)}`);
}

function value(code: FindingCode, path: string[], message: string): ShapeProblem {
  return { code, path, at: 'value', message: path.length === 0 ? message : `"${dotted(path)}": ${message}` };
}

/** Used by the schemas only as "exactly one of these fields". */
function oneOf(error: ErrorObject, path: string[]): ShapeProblem {
  const names = Object.keys((error.parentSchema?.['properties'] as object | undefined) ?? {});
  const set = Object.keys((error.data as object | null) ?? {});
  return value(
    'ONE_OF',
    path,
    `expected exactly one of ${names.join(', ')}, found ${set.length === 0 ? 'none' : set.map((name) => clip(name)).join(' and ')}`,
  );
}

function owner(path: readonly string[]): string {
  return path.length === 0 ? 'the root' : `"${dotted(path)}"`;
}

export function dotted(path: readonly (string | number)[]): string {
  return clip(path.join('.'));
}

function article(type: string): string {
  const names: Record<string, string> = {
    string: 'a text',
    integer: 'a whole number',
    number: 'a number',
    boolean: 'true or false',
    array: 'a list',
    object: 'an object',
  };
  return type
    .split(',')
    .map((one) => names[one] ?? one)
    .join(' or ');
}

/** The value that was found, short. */
function found(error: ErrorObject): string {
  const data: unknown = error.data;
  if (data === null) return 'null';
  if (Array.isArray(data)) return 'a list';
  if (typeof data === 'object') return 'an object';
  return typeof data === 'string' ? `"${clip(data)}"` : `${typeof data === 'boolean' ? '' : 'the number '}${JSON.stringify(data)}`;
}

function count(error: ErrorObject, unit: string): string {
  const limit = Number(error.params['limit']);
  return `${limit} ${unit}${limit === 1 ? '' : 's'}`;
}

function length(error: ErrorObject): string {
  const data: unknown = error.data;
  return String(typeof data === 'string' ? characters(data) : Array.isArray(data) ? data.length : 0);
}

/** Above this many known words a suggestion is not worth the time to compare them. */
const knownWordsMax = 1_000;

/** `; did you mean "x"?` for the nearest word, or '' when none is near. */
export function didYouMean(word: string, known: readonly string[]): string {
  if (word.length > 64 || known.length > knownWordsMax) return '';
  let best = '';
  let least = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const far = distance(word.toLowerCase(), candidate.toLowerCase());
    if (far < least && far < candidate.length) [best, least] = [candidate, far];
  }
  return best === '' ? '' : `; did you mean "${best}"?`;
}

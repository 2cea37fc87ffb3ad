/**
 * JSON Schema by the few words that a manifest uses, for the programs of a server: an engine costs some ten megabytes and tens of milliseconds, and
 * every person's supervisor and every start would pay for it.
 */
import { characters } from '../positions/node.ts';

export interface PlainSchema {
  readonly type?: string | readonly string[];
  /** The words of a message after "expected". */
  readonly title?: string;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  /** In characters, not UTF-16 units. */
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, PlainSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | PlainSchema;
  readonly items?: PlainSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
}

export type Path = readonly (string | number)[];

export interface Fault {
  readonly path: Path;
  /** The field of the object at `path` that is not there; null: what is at `path` is wrong. */
  readonly missing: string | null;
  readonly reason: string;
}

/** The first fault of a value at `path`; null: it fits. */
export type PlainCheck = (value: unknown, path?: Path) => Fault | null;

/** Made when a module is loaded: its expressions are ready for each value. */
export function plainCheck(schema: PlainSchema): PlainCheck {
  const fits = fitting(schema);
  const item = schema.items === undefined ? null : plainCheck(schema.items);
  const fields = fieldsCheck(schema);
  return (value, path = []) => {
    if (!fits(value)) return { path, missing: null, reason: `expected ${schema.title ?? expected(schema)}` };
    if (Array.isArray(value)) return item && first(value.entries(), ([index, one]) => item(one, [...path, index]));
    return isRecord(value) ? fields(value, path) : null;
  };
}

function fieldsCheck({ properties = {}, required = [], additionalProperties }: PlainSchema): (value: Fields, path: Path) => Fault | null {
  const checks = Object.entries(properties).map(([name, one]) => [name, plainCheck(one)] as const);
  const isClosed = additionalProperties === false;
  return (value, path) => {
    const unknown = isClosed ? Object.keys(value).find((name) => !Object.hasOwn(properties, name)) : undefined;
    if (unknown !== undefined) return { path: [...path, unknown], missing: null, reason: `unknown field ${JSON.stringify(unknown)}` };
    return first(checks, ([name, check]) => {
      if (value[name] !== undefined) return check(value[name], [...path, name]);
      return required.includes(name) ? { path, missing: name, reason: `"${name}" is missing` } : null;
    });
  };
}

function first<Item>(items: Iterable<Item>, faultOf: (item: Item) => Fault | null): Fault | null {
  for (const item of items) {
    const fault = faultOf(item);
    if (fault !== null) return fault;
  }
  return null;
}

const within = (size: number, least = 0, most = Infinity): boolean => size >= least && size <= most;

/** Whether a value is of the type and within the bounds, whatever is in it. */
function fitting({ type, enum: words, pattern, ...bounds }: PlainSchema): (value: unknown) => boolean {
  const expression = pattern === undefined ? null : new RegExp(pattern, 'u');
  const fits: Readonly<Record<string, (value: unknown) => boolean>> = {
    string: (value) =>
      typeof value === 'string' && within(characters(value), bounds.minLength, bounds.maxLength) && (expression?.test(value) ?? true),
    integer: (value) => Number.isInteger(value) && within(value as number, bounds.minimum, bounds.maximum),
    boolean: (value) => typeof value === 'boolean',
    array: (value) => Array.isArray(value) && within(value.length, bounds.minItems, bounds.maxItems),
    object: isRecord,
  };
  const ofType = fits[String(type)] ?? (() => true);
  return (value) => (words?.includes(value) ?? true) && ofType(value);
}

function expected({ type, enum: words, minLength = 0, maxLength, minimum, maximum }: PlainSchema): string {
  if (words !== undefined) return words.length === 1 ? JSON.stringify(words[0]) : `one of ${words.join(', ')}`;
  if (type === 'string') return maxLength === undefined ? 'a text' : `a text of ${minLength} to ${maxLength} characters`;
  if (type === 'integer')
    return maximum === undefined ? `a whole number of at least ${minimum}` : `a whole number from ${minimum} to ${maximum}`;
  const names: Readonly<Record<string, string>> = { boolean: 'true or false', array: 'a list', object: 'an object' };
  return names[String(type)] ?? 'something else';
}

type Fields = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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

/** The first fault of a value; null: it fits. */
export function faultIn(schema: PlainSchema, value: unknown, path: Path = []): Fault | null {
  if (!fits(schema, value)) return { path, missing: null, reason: `expected ${schema.title ?? expected(schema)}` };
  if (Array.isArray(value)) return first(value.entries(), ([index, item]) => faultIn(schema.items ?? {}, item, [...path, index]));
  return isRecord(value) ? faultInObject(schema, value, path) : null;
}

function faultInObject({ properties = {}, required = [], additionalProperties }: PlainSchema, value: Fields, path: Path): Fault | null {
  const unknown = additionalProperties === false ? Object.keys(value).find((name) => !Object.hasOwn(properties, name)) : undefined;
  if (unknown !== undefined) return { path: [...path, unknown], missing: null, reason: `unknown field ${JSON.stringify(unknown)}` };
  return first(Object.entries(properties), ([name, one]) => {
    if (value[name] !== undefined) return faultIn(one, value[name], [...path, name]);
    return required.includes(name) ? { path, missing: name, reason: `"${name}" is missing` } : null;
  });
}

function first<Item>(items: Iterable<Item>, faultOf: (item: Item) => Fault | null): Fault | null {
  for (const item of items) {
    const fault = faultOf(item);
    if (fault !== null) return fault;
  }
  return null;
}

const within = (size: number, least = 0, most = Infinity): boolean => size >= least && size <= most;

function fits(schema: PlainSchema, value: unknown): boolean {
  if (schema.enum !== undefined && !schema.enum.includes(value)) return false;
  switch (schema.type) {
    case 'string':
      return (
        typeof value === 'string' &&
        within(characters(value), schema.minLength, schema.maxLength) &&
        (schema.pattern === undefined || new RegExp(schema.pattern, 'u').test(value))
      );
    case 'integer':
      return Number.isInteger(value) && within(value as number, schema.minimum, schema.maximum);
    case 'boolean':
      return typeof value === 'boolean';
    case 'array':
      return Array.isArray(value) && within(value.length, schema.minItems, schema.maxItems);
    case 'object':
      return isRecord(value);
    default:
      return true;
  }
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

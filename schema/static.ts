/**
 * JSON Schemas as values, and the types of what they let through: one source for what a border checks and what the code says about it.
 * Types only: nothing of the library is loaded at run time. Decision: docs/decisions/0191-libraries-that-came-and-those-that-did-not.md
 */
import type { Static } from 'typebox';

/** Received values are read-only. */
type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: Frozen<T[Name]> }
    : T;

export type Wire<Schema extends object> = Frozen<Static<Schema>>;

/** `required` is typed as one entry that may be any of the names: that is all that the types need of it. */
export type Closed<Properties, Required> = {
  readonly type: 'object';
  readonly additionalProperties: false;
  readonly required: readonly [Required];
  readonly properties: Properties;
};

/** An object with these fields and no other; all of them are required unless `required` names some. */
export function closed<const Properties extends Record<string, object>, Required extends keyof Properties = keyof Properties>(
  properties: Properties,
  required: readonly Required[] = Object.keys(properties) as Required[],
): Closed<Properties, Required> {
  return { type: 'object', additionalProperties: false, required, properties } as unknown as Closed<Properties, Required>;
}

/** The same for what people write: `required` alone may not be left out. `extra`: further words of the schema. */
export const fields = <const Properties extends Record<string, object>, Required extends keyof Properties = never>(
  properties: Properties,
  required: readonly Required[] = [],
  extra: object = {},
): Closed<Properties, Required> =>
  ({ type: 'object', properties, additionalProperties: false, ...(required.length > 0 && { required }), ...extra }) as never;

/** Exactly one of these fields. For the types, an object for each of them. */
export const exactlyOne = <const Properties extends Record<string, object>>(
  properties: Properties,
  extra: object = {},
): { readonly anyOf: readonly [{ [Name in keyof Properties]: Closed<Pick<Properties, Name>, Name> }[keyof Properties]] } =>
  fields(properties, [], { minProperties: 1, maxProperties: 1, ...extra }) as never;

/** The same, and any of `beside`. JSON Schema is not asked that it is exactly one: the document's own check says it (schema/desired/cross-checks.ts). */
export const exactlyOneWith = <const Properties extends Record<string, object>, const Beside extends Record<string, object>>(
  properties: Properties,
  beside: Beside,
): { readonly anyOf: readonly [{ [Name in keyof Properties]: Closed<Pick<Properties, Name> & Beside, Name> }[keyof Properties]] } =>
  fields({ ...properties, ...beside }) as never;

/** A line between programs of ours. Open: a newer kit may say more. */
export function lineOf<const Event extends string, const Properties extends Record<string, object>, Required extends keyof Properties>(
  event: Event,
  properties: Properties,
  required: readonly Required[] = Object.keys(properties) as Required[],
) {
  return { type: 'object', properties: { event: { const: event }, ...properties }, required: ['event', ...required] } as unknown as {
    readonly type: 'object';
    readonly properties: Properties & { readonly event: { readonly const: Event } };
    readonly required: readonly ['event' | Required];
  };
}

/** Long lists of words are typed as one entry, too. */
export const oneOf = <const Word extends string>(words: readonly Word[]): { readonly type: 'string'; readonly enum: readonly [Word] } =>
  ({ type: 'string', enum: words }) as never;
/** `title` is what a message says was expected. */
export const pattern = (source: string, title: string) => ({ type: 'string', pattern: source, title }) as const;
export const list = <const Item extends object>(items: Item) => ({ type: 'array', items }) as const;
export const nullable = <const Type extends string>(type: Type) => ({ type: [type, 'null'] }) as const;
export const orNull = <const Schema extends object>(schema: Schema) => ({ anyOf: [schema, { type: 'null' }] }) as const;

export const text = { type: 'string' } as const;
export const flag = { type: 'boolean' } as const;
export const count = { type: 'integer', minimum: 0 } as const;
export const strings = { type: 'array', items: text } as const;

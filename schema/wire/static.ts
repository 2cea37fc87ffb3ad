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
export interface Closed<Properties, Required> {
  readonly type: 'object';
  readonly additionalProperties: false;
  readonly required: readonly [Required];
  readonly properties: Properties;
}

/** An object with these fields and no other; all of them are required unless `required` names some. */
export function closed<const Properties extends Record<string, object>, Required extends keyof Properties = keyof Properties>(
  properties: Properties,
  required: readonly Required[] = Object.keys(properties) as Required[],
): Closed<Properties, Required> {
  return { type: 'object', additionalProperties: false, required, properties } as unknown as Closed<Properties, Required>;
}

/** Long lists of words are typed as one entry, too. */
export const oneOf = <const Word extends string>(words: readonly Word[]): { readonly type: 'string'; readonly enum: readonly [Word] } =>
  ({ type: 'string', enum: words }) as never;
export const list = <const Item extends object>(items: Item) => ({ type: 'array', items }) as const;
export const nullable = <const Type extends string>(type: Type) => ({ type: [type, 'null'] }) as const;
export const orNull = <const Schema extends object>(schema: Schema) => ({ anyOf: [schema, { type: 'null' }] }) as const;

export const text = { type: 'string' } as const;
export const flag = { type: 'boolean' } as const;
export const count = { type: 'integer', minimum: 0 } as const;
export const strings = { type: 'array', items: text } as const;

/**
 * A reconciler's memory as it is read back from the store: parsed field by field. The store keeps it with the version of its shape. A
 * memory of another version, or one that does not fit, is dropped unless its shape migrates it; a decision without memory starts over,
 * which is always safe and at worst repeats an order with the same id.
 * Decision: docs/decisions/0175-memory-has-a-version.md
 */
import type { Condition } from '../schema/backend.ts';
import { conditionTypes } from '../schema/backend.ts';
import type { ConditionMemory } from './conditions.ts';

/** Answers the value as what it must be; throws when it is something else, as it does for what is not there. */
export type Reader<Value> = (value: unknown) => Value;

export interface MemoryShape<Memory> {
  /** Grows when the shape changes so that an older memory would be misread. */
  readonly version: number;
  readonly read: Reader<Memory>;
  /** Memories of earlier versions, by version. */
  readonly older?: Readonly<Record<number, Reader<Memory>>>;
}

/** How the store keeps it. */
export interface KeptMemory {
  readonly version: number;
  readonly value: unknown;
}

class Misfit extends Error {}

function refuse(): never {
  throw new Misfit();
}

/** Null when there is none, or none that this portal can use. */
export function readMemory<Memory>(shape: MemoryShape<Memory>, kept: unknown): Memory | null {
  if (kept === undefined) return null;
  // Written before memories had versions: the first shape.
  const { version, value } = isKept(kept) ? kept : { version: 1, value: kept };
  const read = version === shape.version ? shape.read : shape.older?.[version];
  if (read === undefined) return null;
  try {
    return read(value);
  } catch (error) {
    if (error instanceof Misfit) return null;
    throw error;
  }
}

/** The very same object when nothing changed: then nothing is written. */
export function remember<Memory extends object>(before: Memory | null, next: Memory): Memory {
  const names = Object.keys(next) as (keyof Memory)[];
  return before !== null && names.every((name) => before[name] === next[name]) ? before : next;
}

function isKept(kept: unknown): kept is KeptMemory {
  return isRecord(kept) && typeof kept['version'] === 'number' && Object.keys(kept).length === 2 && 'value' in kept;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const number: Reader<number> = (value) => (typeof value === 'number' ? value : refuse());
export const text: Reader<string> = (value) => (typeof value === 'string' ? value : refuse());
export const flag: Reader<boolean> = (value) => (typeof value === 'boolean' ? value : refuse());

export function orNull<Value>(read: Reader<Value>): Reader<Value | null> {
  return (value) => (value === null ? null : read(value));
}

/** Each word of the type has to be named, so that a new one can't be forgotten here. */
export function oneOf<Word extends string>(words: Readonly<Record<Word, true>>): Reader<Word> {
  const isWord = (value: unknown): value is Word => typeof value === 'string' && words[value as Word] === true;
  return (value) => (isWord(value) ? value : refuse());
}

export function among<Word extends string>(words: readonly Word[]): Reader<Word> {
  return (value) => words.find((word) => word === value) ?? refuse();
}

/** Exactly these fields: the mapped type makes a field without a reader fail to compile. */
export function fields<Value extends object>(readers: { readonly [Name in keyof Value]-?: Reader<Value[Name]> }): Reader<Value> {
  return (value) => {
    if (!isRecord(value) || Object.keys(value).length !== Object.keys(readers).length) return refuse();
    const read: Partial<Value> = {};
    for (const name in readers) read[name] = readers[name](value[name]);
    return isWhole(read, readers) ? read : refuse();
  };
}

function isWhole<Value extends object>(read: Partial<Value>, readers: { readonly [Name in keyof Value]-?: unknown }): read is Value {
  return Object.keys(readers).every((name) => name in read);
}

const status: Reader<Condition['status']> = oneOf({ True: true, False: true, Unknown: true });

/** See reconcilers/conditions.ts. */
export const since: Reader<ConditionMemory> = (value) => {
  if (!isRecord(value)) return refuse();
  const read: { -readonly [Type in keyof ConditionMemory]: ConditionMemory[Type] } = {};
  for (const [name, mark] of Object.entries(value)) {
    if (!Array.isArray(mark) || mark.length !== 2) return refuse();
    read[among(conditionTypes)(name)] = [status(mark[0]), number(mark[1])];
  }
  return read;
};

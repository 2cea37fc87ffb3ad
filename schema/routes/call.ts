/**
 * How a route is called: its address, and the types of what goes in and comes back, by its name in the table. The rows are imported as types
 * only, so that no schema gets into a page.
 */
import type { Wire } from '../static.ts';
import type { Typed } from './route.ts';
import type { routes } from './routes.ts';

type Rows = typeof routes;
/** `METHOD /path`, as in the table. */
export type RouteName = keyof Rows;
type Key = 'params' | 'query' | 'body' | 'answer';

/** Also null, for a body that may be missing. */
type OrNull<Schema> = Schema extends { readonly nullable: true } | { readonly type: readonly ['object', 'null'] } ? null : never;
type Value<Schema extends object> = Schema extends Typed<infer Told> ? Told : Wire<Schema> | OrNull<Schema>;

/** The received value of one part of a route; unknown when the row does not have it. */
export type PartOf<Name extends RouteName, Part extends Key> =
  Rows[Name] extends Readonly<Record<Part, infer Schema extends object>> ? Value<Schema> : unknown;
/** The JSON answer; void for 204. */
export type AnswerOf<Name extends RouteName> = [PartOf<Name, 'answer'>] extends [null] ? void : PartOf<Name, 'answer'>;

/** A text may be given as a number, and an optional one as undefined. */
type Loose<Query> = {
  readonly [Field in keyof Query]:
    | Query[Field]
    | (string extends Query[Field] ? number : never)
    | (object extends Pick<Query, Field> ? undefined : never);
};
type Sent<Name extends RouteName, Part extends Key> = Part extends 'query' ? Loose<PartOf<Name, Part>> : PartOf<Name, Part>;
/** Required unless everything in it is optional. */
type Given<Name extends RouteName, Part extends Key> =
  Rows[Name] extends Readonly<Record<Part, object>>
    ? true extends (null extends PartOf<Name, Part> ? true : object extends PartOf<Name, Part> ? true : false)
      ? { readonly [Field in Part]?: Sent<Name, Part> }
      : { readonly [Field in Part]: Sent<Name, Part> }
    : unknown;
type Bytes<Name extends RouteName> = Rows[Name] extends { readonly takes: string } ? { readonly body: Blob } : unknown;

export type InputOf<Name extends RouteName> = Given<Name, 'params'> & Given<Name, 'query'> & Given<Name, 'body'> & Bytes<Name>;

type Text = string | number | undefined;

interface Input {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, Text | readonly Text[]>>;
  readonly body?: unknown;
}

export interface Address {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** The request for a route. `*` of a path keeps its slashes. */
export function addressOf<Name extends RouteName>(name: Name, ...[input]: Asking<Name>): Address {
  const { params = {}, query = {}, body } = (input ?? {}) as Input;
  const [method = '', pattern = ''] = name.split(' ');
  const part = (text: string): string => text.split('/').map(encodeURIComponent).join('/');
  const path = pattern.replaceAll(/:(\w+)|\*/g, (all, named?: string) =>
    named === undefined ? part(params[all] ?? '') : encodeURIComponent(params[named] ?? ''),
  );
  const pairs = Object.entries(query).flatMap(([field, values]) =>
    [values].flat().flatMap((value): [string, string][] => (value === undefined ? [] : [[field, String(value)]])),
  );
  return { method, path: pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs).toString()}`, body };
}

/** Arguments after the name: the input may be left out where nothing of it is required. */
export type Asking<Name extends RouteName> = object extends InputOf<Name> ? [input?: InputOf<Name>] : [input: InputOf<Name>];

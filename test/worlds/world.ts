/** A broken world as data: what is broken, what is then true, what mends it by the words of the product, and what is well again. */
import type { Site } from './site.ts';

export interface Truth {
  readonly reason: string | RegExp;
  readonly state?: string;
  /** Is in the sentence of `svc why`. */
  readonly says?: RegExp;
  /** Fix by `svc why`; null: there is none to be said; absent: another place says it. The match goes to `mend`. */
  readonly fix?: RegExp | null | undefined;
}

export interface World {
  readonly name: string;
  /** Worlds of one lane are broken one after the other; lanes, and worlds without one, beside each other. */
  readonly lane?: string;
  readonly break: (site: Site) => Promise<unknown>;
  /** By key of the object, what `get`, `why`, and of a Backend the panel of its person say. The fix of the first one mends. */
  readonly truth: Readonly<Record<string, Truth>>;
  /** Not of a short run: it takes minutes, or more servers than its group. */
  readonly isLong?: true;
  /** Is in no statement on these objects. */
  readonly never?: RegExp;
  /** A row of `svc doctor`, or of one server as `SERVER:ROW`, is not ok and says so. */
  readonly doctor?: Readonly<Record<string, RegExp>>;
  /** A line of `svc plan` on the first object; null: it is in no line; absent: its exit code and the reasons of what it blocks, as in every world. */
  readonly plan?: RegExp | null;
  /** A command, and what it says. */
  readonly cli?: { readonly argv: readonly string[] | ((site: Site) => Promise<readonly string[]>); readonly says: RegExp };
  /** Further objects that it concerns. */
  readonly concerns?: RegExp;
  /** Does what the fix says, and nothing else. */
  readonly mend: (site: Site, fix: readonly string[]) => Promise<unknown>;
  /** State by key once it is mended. */
  readonly healed: Readonly<Record<string, string>>;
  /** Within which it is well again; three minutes unless given. */
  readonly healMsMax?: number;
  /** Removes the leftovers of the world. */
  readonly after?: (site: Site) => Promise<unknown>;
}

/** Groups come one after the other. */
export interface Group {
  readonly name: string;
  /** Servers that have to be ready before; the kit goes to no other one. */
  readonly servers: readonly string[];
  /** So many of its worlds are the part of a run of `npm test` whose seed chose the group. */
  readonly share: number;
  readonly worlds: readonly World[];
}

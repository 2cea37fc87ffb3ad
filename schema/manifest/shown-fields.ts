/** Fields of the manifest that the shell gets as they are declared: the shape of each in an answer, and its value where the manifest has none. */
import { flag, oneOf, text, type Wire } from '../static.ts';
import type { Manifest } from './manifest.ts';

const row = <const Shape extends object>(shape: Shape, otherwise: Wire<Shape>) => ({ shape, otherwise });

const rows = {
  type: row(oneOf(['app', 'engine']), 'app'),
  kind: row(oneOf(['app', 'service']), 'app'),
  description: row(text, ''),
  category: row(text, 'Other'),
  /** The object as it is; {} when absent. */
  window: row({ type: 'object', additionalProperties: true }, {}),
  /** Legacy field, as declared (rules 4.1). */
  gpu: row(flag, false),
  /** `servidor`: one backend for all people, kept by the server; people can't start or stop it. */
  escopo: row(oneOf(['pessoa', 'servidor']), 'pessoa'),
};
type Rows = typeof rows;
type Shapes = { readonly [Name in keyof Rows]: Rows[Name]['shape'] };
type Shown = { readonly [Name in keyof Rows]: Wire<Rows[Name]['shape']> };

const entries = Object.entries(rows) as readonly (readonly [keyof Rows, { readonly shape: object; readonly otherwise: unknown }])[];

export const shownShapes = Object.fromEntries(entries.map(([name, { shape }]) => [name, shape])) as Shapes;

/** An empty text is none. */
export const shownOf = (manifest: Pick<Manifest, keyof Rows>): Shown =>
  Object.fromEntries(entries.map(([name, { otherwise }]) => [name, manifest[name] || otherwise])) as Shown;

/** Checks of one argument of a verb, with the type that an author reads in svc.d.ts. The portal checks its own limits: here is the shape. */
import { isPlainLine, isPlainText } from '../plain-line.ts';
import { isRoute, routeProblem } from './route.ts';

export interface Check {
  /** TypeScript, in svc.d.ts. */
  readonly type: string;
  readonly optional?: boolean;
  readonly accepts: (value: unknown) => boolean;
  /** Describes what was expected instead of a value that is refused: for the author of the page. */
  readonly why?: (value: unknown) => string | null;
}

const isText = (value: unknown, least: number, charsMax: number): boolean =>
  typeof value === 'string' && value.length >= least && value.length <= charsMax;

export const text = (charsMax: number, least = 1): Check => ({ type: 'string', accepts: (value) => isText(value, least, charsMax) });
/** Words that people read in one line. */
export const line = (charsMax: number): Check => ({
  type: 'string',
  accepts: (value) => isText(value, 1, charsMax) && isPlainLine(value as string),
});
/** Words that people read in several lines. */
export const lines = (charsMax: number, linesMax: number): Check => ({
  type: 'string',
  accepts: (value) => isText(value, 1, charsMax) && isPlainText(value as string, linesMax),
});
export const matching = (pattern: RegExp): Check => ({
  type: 'string',
  accepts: (value) => typeof value === 'string' && pattern.test(value),
});
/** `type` names the choice in svc.d.ts; without it the values are written out. */
export const oneOf = (values: readonly string[], type = values.map((value) => `'${value}'`).join(' | ')): Check => ({
  type,
  accepts: (value) => values.includes(value as string),
});
export const listOf = (item: Check, itemsMax: number): Check => ({
  type: `readonly ${item.type}[]`,
  accepts: (value) => Array.isArray(value) && value.length > 0 && value.length <= itemsMax && value.every(item.accepts),
});
export const optional = (check: Check): Check => ({
  ...check,
  optional: true,
  accepts: (value) => value === undefined || check.accepts(value),
});
export const orNull = (check: Check): Check => ({
  ...check,
  type: `${check.type} | null`,
  accepts: (value) => value === null || check.accepts(value),
});
export const flag: Check = { type: 'boolean', accepts: (value) => typeof value === 'boolean' };
/** A number that counts things: no fraction, none below zero. */
export const whole: Check = { type: 'number', accepts: (value) => Number.isSafeInteger(value) && (value as number) >= 0 };
export const finite: Check = { type: 'number', accepts: (value) => Number.isFinite(value) };
export const route: Check = { type: 'string', accepts: isRoute, why: routeProblem };
export const blob: Check = { type: 'Blob', accepts: (value) => value instanceof Blob };

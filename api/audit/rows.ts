/** A row of the tables of routes, and its inputs. */
import type { AuditAction, AuditEntry, AuditResult } from '../../schema/audit.ts';

/** An answered request. Its texts are untrusted: a row names only what the portal knows, so that no secret in the wrong place is kept. */
export interface Answered {
  readonly result: AuditResult;
  /** The person who acts; '' when nobody is signed in. */
  readonly self: string;
  /** A parameter of the path, once the answer shows that it names something. */
  found(name: string): string | null;
  /** A person that there is, from this parameter of the path. */
  person(name: string): string | null;
  /** An app that the person has, from this parameter. */
  app(person: string, name: string): string | null;
  /** A group that somebody is in. */
  group(name: string): string | null;
  /** Member of the body, once the request was carried out. */
  body(name: string): Value;
  query(name: string): string | null;
  /** Member of the answer. */
  answer(name: string): Value;
}

/** Parts of the object's name after its kind; without all of them there is no object. */
export type ObjectOf = readonly [kind: string, parts: (request: Answered) => readonly Value[]];

export type Value = string | number | boolean | null;

export interface Recorded {
  /** Null: this one leaves no line. */
  readonly action: AuditAction | ((request: Answered) => AuditAction | null);
  readonly object?: ObjectOf;
  /** Whom it concerns, when it is not who acts. */
  readonly person?: (request: Answered) => string | null;
  readonly details?: (request: Answered) => Readonly<Record<string, Value>>;
  /**
   * How an answer that is no refusal says how the act ended. Absent: it has ended. `later`: it was only asked for. `events`: the answer is its
   * progress, and its end has a second line.
   */
  readonly ends?: ((request: Answered) => Ending) | 'later' | 'events';
}

export type Ending = Pick<AuditEntry, 'result' | 'code' | 'reason'>;

/** Acts on files leave a line where a path is not in the person's own home. */
export interface OnFiles {
  readonly files: 'file/read' | 'file/change';
  readonly paths: 'caminho' | 'itens' | 'busca';
  /** It goes on after the answer. */
  readonly ends?: 'later';
}

export type Row =
  | Recorded
  | OnFiles
  /** The line comes from there. */
  | { readonly elsewhere: string }
  /** Why it leaves none. */
  | { readonly none: string };

export type Rows = Readonly<Record<string, Row>>;

export const reads = { none: 'shows a person what is theirs' } as const;
export const adminReads = { none: 'shows how things are, no content of people; a refusal leaves the line admin/use' } as const;

export const textOf = (value: Value): string | null => (typeof value === 'string' ? value : null);

/** A start or a restart that was waited for. */
export function startEnding(request: Answered): Ending {
  if (request.answer('ready') === true) return { result: 'ok' };
  const reason = textOf(request.answer('reason')) ?? '';
  const hasFailed = ['failed', 'backoff', 'stopped'].includes(String(request.answer('status')));
  return { result: hasFailed ? 'failed' : 'begun', reason };
}

export function stopEnding(request: Answered): Ending {
  return { result: ['stopped', 'failed'].includes(String(request.answer('status'))) ? 'ok' : 'begun' };
}

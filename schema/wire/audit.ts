/** Answers from the audit record: to a person the lines that concern them, to an administrator every line. */
import { auditActions, auditCursorPattern, auditResults } from '../audit.ts';
import { type Wire, closed, count, flag, list, nullable, oneOf, orNull, text } from '../static.ts';
import { objectKey, personId } from './http.ts';

const cursor = { type: 'string', pattern: auditCursorPattern } as const;
const digits = (most: number) => ({ type: 'string', pattern: `^[0-9]{1,${most}}$` }) as const;

export const activityQuery = closed({ antes: cursor, limite: digits(3) }, []);

export const activityRow = closed({
  em: count,
  acao: oneOf(auditActions),
  /** `eu`; `admin`: an administrator; `pessoa`, `app`: named in `nome`; `portal`: the portal by itself; `ninguem`: somebody without a session. */
  quem: oneOf(['eu', 'admin', 'pessoa', 'app', 'portal', 'ninguem']),
  nome: nullable('string'),
  /** The object of the action: the name of an app, of a secret, …; null when the action needs none. */
  objeto: nullable('string'),
  /** Only of what came without a session, or from the person. */
  de: orNull(closed({ endereco: text, navegador: nullable('string') })),
  resultado: oneOf(auditResults),
  codigo: nullable('string'),
  /** So many of the same kind within a minute. */
  vezes: count,
});
export type ActivityRow = Wire<typeof activityRow>;

/** `antes`: of the next page; null: there is none. `parcial`: other portals of this site have lines as well and do not answer. */
export const activityAnswer = closed({ atividade: list(activityRow), antes: nullable('string'), parcial: flag });
export type ActivityAnswer = Wire<typeof activityAnswer>;

export const auditQuery = closed(
  {
    person: personId,
    action: { type: 'string', maxLength: 64, pattern: '^[a-z-]+(?:/[a-z-]+)?$' },
    object: { ...objectKey, maxLength: 1_024, pattern: '^[^\\u0000-\\u001f\\u007f]*$' },
    result: oneOf(auditResults),
    since: digits(15),
    until: digits(15),
    limit: digits(3),
    /** The page before that one. */
    before: cursor,
    /** Lines after that place; `end` returns none, only where the record ends. */
    after: { type: 'string', pattern: `${auditCursorPattern}|^end$` },
  },
  [],
);

/** `head`: the last line that was written, for `svc audit --verify`. */
export const auditAnswer = closed({
  lines: list({ type: 'object', additionalProperties: true } as const),
  next: nullable('string'),
  head: closed({ seq: count, hash: text }),
  /** Portals whose lines are not in it, since they do not answer. */
  unread: list(text),
});

export const auditVerifyAnswer = closed({
  portals: list(
    closed({
      portal: text,
      /** Null: it does not answer. */
      verdict: orNull(closed({ lines: count, files: count, found: count, messages: list(text) })),
    }),
  ),
});

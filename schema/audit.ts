/** A line of the audit record: who did what to which object, from where, when, and how it ended. Decision: docs/decisions/0401-the-audit-record.md */

/** Every act that is recorded. The first part is what the act is about. */
export const auditActions = [
  'session/open',
  'session/renew',
  'session/close',
  'session/revoke',
  'identity/forget',
  'passkey/make',
  'passkey/rename',
  'passkey/remove',
  'passkey/refuse',
  'link/make',
  'app/start',
  'app/stop',
  'app/restart',
  'app/pin',
  'package/install',
  'package/update',
  'package/remove',
  'package/cancel',
  'package/roll-back',
  'package/roll-back-end',
  'package/confirm',
  'package/engines',
  'secret/set',
  'secret/remove',
  'file/read',
  'file/change',
  'terminal/open',
  'terminal/close',
  'consent/give',
  'consent/refuse',
  'consent/revoke',
  'job/submit',
  'job/cancel',
  'job/end',
  'job/read',
  'log/read',
  'room/create',
  'room/rename',
  'room/delete',
  'room/restore',
  'room/owner',
  'room/grant',
  'room/revert',
  'room/recover',
  'room/erase',
  'room/withdraw',
  'person/forget',
  'person/erase',
  'person/move',
  'person/held',
  'server/kit',
  'server/roll-back',
  'server/take-off',
  'server/accounts',
  'server/key',
  'server/change',
  'keys/rotate',
  'credential/give',
  'credential/take',
  'object/forget',
  'desired/apply',
  'desired/write',
  'desired/add',
  'desired/change',
  'desired/remove',
  'admin/use',
  'control/use',
  'audit/begin',
  'audit/end',
  'audit/mend',
  'audit/missing',
  'audit/lost',
  'audit/drop',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** The actor of an action. */
export type AuditActor =
  /** With a session; `admin`: one that was opened by an admin link. */
  | { readonly kind: 'person'; readonly person: string; readonly admin?: true }
  /** Over the control socket: the account at its other end; null when the kernel did not say. */
  | { readonly kind: 'control'; readonly uid: number | null; readonly login?: string }
  /** With the credential of an app; `person`: for whom it speaks. */
  | { readonly kind: 'app'; readonly app: string; readonly person?: string }
  /** With the token of a running job. */
  | { readonly kind: 'job'; readonly job: string }
  /** Without a session. */
  | { readonly kind: 'nobody' }
  | { readonly kind: 'controller' }
  /** The portal itself: where it begins and ends, and what befell the record. */
  | { readonly kind: 'portal' };

/** `ok`: it was done. `begun`: it was asked for, and its end was not seen when the line was written. `refused`: the portal did not do it. `failed`: it began, and could not. */
export const auditResults = ['ok', 'begun', 'refused', 'failed'] as const;
export type AuditResult = (typeof auditResults)[number];

export interface AuditEntry {
  readonly by: AuditActor;
  readonly action: AuditAction;
  /** The object of the action, as `Kind/name`. Absent when the portal knows no such object. */
  readonly object?: string;
  /** Whom it concerns: whose app, session, secret. */
  readonly person?: string;
  /** `agent`: browser and system by their names, nothing else of the header. */
  readonly from?: { readonly address: string; readonly agent?: string };
  readonly result: AuditResult;
  /** Code of the error. */
  readonly code?: string;
  readonly reason?: string;
  /** So many of the same kind, of which no single lines were written. */
  readonly times?: number;
  /** Id of the request, as in the log and in the answer's `x-request-id`. */
  readonly request?: string;
  readonly details?: Readonly<Record<string, string | number | boolean>>;
}

export interface AuditLine extends AuditEntry {
  /** Grows by one from line to line, also over files. */
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly time: string;
  /** Which portal wrote it. */
  readonly portal: string;
  /** `hash` of the line before; 64 zeros in the first one. */
  readonly prev: string;
  /** SHA-256 of the line without this member. */
  readonly hash: string;
}

export interface Audit {
  /** Never throws and waits for nothing: the line is on the disk a moment later. */
  record(entry: AuditEntry): void;
}

/** Where nothing is recorded: `svc plan`, tests of other parts. */
export const noAudit: Audit = { record: () => undefined };

/** How the record stands, for `/metrics` and the doctor. */
export interface AuditFigures {
  /** Since the portal began. */
  readonly lines: number;
  /** Acts whose line could not be kept. */
  readonly lost: number;
  /** Lines that wait for the disk. */
  readonly waiting: number;
  /** Why lines can't be written now; null: they can. */
  readonly trouble: string | null;
  /** Damage that was found at the start; null when there was none. */
  readonly found: string | null;
  /** Why lines don't go to syslog although they should; null: they do, or need not. */
  readonly syslogTrouble: string | null;
}

export const noAuditFigures = (): AuditFigures => ({ lines: 0, lost: 0, waiting: 0, trouble: null, found: null, syslogTrouble: null });

export interface AuditHead {
  readonly seq: number;
  readonly hash: string;
}

/** Filter of a query; an absent field matches every line. */
export interface AuditQuery {
  /** The actor or the person concerned. */
  readonly person?: string;
  /** The whole action, or its first part. */
  readonly action?: string;
  /** The beginning of it. */
  readonly object?: string;
  readonly result?: AuditResult;
  readonly sinceMs?: number;
  readonly untilMs?: number;
}

/** `DAY:BYTE` in the files, where the next page begins; of several portals one for each, in base64url. */
export const auditCursorPattern = '^(?:\\d{4}-\\d\\d-\\d\\d:\\d{1,15}|[A-Za-z0-9_-]{8,8000})$';

export interface AuditPage {
  readonly lines: readonly AuditLine[];
  /** Null: there are no more. Not null with no lines: none was found within what one question reads. */
  readonly next: string | null;
}

/** A page of the record of one portal, as those that bring several together need it. */
export interface MarkedPage extends AuditPage {
  /** For each line, where the page behind it begins. */
  readonly marks: readonly string[];
  /** Time of the line that was read last, shown or not; null: there was none. */
  readonly reachedMs: number | null;
}

/** `--verify` of the record of another portal. */
export interface PortalVerdict {
  readonly portal: string;
  /** Null: it does not answer, so nobody knows. */
  readonly verdict: { readonly lines: number; readonly files: number; readonly found: number; readonly messages: readonly string[] } | null;
}

export function actingPerson(by: AuditActor): string | undefined {
  return by.kind === 'person' || by.kind === 'app' ? by.person : undefined;
}

export function isAsked(line: AuditLine, { person, action, object, result, sinceMs, untilMs }: AuditQuery): boolean {
  if (person !== undefined && line.person !== person && actingPerson(line.by) !== person) return false;
  if (action !== undefined && line.action !== action && !line.action.startsWith(`${action}/`)) return false;
  if (object !== undefined && line.object?.startsWith(object) !== true) return false;
  if (result !== undefined && line.result !== result) return false;
  if (sinceMs === undefined && untilMs === undefined) return true;
  const atMs = Date.parse(line.time);
  return atMs >= (sinceMs ?? -Infinity) && atMs <= (untilMs ?? Infinity);
}

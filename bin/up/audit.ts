/** The audit record of `svc up`: in STATE/audit, by the rule of the Portal document in force, with its row of `svc doctor`. */
import os from 'node:os';
import path from 'node:path';
import type { Logger } from 'pino';
import about from '../../package.json' with { type: 'json' };
import { SvcError } from '../../schema/errors.ts';
import type { AuditFigures } from '../../schema/audit.ts';
import type { Clock } from '../../schema/clock.ts';
import type { PortalDocument } from '../../schema/desired/documents.ts';
import type { DoctorCheck } from '../../schema/gateway.ts';
import { openAuditLog, type AuditLog } from '../../store/audit/log.ts';

export const auditFolder = (stateDir: string): string => path.join(stateDir, 'audit');

export interface UpAudit {
  readonly log: AuditLog;
  /** Once documents are read; before, the rule is the default. */
  follow(portal: () => PortalDocument['spec'] | undefined): void;
  check(): Promise<DoctorCheck>;
}

interface AuditOptions {
  readonly stateDir: string;
  /** Where the other portals of the store reach this one; null: there are none. */
  readonly joins: string | null;
  readonly clock: Clock;
  readonly log: Logger;
  /** Receives the function that closes it. */
  readonly ends: (() => Promise<void> | void)[];
}

/** Rejects STORE_FAILED where what is there can't be read: a record that begins anew would hide what is in it. */
export async function openAudit({ stateDir, joins, clock, log, ends }: AuditOptions): Promise<UpAudit> {
  const dir = auditFolder(stateDir);
  let spec: () => PortalDocument['spec'] | undefined = () => undefined;
  const audit = await openAuditLog({
    dir,
    portal: joins ?? os.hostname(),
    clock,
    rule: () => ({ keepDays: spec()?.audit?.keepDays, syslog: spec()?.audit?.syslog ?? false }),
    onTrouble: (why) => {
      if (why === null) log.info({ dir }, 'the audit record is written again');
      else log.error({ dir, why }, 'the audit record can not be written: acts go on, their lines wait in memory. svc doctor');
    },
  }).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new SvcError('STORE_FAILED', `the audit record in ${dir} can't be opened: ${why}`, {}, { cause: error });
  });
  const { found } = audit.figures();
  if (found !== null) log.error({ dir, found }, 'the audit record is not whole: svc audit --verify');
  audit.record({ by: { kind: 'portal' }, action: 'audit/begin', result: 'ok', details: { version: about.version, pid: process.pid } });
  ends.push(async () => {
    audit.record({ by: { kind: 'portal' }, action: 'audit/end', result: 'ok' });
    await audit.close();
  });
  return {
    log: audit,
    follow: (portal) => {
      spec = portal;
    },
    check: async () => auditCheck(audit.figures()),
  };
}

export function auditCheck({ lines, lost, waiting, trouble, found, syslogTrouble }: AuditFigures): DoctorCheck {
  const row = (state: 'ok' | 'warning' | 'broken', detail: DoctorCheck['detail'], fix: DoctorCheck['fix']): DoctorCheck => ({
    name: 'audit',
    ok: state === 'ok',
    warning: state === 'warning',
    detail,
    fix,
  });
  if (trouble !== null)
    return row(
      'broken',
      {
        pt: `o registro de auditoria não pode ser gravado (${trouble}): ${waiting} linhas esperam, ${lost} se perderam; os atos continuam`,
        en: `the audit record can't be written (${trouble}): ${waiting} lines wait, ${lost} are lost; acts go on`,
      },
      {
        pt: 'libere espaço na pasta de estado; o que espera é gravado sozinho',
        en: 'free space in the state folder; what waits is written by itself',
      },
    );
  if (found !== null)
    return row(
      'broken',
      { pt: `falta algo no registro de auditoria: ${found}`, en: `the audit record is not whole: ${found}` },
      {
        pt: 'svc audit --verify diz onde; compare com uma cópia ou com o syslog',
        en: 'svc audit --verify says where; compare with a copy or with syslog',
      },
    );
  if (lost > 0 || syslogTrouble !== null)
    return row(
      'warning',
      {
        pt: [
          ...(lost > 0 ? [`${lost} linhas se perderam com o disco cheio`] : []),
          ...(syslogTrouble === null ? [] : [`syslog: ${syslogTrouble}`]),
        ].join('; '),
        en: [
          ...(lost > 0 ? [`${lost} lines were lost while the disk took none`] : []),
          ...(syslogTrouble === null ? [] : [`syslog: ${syslogTrouble}`]),
        ].join('; '),
      },
      {
        pt: 'svc audit --action audit/lost diz quando; para o syslog, veja Portal.spec.audit.syslog e /dev/log',
        en: 'svc audit --action audit/lost says when; for syslog look at Portal.spec.audit.syslog and /dev/log',
      },
    );
  return row('ok', { pt: `${lines} linhas gravadas desde o início`, en: `${lines} lines written since the start` }, null);
}

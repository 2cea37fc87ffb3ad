/** Which lines of the record are shown to a person. Decision: docs/decisions/0403-what-a-person-sees-of-the-record.md */
import { actingPerson, type AuditLine } from '../../schema/audit.ts';

/** Areas in which people see their own acts: those that somebody else might have done in their name. */
const ownAreas: ReadonlySet<string> = new Set(['session', 'passkey', 'consent', 'secret', 'terminal', 'package']);
/** Routine of the controller on behalf of the person. */
const routine: ReadonlySet<string> = new Set(['app', 'job', 'credential', 'object']);

export function concerns(line: AuditLine, person: string): boolean {
  const [area = ''] = line.action.split('/');
  if (actingPerson(line.by) === person) return ownAreas.has(area) || line.person !== undefined;
  return line.person === person && !(line.by.kind === 'controller' && routine.has(area));
}

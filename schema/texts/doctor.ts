/** Lines of `svc doctor` in the reader's language. Each is written in both where it is made; the type requires both. */
import type { DoctorCheck } from '../gateway.ts';
import type { TextLanguage, Words } from './reasons.ts';

/** As the portal answers it. */
export interface DoctorRow {
  readonly name: string;
  readonly ok: boolean;
  readonly warning: boolean;
  readonly detail: string;
  readonly fix: string | null;
}

/** The same for everybody: a version, an address, a command, what another program said. */
export const same = (text: string): Words => ({ pt: text, en: text });

export const rowIn = ({ name, ok, warning, detail, fix }: DoctorCheck, language: TextLanguage): DoctorRow => ({
  name,
  ok,
  warning,
  detail: detail[language],
  fix: fix === null ? null : fix[language],
});

/** Recognises the refusal of `sudo -n`: the account of the administrator does not become root. */
import { SvcError } from '../../schema/errors.ts';
import { same } from '../../schema/texts/doctor.ts';

/** The line that lets an account become root without a password. */
export const sudoersLine = (admin: string): string =>
  `echo '${admin} ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/svc && chmod 440 /etc/sudoers.d/svc`;

/** Null: it was not sudo that spoke, or it did not find the command. */
export function sudoRefused(admin: string, said: string): SvcError | null {
  const words = /^(?:sudo: .*|.*\bsudo: (?:command )?not found)$/m.exec(said)?.[0];
  if (admin === 'root' || words === undefined || /^sudo: \S.*: command not found/.test(words)) return null;
  const isThere = words.startsWith('sudo: ');
  const fix = same(isThere ? sudoersLine(admin) : `apt-get install -y sudo && ${sudoersLine(admin)}`);
  return new SvcError('ADMIN_REFUSED', `${admin} does not become root: ${words}`, { fix });
}

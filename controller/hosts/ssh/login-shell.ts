/**
 * sshd hands each command to the login shell of the account, which reads its start-up files first (bash: ~/.bashrc). Their output is not
 * the command's, and input that they read was meant for it. So a mark is printed right before the command: lines before it are the shell's,
 * and nothing is sent before it came. Decision: docs/decisions/0350-the-login-shell.md
 */
import { randomBytes } from 'node:crypto';
import { SvcError } from '../../../schema/errors.ts';

/**
 * Ends the line that is printed right before the command begins. Each command has its own: ~/.ssh/rc runs before the command and does not
 * know it.
 */
export const newMark = (): string => `svc-begins-${randomBytes(8).toString('hex')}`;

/** Without a process more: the shell becomes the command, as it would alone. */
export const marked = (mark: string, line: string): string => `'echo' '${mark}' && exec ${line}`;

export type ShellFault =
  /** Something else than the command, on the same line; '' where that is no text. */
  | { readonly kind: 'prints'; readonly text: string }
  /** Its start-up files read input that was meant for the command. */
  | { readonly kind: 'reads' }
  /** No command began in time. */
  | { readonly kind: 'hangs'; readonly seconds: number }
  /** No command ran; `text` is what it printed instead. */
  | { readonly kind: 'ends'; readonly text: string };

const quiet = '[[ $- == *i* ]] || return';

/** `account` is who signed in there. */
export function shellError(account: string, fault: ShellFault): SvcError {
  const { does, fix } = sentences(fault);
  return new SvcError(
    'LOGIN_SHELL',
    `the login shell of ${account} ${does} (~/.bashrc, or another file that it reads at its start): ${fix.en}`,
    { fix },
  );
}

function sentences(fault: ShellFault): { readonly does: string; readonly fix: { readonly pt: string; readonly en: string } } {
  if (fault.kind === 'ends') {
    const said = fault.text === '' ? '' : ` and says “${shown(fault.text)}”`;
    return {
      does: `ends before it runs a command${said}`,
      fix: {
        pt: 'tire de ~/.bashrc exit e exec, ou dê à conta um shell que execute comandos (usermod -s /bin/bash)',
        en: 'take exit and exec out of ~/.bashrc, or give the account a shell that runs commands (usermod -s /bin/bash)',
      },
    };
  }
  const does =
    fault.kind === 'prints'
      ? `prints ${shown(fault.text) === '' ? 'something' : `“${shown(fault.text)}”`} before a command`
      : fault.kind === 'reads'
        ? 'reads what is sent to commands before it runs them'
        : `ran no command within ${fault.seconds} s`;
  return { does, fix: { pt: `escreva na primeira linha de ~/.bashrc: ${quiet}`, en: `write as the first line of ~/.bashrc: ${quiet}` } };
}

/** The first line that is not empty, without what a terminal would obey. */
function shown(text: string): string {
  const line = text.split('\n').find((one) => one.trim() !== '') ?? '';
  return line
    .replaceAll(/[^\P{C}]/gu, ' ')
    .trim()
    .slice(0, 80);
}

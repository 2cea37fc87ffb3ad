/** Shells for the terminals of a test portal: what is typed and printed is the test's; a real shell is in the tests of hosts and browsers. */
import { PassThrough } from 'node:stream';
import { SvcError } from '../../schema/errors.ts';
import type { PeopleCommands } from '../../schema/gateway.ts';
import type { RemoteShell, ShellEnd, TerminalSize } from '../../schema/terminals.ts';

export interface TestShell extends RemoteShell {
  readonly person: string;
  readonly output: PassThrough;
  /** All that was typed. */
  readonly typed: () => string;
  readonly sizes: TerminalSize[];
  finish(end?: Partial<ShellEnd>): void;
}

export interface TestShells {
  readonly opened: TestShell[];
  /** People without an account of their own: administrators only. */
  readonly asPortal: Set<string>;
  readonly open: PeopleCommands['openShell'];
}

export function createTestShells(): TestShells {
  const opened: TestShell[] = [];
  const asPortal = new Set<string>();
  return {
    opened,
    asPortal,
    open: async (person, _size, isAdmin) => {
      if (asPortal.has(person) && !isAdmin) throw new SvcError('TERMINAL_AS_PORTAL', 'administrators only');
      const shell: TestShell = { ...createTestShell(person), ...(asPortal.has(person) && { asPortal: true }) };
      opened.push(shell);
      return shell;
    },
  };
}

function createTestShell(person: string): TestShell {
  const output = new PassThrough({ highWaterMark: 16 * 1_024 });
  const input = new PassThrough({ highWaterMark: 16 * 1_024 });
  const sizes: TerminalSize[] = [];
  const { promise: ended, resolve } = Promise.withResolvers<ShellEnd>();
  let typed = '';
  input.setEncoding('utf8').on('data', (text: string) => {
    typed += text;
  });
  const finish = ({ code = null, signal = null }: Partial<ShellEnd> = {}): void => {
    output.end(() => resolve({ code, signal }));
  };
  return {
    person,
    output,
    input,
    sizes,
    typed: () => typed,
    resize: (size) => void sizes.push(size),
    end: () => finish({ signal: 'SIGHUP' }),
    ended,
    finish,
  };
}

/** A login shell on an ssh channel with a pty. */
import type { ClientChannel, PseudoTtyOptions } from 'ssh2';
import constants from 'ssh2/lib/protocol/constants.js';
import type { RemoteShell, ShellEnd } from '../../../schema/terminals.ts';
import type { RemoteExit } from './remote-run.ts';

// The kernel erases a whole character of UTF-8, not its last byte. ssh2 passes over a mode that its table lacks. Source: RFC 8160
constants.TERMINAL_MODE['IUTF8'] = 42;
export const ptyModes = { IUTF8: 1 } as NonNullable<PseudoTtyOptions['modes']>;

/**
 * The command that begins a login shell in the folder; where the account may not go there, it says so and begins in the home. ASCII only, whatever the
 * bytes of the path are: printf makes them of octal numbers, and a dot keeps a newline at the end.
 */
export function shellIn(folder: Uint8Array): string {
  const octal = Array.from(folder, (byte) => `\\0${byte.toString(8).padStart(3, '0')}`).join('');
  const script = 'd=$(printf "%b." "$1"); cd -- "${d%.}" || cd; exec "${SHELL:-/bin/sh}" -l';
  return `exec /bin/sh -c '${script}' sh '${octal}'`;
}

/** `isLost`: the connection below is gone. */
export function shellOnChannel(channel: ClientChannel, exit: RemoteExit, isLost: () => boolean): RemoteShell {
  channel.on('error', () => undefined);
  // A pty has one output: nothing comes here, and what came would hold up the window of the channel.
  channel.stderr.resume();
  const ended = new Promise<ShellEnd>((resolve) => {
    channel.once('close', () => {
      const { code, signal } = exit;
      resolve(isLost() || code === undefined ? { code: null, signal: null } : { code, signal });
    });
  });
  return {
    output: channel,
    input: channel,
    resize: ({ columns, rows }) => channel.setWindow(rows, columns, 0, 0),
    end: () => {
      channel.close();
      // ssh2 tells the end once everything was read.
      channel.resume();
    },
    ended,
  };
}

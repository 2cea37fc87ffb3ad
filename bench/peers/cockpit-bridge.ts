/**
 * Cockpit's way of listing a folder: its bridge, as the account at the end of an ssh connection, and the channel `fslist1`, which tells every entry of a
 * folder in no order and in one go. Frames are `LENGTH\nCHANNEL\nJSON` both ways (cockpit's doc/protocol.md).
 */
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

export interface CockpitBridge {
  /** Names as the bridge tells them. */
  list(folder: string): Promise<readonly string[]>;
  end(): void;
}

interface Frame {
  readonly channel: string;
  readonly told: { readonly command?: string; readonly channel?: string; readonly path?: string; readonly problem?: string };
}

async function* framesOf(stream: Readable): AsyncGenerator<Frame> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    let at = 0;
    for (;;) {
      const line = held.indexOf(10, at);
      if (line === -1) break;
      const end = line + 1 + Number(held.toString('latin1', at, line));
      if (Number.isNaN(end)) throw new Error(`no frame of cockpit-bridge: ${held.toString('latin1', at, line).slice(0, 80)}`);
      if (held.length < end) break;
      const body = held.indexOf(10, line + 1);
      yield { channel: held.toString('latin1', line + 1, body), told: JSON.parse(held.toString('utf8', body + 1, end)) as Frame['told'] };
      at = end;
    }
    held = held.subarray(at);
  }
}

/** Resolves once the bridge greeted. `command`: what runs `cockpit-bridge` as the account. */
export async function startCockpitBridge(command: string, args: readonly string[]): Promise<CockpitBridge> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const frames = framesOf(child.stdout);
  const send = (told: Readonly<Record<string, unknown>>): void => {
    const body = `\n${JSON.stringify(told)}`;
    child.stdin.write(`${Buffer.byteLength(body)}\n${body}`);
  };
  const next = async (): Promise<Frame> => {
    const { value } = await frames.next();
    if (value === undefined) throw new Error('cockpit-bridge ended');
    return value as Frame;
  };
  send({ command: 'init', version: 1, host: 'localhost' });
  while ((await next()).told.command !== 'init');
  let channels = 0;
  return {
    list: async (folder) => {
      channels += 1;
      const channel = `c${channels}`;
      send({ command: 'open', channel, payload: 'fslist1', path: folder, watch: false });
      const names: string[] = [];
      for (;;) {
        const frame = await next();
        if (frame.channel === channel) names.push(frame.told.path ?? '');
        else if (frame.told.channel === channel && frame.told.command === 'close') {
          if (frame.told.problem !== undefined) throw new Error(`fslist1: ${frame.told.problem}`);
          return names;
        }
      }
    },
    end: () => child.kill('SIGKILL'),
  };
}

/** run.log and app.log of the app for each person, line by line, as they are written. */
import { open, stat } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AppsView, Gateway } from '../../schema/gateway.ts';
import type { TextLanguage } from '../../schema/texts/reasons.ts';
import { limits } from './limits.ts';

type OnLine = (text: string) => void;

const chunkBytes = 64 * 1_024;

/** Cuts text into lines; what has no end yet waits. */
function lines(onLine: OnLine): (text: string) => void {
  let rest = '';
  return (text) => {
    const parts = (rest + text).split('\n');
    rest = (parts.pop() ?? '').slice(0, limits.logLineCharsMax);
    for (const part of parts) onLine(part.replace(/\r$/, ''));
  };
}

export interface Followed {
  readonly person: string;
  readonly app: string;
  readonly signal: AbortSignal;
}

/** The supervisor sends it, on this machine and on a server alike. A stream that ends (the supervisor was replaced) is begun again. */
export async function followRunLog(
  { apps, commands: { apps: commands } }: Pick<Gateway, 'apps' | 'commands'>,
  { person, app, signal }: Followed,
  onLine: OnLine,
): Promise<void> {
  for (let tail = 200; !signal.aborted;) {
    const take = lines(onLine);
    try {
      // A backend that was never started has no log; the refusal would be shown as a line of it.
      if (!(await untilStarted(apps, person, app, signal))) return;
      for await (const text of commands.followLog(person, app, { tail, signal })) take(text);
      tail = 0;
    } catch {
      // It is asked again below.
    }
    await sleep(1_000, undefined, { signal }).catch(() => undefined);
  }
}

async function untilStarted(apps: AppsView, person: string, app: string, signal: AbortSignal): Promise<boolean> {
  for (;;) {
    const view = apps.find(person, app);
    if (view !== null && view.status !== 'stopped' && view.status !== 'unknown') return true;
    await sleep(limits.logLookMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return false;
  }
}

/** From its end on. */
export async function followAppLog(file: string, signal: AbortSignal, onLine: OnLine): Promise<void> {
  let take = lines(onLine);
  let inode = 0;
  let at = (await stat(file).catch(() => null))?.size ?? 0;
  let decoder = new StringDecoder('utf8');
  const buffer = Buffer.alloc(chunkBytes);
  while (!signal.aborted) {
    const found = await stat(file).catch(() => null);
    if (found !== null) {
      // It was rotated, or cut.
      if ((inode !== 0 && inode !== found.ino) || found.size < at) {
        at = 0;
        decoder = new StringDecoder('utf8');
        take = lines(onLine);
      }
      inode = found.ino;
      const handle = found.size > at ? await open(file).catch(() => null) : null;
      if (handle !== null) {
        for (let got = -1; got !== 0;) {
          got = (await handle.read(buffer, 0, chunkBytes, at)).bytesRead;
          at += got;
          take(decoder.write(buffer.subarray(0, got)));
        }
        await handle.close();
      }
    }
    await sleep(limits.logLookMs, undefined, { signal }).catch(() => undefined);
  }
}

/** A line of app.log is JSON: what it says, first; what has several lines (a traceback) after it, as they are. */
export function appLogLines(text: string): readonly string[] {
  try {
    const { evento, nivel, ts: _ts, quando: _quando, ...rest } = JSON.parse(text) as Record<string, unknown>;
    if (typeof evento !== 'string') return [text];
    const entries = Object.entries(rest);
    const blocks = entries.flatMap(([, value]) => (isBlock(value) ? value.trimEnd().split('\n') : []));
    const more = entries
      .filter(([, value]) => !isBlock(value))
      .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
    const first = [typeof nivel === 'string' && nivel !== 'info' ? nivel : '', evento, ...more].filter((part) => part !== '').join(' ');
    return [first, ...blocks];
  } catch {
    return [text];
  }
}

const isBlock = (value: unknown): value is string => typeof value === 'string' && value.trimEnd().includes('\n');

/** The line with which every backend begins is Portuguese by its specification. Source: rules 4.2. */
export const inTerminal = (text: string, language: TextLanguage): string =>
  language === 'pt' ? text : text.replace(/^(\[[^\]]+\]) versão (\S+) escutando em (.+)$/, '$1 version $2 listening on $3');

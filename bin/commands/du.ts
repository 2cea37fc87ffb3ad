/** `svc du`: the room taken on disks, by person, app, version, engine, room and job. This command itself measures the state folder of the portal. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { SpaceRow } from '../../schema/space.ts';
import { createClient } from '../client.ts';
import { byteSize, isForPrograms, listing, plain, printValue, write, type Format } from '../output.ts';
import { limits } from '../limits.ts';

interface DuOptions {
  readonly state: string;
  readonly output: Format;
  readonly person?: string;
  readonly app?: string;
}

export async function runDu({ state, output, person, app }: DuOptions): Promise<void> {
  const stateDir = path.resolve(state);
  const isAll = person === undefined && app === undefined;
  const { rows, backups } = await createClient(stateDir).call('GET /api/admin/space', { query: { person, app } });
  const own = isAll ? await ownRows(stateDir, backups) : [];
  const all = [...own, ...rows].toSorted((one, other) => (other.bytes ?? -1) - (one.bytes ?? -1));
  if (isForPrograms(output)) return await printValue({ rows: all }, output);
  write(
    listing(
      all,
      [
        { title: 'SIZE', of: sizeOf },
        { title: 'WHAT', of: ({ what }) => what },
        { title: 'APP', of: ({ app: of }) => of ?? '' },
        { title: 'PERSON', of: ({ person: of }) => of ?? '' },
        { title: 'SERVER', of: ({ server }) => server ?? 'portal' },
        { title: 'NAME', of: ({ name, note }) => plain(note === null ? name : `${name} (${note})`) },
      ],
      output,
    ),
  );
}

const sizeOf = ({ bytes, isAtLeast }: SpaceRow): string => (bytes === null ? 'unknown' : `${isAtLeast ? '≥ ' : ''}${byteSize(bytes)}`);

/** Names in the state folder that are the portal's; a prefix of a local server has its own rows. */
const ours = ['svc.db', 'svc.db-wal', 'rooms.db', 'rooms.db-wal', 'anexos', 'fila', 'trabalhos', 'audit', 'restore.tmp'] as const;

async function ownRows(stateDir: string, backups: string | null): Promise<readonly SpaceRow[]> {
  const parts = ours.map((name) => path.join(stateDir, name)).filter((at) => existsSync(at));
  const all = [...parts, ...(backups !== null && existsSync(backups) ? [backups] : [])];
  const found = await Promise.all(all.map((at) => rowOf(at, stateDir)));
  const log: SpaceRow = {
    ...unknown,
    name: 'log',
    note: 'it goes to standard error: journalctl --disk-usage, or wherever the service keeps it',
  };
  return [...found, log];
}

const unknown = { what: 'other', app: null, person: null, server: null, bytes: null, isAtLeast: false } as const;

/** Allocated blocks, a file with several names once, in a process of its own that is ended when its time is over. */
async function rowOf(at: string, stateDir: string): Promise<SpaceRow> {
  const name = at.startsWith(`${stateDir}/`) ? path.relative(stateDir, at) : at;
  const child = spawn('du', ['-xsk', '--', at], { stdio: ['ignore', 'pipe', 'ignore'], timeout: limits.duMsMax });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const [code] = (await once(child, 'close').catch(() => [null])) as [number | null];
  const kb = /^([0-9]{1,13})\t/.exec(text)?.[1];
  if (kb === undefined) return { ...unknown, name, note: `not counted within ${limits.duMsMax / 1_000} s` };
  return { ...unknown, name, bytes: Number(kb) * 1_024, isAtLeast: code !== 0, note: code === 0 ? null : 'part of it can not be read' };
}

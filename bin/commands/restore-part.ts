/** `svc restore SRC --room NAME`, `--person NAME`: into the running portal, beside what is there. */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { SvcError } from '../../schema/errors.ts';
import type { ParcelAnswer } from '../../schema/parcels.ts';
import type { BackupFolder } from '../../store/backup/folder.ts';
import type { Manifest } from '../../store/backup/manifest.ts';
import { createClient } from '../client.ts';
import { isForPrograms, plain, printValue, toned, write, type Format } from '../output.ts';
import { pick, pickJobFiles, type Picked } from '../restore/pick.ts';

interface PartOptions {
  readonly stateDir: string;
  readonly room?: string;
  readonly as?: string;
  readonly person?: string;
  readonly jobs?: string;
  readonly yes?: boolean;
  readonly output: Format;
}

/** 0: done, or nothing to do; 2: something would be put back. */
export async function restorePart(folder: BackupFolder, manifest: Manifest, options: PartOptions): Promise<number> {
  const { stateDir, room, as, person, jobs, yes = false } = options;
  if (room !== undefined && person !== undefined) throw new SvcError('BAD_REQUEST', 'name a room or a person, not both');
  // Before anything is read: one that does not run has nobody to put it in.
  const portal = createClient(stateDir);
  await portal.call('GET /api/admin/objects', { query: { prefix: 'Portal/' } });
  const picked = await pick(folder, manifest, stateDir, { room, as, person });
  try {
    if (!yes) return await showPicked(picked, manifest, options);
    const answer = await portal.call('POST /api/admin/restorations', { body: { parcel: picked.parcel } });
    const files = person === undefined || jobs === undefined ? 0 : await pickJobFiles(folder, manifest, { person, to: path.resolve(jobs) });
    if (isForPrograms(options.output)) await printValue({ restored: { ...answer, files } }, options.output);
    else tell(answer, files, jobs);
    return 0;
  } finally {
    await rm(path.join(stateDir, picked.parcel), { recursive: true, force: true });
  }
}

async function showPicked({ content }: Picked, { atMs }: Manifest, { output }: PartOptions): Promise<number> {
  const { rooms, preferences, roles } = content;
  const found = rooms.map(({ id, nome, app, dona, attachments }) => ({ id, nome, app, dona, attachments: attachments.length }));
  if (isForPrograms(output))
    await printValue({ at: new Date(atMs).toISOString(), rooms: found, preferences: preferences !== null, roles: roles.length }, output);
  else {
    write(`as of ${new Date(atMs).toISOString()}\n`);
    for (const { id, nome, app, dona, attachments } of found)
      write(`room  ${plain(nome)} (${id}, ${app}, of ${dona}), ${attachments} attachments\n`);
    if (preferences !== null) write('preferences, where the person has none\n');
    if (roles.length > 0) write(`${roles.length} roles in rooms of others, where the person has none\n`);
    write('nothing was put back: --yes does it\n');
  }
  return rooms.length + roles.length > 0 || preferences !== null ? 2 : 0;
}

function tell({ rooms, kept, preferences, roles }: ParcelAnswer, files: number, jobs: string | undefined): void {
  for (const { from, id, nome } of rooms) write(`${toned('done', 'good')}  the room ${plain(nome)} is back as ${id} (it was ${from})\n`);
  if (kept.length > 0)
    write(`      left as they are, since they are still there: ${kept.map(plain).join(', ')}; --room takes a copy of one\n`);
  if (preferences !== 'none') write(`      preferences: ${preferences === 'restored' ? 'put back' : 'those that are there stay'}\n`);
  if (roles > 0) write(`      roles in rooms of others: ${roles}\n`);
  if (jobs !== undefined) write(`      files of jobs in ${plain(jobs)}: ${files}\n`);
}

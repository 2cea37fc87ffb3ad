/** `svc store migrate|copy DIR`: the store that the Portal document of the folder names; an embedded one while no portal runs on the state folder. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '../../controller/clock/system.ts';
import { readFolder } from '../../controller/desired/read-folder.ts';
import { SvcError } from '../../schema/errors.ts';
import { copyToPostgres } from '../../store/copy.ts';
import { openMemberStore } from '../../store/postgres.ts';
import { lockState } from '../../store/state-lock.ts';
import { plain, printValue, toned, write } from '../output.ts';
import { byteFolders } from '../up/stored-bytes.ts';
import { storeFile, type StorePlace } from '../up/remembered-store.ts';
import { holderName, openStore, postgresPlace, storePlace } from '../up/store-place.ts';

interface StoreOptions {
  readonly state: string;
  readonly output: 'table' | 'json';
}

export async function runStoreMigrate(dir: string, { state, output }: StoreOptions): Promise<void> {
  const [folder, stateDir] = [path.resolve(dir), path.resolve(state)];
  const place = await placeOf(folder, stateDir);
  await (storeFile(place, stateDir) === null ? migrateShared : migrateEmbedded)(place, stateDir);
  if (output === 'json') await printValue({ store: place.store }, 'json');
  else write(`${toned('done', 'good')}  the tables of ${plain(place.store ?? '')} are those of this svc\n`);
}

/** As a portal that joins: others go on meanwhile, or it is refused with STATE_IN_USE. Decision: docs/decisions/0310-what-a-rolling-upgrade-promises.md. */
async function migrateShared(place: StorePlace, stateDir: string): Promise<void> {
  const holder = `svc store migrate on ${holderName()}`;
  const store = await openMemberStore(await postgresPlace(place, stateDir), { clock: systemClock, holder });
  await store.close();
}

async function migrateEmbedded(place: StorePlace, stateDir: string): Promise<void> {
  await locked(stateDir, async () => {
    const { store } = await openStore(place, { stateDir, clock: systemClock, leads: true });
    await store.close();
  });
}

export async function runStoreCopy(dir: string, { state, from, output }: StoreOptions & { readonly from?: string }): Promise<void> {
  const [folder, stateDir] = [path.resolve(dir), path.resolve(state)];
  await locked(stateDir, async () => {
    const place = await placeOf(folder, stateDir);
    if (storeFile(place, stateDir) !== null)
      throw new SvcError(
        'BAD_REQUEST',
        `Portal.spec.store is ${place.store}: name the database there first, as postgres://USER@HOST/DATABASE`,
      );
    const file = path.resolve(from ?? path.join(stateDir, 'svc.db'));
    if (!existsSync(file)) throw new SvcError('BAD_REQUEST', `${file} is not there: --from names the file of the embedded store`);
    const tables = await copyToPostgres(file, await postgresPlace(place, stateDir), {
      clock: systemClock,
      rooms: path.join(stateDir, 'rooms.db'),
      folders: byteFolders(stateDir),
      holder: `svc store copy on ${holderName()}`,
      onTable: ({ table, rows }) => {
        if (output === 'table') write(`${String(rows).padStart(10)}  ${table}\n`);
      },
    });
    const rows = tables.reduce((sum, each) => sum + each.rows, 0);
    if (output === 'json') await printValue({ from: file, to: place.store, tables }, 'json');
    else
      write(`${toned('done', 'good')}  ${rows} rows and files of ${plain(file)} are in ${plain(place.store ?? '')}, as counted in both\n`);
  });
}

/** A portal goes on with the place that it remembers; here the folder is what is asked for. */
async function placeOf(folder: string, stateDir: string): Promise<StorePlace> {
  if (!(await readFolder(folder)).ok) throw new SvcError('BAD_REQUEST', `${folder} is refused: svc validate ${folder} says where and why`);
  return await storePlace(folder, stateDir);
}

async function locked(stateDir: string, use: () => Promise<void>): Promise<void> {
  const lock = lockState(stateDir);
  try {
    await use();
  } finally {
    lock.release();
  }
}

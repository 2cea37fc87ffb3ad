/** `svc store migrate|copy DIR`: the store that the Portal document of the folder names, while no portal runs on the state folder. */
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { systemClock } from '../../controller/clock/system.ts';
import { readFolder } from '../../controller/desired/read-folder.ts';
import { SvcError } from '../../schema/errors.ts';
import { copyToPostgres } from '../../store/copy.ts';
import { lockState } from '../../store/state-lock.ts';
import { plain, printValue, toned, write } from '../output.ts';
import { byteFolders } from '../up/stored-bytes.ts';
import { openStore, postgresPlace, storeFile, storePlace, type StorePlace } from '../up/store-place.ts';

interface StoreOptions {
  readonly state: string;
  readonly output: 'table' | 'json';
}

export async function runStoreMigrate(dir: string, { state, output }: StoreOptions): Promise<void> {
  await withPlace(dir, state, async (place, stateDir) => {
    const { store } = await openStore(place, { stateDir, clock: systemClock, leads: true });
    await store.close();
    if (output === 'json') await printValue({ store: place.store }, 'json');
    else write(`${toned('done', 'good')}  the tables of ${plain(place.store ?? '')} are those of this svc\n`);
  });
}

export async function runStoreCopy(dir: string, { state, from, output }: StoreOptions & { readonly from?: string }): Promise<void> {
  await withPlace(dir, state, async (place, stateDir) => {
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
      holder: `svc store copy on ${hostname()}, process ${process.pid}`,
      onTable: ({ table, rows }) => {
        if (output === 'table') write(`${String(rows).padStart(10)}  ${table}\n`);
      },
    });
    const rows = tables.reduce((sum, each) => sum + each.rows, 0);
    if (output === 'json') await printValue({ from: file, to: place.store, tables }, 'json');
    else write(`${toned('done', 'good')}  ${rows} rows of ${plain(file)} are in ${plain(place.store ?? '')}, as counted in both\n`);
  });
}

async function withPlace(dir: string, state: string, use: (place: StorePlace, stateDir: string) => Promise<void>): Promise<void> {
  const [folder, stateDir] = [path.resolve(dir), path.resolve(state)];
  // A portal goes on with the place that it remembers; here the folder is what is asked for.
  if (!(await readFolder(folder)).ok) throw new SvcError('BAD_REQUEST', `${folder} is refused: svc validate ${dir} says where and why`);
  const lock = lockState(stateDir);
  try {
    await use(await storePlace(folder, stateDir), stateDir);
  } finally {
    lock.release();
  }
}

/**
 * `svc.salas` and `svc.pessoas` (rules 4.3). `entrar` answers at once; the driver of a connection is another file, loaded at the first one,
 * so that an app without rooms does not carry it. Decision: docs/decisions/0102-rooms-in-the-page.md
 */
import { corDe } from '../../schema/rooms.ts';
import { createHandle, type Connection, type Handle } from '../rooms/handle.ts';
import { inFrame, type Bridge } from './bridge.ts';
import type { Listener } from './events.ts';
import type * as PageRoom from './page-room.ts';
import type { PageOptions, Place } from './page-room.ts';
import { asBlob } from './blob.ts';
import { failure } from './requests.ts';
import type { Functions } from './verbs.ts';

const retryFirstMs = 2_000;
const retryMsMax = 30_000;

const wait = async (ms: number): Promise<void> =>
  await new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

const fileLoader = (file: string | null): (() => Promise<typeof PageRoom>) => {
  let loaded: Promise<typeof PageRoom> | null = null;
  let tries = 0;
  return async () => {
    if (file === null) throw failure('fora-do-ambiente', 'fora do ambiente salas.entrar');
    // Some browsers remember that a module could not be had: another address is another try.
    const address = tries === 0 ? file : `${file}?${tries}`;
    loaded ??= (import(address) as Promise<typeof PageRoom>).catch((error: unknown) => {
      tries += 1;
      loaded = null;
      throw error;
    });
    return await loaded;
  };
};

/** Functions of rooms that the SDK implements itself; the other verbs only ask the shell. */
export function createRooms(
  bridge: Bridge,
  file: string | null,
  hear: (evento: string, callback: Listener) => () => void,
): Readonly<Record<'salas' | 'pessoas', Functions>> {
  const loadFile = fileLoader(file);
  const anexar = async (sala: string, bytes: unknown, tipo?: unknown): Promise<unknown> => {
    const blob = asBlob('anexar', bytes, tipo);
    return await bridge.ask('salas.anexar', { sala, blob });
  };

  /** Until it is loaded: no port yet, or the file could not be loaded. */
  const begin = async (sala: string, handle: Handle, options: PageOptions): Promise<void> => {
    for (let waitMs = retryFirstMs; !handle.left; waitMs = Math.min(waitMs * 2, retryMsMax)) {
      try {
        const [place, { enterFromPage }] = await Promise.all([bridge.ask('salas.lugar') as Promise<Place>, loadFile()]);
        if (!handle.left) await enterFromPage(handle, { ...options, sala, place, bridge });
        return;
      } catch {
        if (handle.left) return;
        handle.change({ estado: 'fora', papel: null, motivo: null });
        await Promise.race([bridge.nextPort(), wait(waitMs)]);
      }
    }
  };

  const entrar = (sala: string, options: PageOptions): Connection => {
    if (typeof sala !== 'string' || typeof options?.Y?.applyUpdate !== 'function')
      throw new TypeError('svc.salas.entrar espera (id, { Y })');
    const handle = createHandle(options, reportError);
    if (inFrame) void begin(sala, handle, options);
    else {
      handle.change({ estado: 'fora', papel: null, motivo: null });
      handle.failed(failure('fora-do-ambiente', 'fora do ambiente salas.entrar'));
    }
    return Object.freeze(
      Object.assign(handle.conexao, {
        anexar: async (bytes: unknown, tipo?: unknown) => await anexar(sala, bytes, tipo),
        anexo: async (sha: string) => await bridge.ask('salas.anexo', { sala, sha }),
      }),
    );
  };

  return { salas: { entrar, anexar, ao: hear }, pessoas: { corDe } };
}

/** Handlers of the verbs of rooms and people. The window identifies the app. */
import type { AskedVerb } from '../../schema/bridge/verbs.ts';
import type { BridgeHandlers } from '../bridge/host.ts';
import { loadHistory } from '../history/load-history.ts';
import { findPeople, pageRooms, whoIsIt, type PageRooms } from '../session/page-rooms-api.ts';
import type { Desk } from './desk.ts';

export function roomHandlers(desk: () => Desk): Pick<BridgeHandlers, Extract<AskedVerb, `salas.${string}` | `pessoas.${string}`>> {
  const appOf = (window: string): string => {
    const app = desk().windows.find(window)?.app;
    // A page can't ask from a window that is gone: its port is closed.
    if (app === undefined) throw new Error('a janela não existe mais');
    return app;
  };
  const rooms = (window: string, signal: AbortSignal): PageRooms => pageRooms(appOf(window), signal);
  /**
   * Lets a dialog come over everything: only for the window in front, one at a time, and not over the question of consent. `ask` asks the portal, which
   * answers for another app's room as if the room did not exist.
   */
  const comeUp = async (window: string, ask: () => Promise<unknown>): Promise<void> => {
    const mayCome = (): boolean => {
      const { windows, shared, historyOf, appCalls } = desk();
      return windows.top()?.id === window && [shared, historyOf, appCalls.question].every((dialog) => dialog.get() === null);
    };
    if (!mayCome()) throw new Error('a janela não está na frente');
    await ask();
    if (!mayCome()) throw new Error('a janela não está mais na frente');
  };
  return {
    'salas.criar': async (id, { nome }, signal) => await rooms(id, signal).create(nome),
    'salas.listar': async (id, _, signal) => await rooms(id, signal).list(),
    'salas.ler': async (id, { sala }, signal) => await rooms(id, signal).read(sala),
    'salas.renomear': async (id, { sala, nome }, signal) => (await rooms(id, signal).rename(sala, nome), null),
    'salas.apagar': async (id, { sala }, signal) => (await rooms(id, signal).remove(sala), null),
    'salas.darAcesso': async (id, { sala, usuario, papel }, signal) => (await rooms(id, signal).grantPerson(sala, usuario, papel), null),
    'salas.darAcessoAoGrupo': async (id, { sala, grupo, papel }, signal) => (await rooms(id, signal).grantGroup(sala, grupo, papel), null),
    'salas.tirarAcesso': async (id, { sala, usuario }, signal) => (await rooms(id, signal).revokePerson(sala, usuario), null),
    'salas.tirarAcessoDoGrupo': async (id, { sala, grupo }, signal) => (await rooms(id, signal).revokeGroup(sala, grupo), null),
    'salas.avisar': async (id, { sala, ...notice }, signal) => (await rooms(id, signal).notify(sala, notice), null),
    'salas.compartilhar': async (id, { sala }, signal) => {
      await comeUp(id, async () => await rooms(id, signal).read(sala));
      desk().shared.set(sala);
      return null;
    },
    'salas.mostrarHistorico': async (id, { sala }, signal) => {
      await comeUp(id, async () => await Promise.all([rooms(id, signal).history(sala), loadHistory()]));
      desk().historyOf.set(sala);
      return null;
    },
    'salas.historico': async (id, { sala }, signal) => await rooms(id, signal).history(sala),
    'salas.versao': async (id, { sala, versao, formato }, signal) => await rooms(id, signal).version(sala, versao, formato),
    'salas.trazerDeVolta': async (id, { sala, versao }, signal) => (await rooms(id, signal).bringBack(sala, versao), null),
    'salas.nomearVersao': async (id, { sala, versao, nome }, signal) => (await rooms(id, signal).nameVersion(sala, versao, nome), null),
    'salas.anexar': async (id, { sala, blob }, signal) => await rooms(id, signal).attach(sala, blob),
    'salas.anexo': async (id, { sala, sha }, signal) => await rooms(id, signal).attachment(sala, sha),
    'salas.bilhete': async (id, { sala }, signal) => await rooms(id, signal).ticket(sala),
    'salas.lugar': (id) => {
      const { usuario, nome, iniciais } = desk().session;
      return { app: appOf(id), usuario, nome, iniciais, portal: location.origin.replace(/^http/, 'ws') };
    },
    'pessoas.eu': async (_id, _args, signal) => await whoIsIt(signal),
    'pessoas.buscar': async (_id, { texto }, signal) => await findPeople(texto, signal),
  };
}

/** Handlers of the verbs of rooms and people. The window identifies the app. */
import type { AskedVerb } from '../../schema/bridge/verbs.ts';
import type { BridgeHandlers } from '../bridge/host.ts';
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
      // A dialog over everything appears only for the window in front, once, and not over the question of consent.
      const mayCome = (): boolean =>
        desk().windows.top()?.id === id && desk().shared.get() === null && desk().appCalls.question.get() === null;
      if (!mayCome()) throw new Error('a janela não está na frente');
      // Answers for another app's room as if the room did not exist.
      await rooms(id, signal).read(sala);
      if (!mayCome()) throw new Error('a janela não está mais na frente');
      desk().shared.set(sala);
      return null;
    },
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

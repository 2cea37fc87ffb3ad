/** Handlers of the verbs of tabs: a page changes the tabs of its own window only. */
import type { tabVerbs } from '../../schema/bridge/tab-verbs.ts';
import type { BridgeHandlers } from '../bridge/host.ts';
import type { Desk } from './desk.ts';
import { refused } from './refused.ts';

export function tabHandlers(desk: () => Desk): Pick<BridgeHandlers, keyof typeof tabVerbs> {
  const appOf = (id: string): string => {
    const window = desk().windows.find(id);
    if (window?.options.tabs !== true) throw refused('nao-declarado', 'o manifesto não declara window.richChrome');
    return window.app;
  };
  const done = (is: boolean, message: string): null => {
    if (!is) throw refused('argumentos-invalidos', message);
    return null;
  };
  return {
    'abas.definir': (id, { abas, ativa = null, nova = false }) => {
      const tabs = abas.map(({ id: own, titulo, fechavel = true }) => ({ id: own, titulo, fechavel }));
      return done(desk().tabs.put(id, { app: appOf(id), tabs, active: ativa, canAdd: nova }), 'abas.definir: ativa não é uma das abas');
    },
    'abas.selecionar': (id, { id: tab }) => (appOf(id), done(desk().tabs.select(id, tab), 'abas.selecionar: não há essa aba')),
    'abas.fechar': (id, { id: tab }) => {
      appOf(id);
      done(desk().tabs.remove(id, tab), 'abas.fechar: não há essa aba');
      return desk().tabs.state.get().get(id)?.active ?? null;
    },
    'abas.ordenar': (id, { ids }) => (appOf(id), done(desk().tabs.order(id, ids), 'abas.ordenar: espera o id de cada aba, uma vez')),
  };
}

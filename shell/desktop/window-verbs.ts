/** Handlers of the verbs of windows. */
import type { AskedVerb } from '../../schema/bridge/verbs.ts';
import type { BridgeHandlers } from '../bridge/host.ts';
import { createPace, type Pace } from '../bridge/pace.ts';
import type { Desk } from './desk.ts';
import { limits } from './limits.ts';
import { refused } from './refused.ts';
import { openWindowMenu } from '../frames/window-menu.ts';

type WindowVerb = Extract<AskedVerb, `window.${string}` | `janela.${string}`>;

export function windowHandlers(desk: () => Desk): Pick<BridgeHandlers, WindowVerb> {
  /**
   * Paces of menus, by app: a press beside an open menu only closes it, so a page that opens one after the other would take every press.
   */
  const paces = new Map<string, Pace>();
  const appOf = (id: string): string => desk().windows.find(id)?.app ?? '';
  const paceOf = (app: string): Pace => {
    const pace =
      paces.get(app) ?? createPace(performance.now(), { burst: limits.headerMenusAtOnce, perSecond: 1_000 / limits.headerMenuEveryMs });
    paces.set(app, pace);
    return pace;
  };
  return {
    'window.minimize': (id) => (desk().minimise(id), null),
    'window.maximize': (id) => (desk().windows.setMode(id, 'maximised'), null),
    'window.close': (id) => (desk().close(id, true), null),
    'window.alternarMaximizado': (id) => (desk().windows.toggleMaximised(id), null),
    'window.arrastar': (id, { fase, telaX, telaY }) => (desk().frames.get(id)?.remoteDrag(fase, telaX, telaY), null),
    'window.menuDoCabecalho': (id, { x, y }) => {
      const { windows, appCalls, frames } = desk();
      // Above everything: of the window in front only, and not over the question of consent.
      if (windows.top()?.id !== id || appCalls.question.get() !== null) throw new Error('a janela não está na frente');
      if (!paceOf(appOf(id)).take(performance.now())) throw refused('pedidos-demais', 'window.menuDoCabecalho: um menu atrás do outro');
      const box = frames.get(id)?.iframe?.getBoundingClientRect();
      openWindowMenu(desk(), id, { x: (box?.left ?? 0) + x, y: (box?.top ?? 0) + y });
      return null;
    },
    'janela.naoSalvo': (id, { naoSalvo, nome = null, salvaSe = false }) => {
      desk().unsaved.say(id, naoSalvo ? { name: nome, saves: salvaSe } : null);
      return null;
    },
    'janela.abrir': (id, { rota }) => {
      const app = appOf(id);
      if (desk().windows.ofApp(app).length >= limits.appWindowsMax)
        throw refused('pedidos-demais', `janela.abrir: no máximo ${limits.appWindowsMax} janelas de um app`);
      return { nova: desk().openApp(app, { again: true, ...(rota === undefined ? {} : { route: rota }) }) };
    },
  };
}

/** What each verb of the bridge does on this desktop. */
import { publicNames } from '../../schema/bridge/verbs.ts';
import type { BridgeHandlers } from '../bridge/host.ts';
import { appHandlers } from './app-verbs.ts';
import type { Desk } from './desk.ts';
import { fileHandlers } from './file-verbs.ts';
import { linkHandlers } from './link-verbs.ts';
import { metricHandlers } from './metric-verbs.ts';
import { personHandlers } from './person-verbs.ts';
import { queueHandlers } from './queue-verbs.ts';
import { roomHandlers } from './room-verbs.ts';
import { settingsHandlers } from './settings-verbs.ts';
import { tabHandlers } from './tab-verbs.ts';
import { openWindowMenu } from './window-menu.ts';

export function bridgeHandlers(desk: () => Desk): BridgeHandlers {
  return {
    ...personHandlers(desk),
    ...roomHandlers(desk),
    ...appHandlers(desk),
    ...queueHandlers(desk),
    ...settingsHandlers(desk),
    ...tabHandlers(desk),
    ...fileHandlers(desk),
    ...linkHandlers(desk),
    ...metricHandlers(desk),
    'window.minimize': (id) => (desk().minimise(id), null),
    'window.maximize': (id) => (desk().windows.setMode(id, 'maximised'), null),
    'window.close': (id) => (desk().close(id), null),
    'window.alternarMaximizado': (id) => (desk().windows.toggleMaximised(id), null),
    'window.arrastar': (id, { fase, telaX, telaY }) => (desk().frames.get(id)?.remoteDrag(fase, telaX, telaY), null),
    'window.menuDoCabecalho': (id, { x, y }) => {
      const box = desk().frames.get(id)?.iframe?.getBoundingClientRect();
      openWindowMenu(desk(), id, { x: (box?.left ?? 0) + x, y: (box?.top ?? 0) + y });
      return null;
    },
    'janela.abrir': (id, { rota }) => {
      const app = desk().windows.find(id)?.app ?? '';
      return { nova: desk().openApp(app, { again: true, ...(rota === undefined ? {} : { route: rota }) }) };
    },
    'app.capacidades': () => ({ host: 'svc', shellVersion: desk().session.shellVersion, verbos: publicNames }),
  };
}

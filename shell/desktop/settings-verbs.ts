/** Handlers of the verbs of an app's section in Settings. An app reaches its own section only: the window identifies the app. */
import { readSettings } from '../session/settings-api.ts';
import type { BridgeHandlers } from '../bridge/host.ts';
import { isSectionShown } from '../settings/model.ts';
import type { Desk } from './desk.ts';

type SettingsHandlers = Pick<BridgeHandlers, 'configuracoes.ligar' | 'configuracoes.ligada' | 'configuracoes.abrir'>;

export function settingsHandlers(desk: () => Desk): SettingsHandlers {
  const sectionOf = async (window: string) => {
    const id = desk().windows.find(window)?.app ?? '';
    return { id, app: (await readSettings()).apps.find((app) => app.id === id) };
  };
  const on = (): readonly string[] => desk().preferences.state.get()?.secoesDeApps ?? [];
  const isShown = async (window: string): Promise<string | null> => {
    const { id, app } = await sectionOf(window);
    return app !== undefined && isSectionShown(app, on()) ? id : null;
  };
  return {
    'configuracoes.ligar': async (window, { ligada }) => {
      const { id, app } = await sectionOf(window);
      if (app?.secao?.optIn !== true) return null;
      await desk().preferences.change(({ secoesDeApps = [] }) => {
        const others = secoesDeApps.filter((other) => other !== id);
        return secoesDeApps.includes(id) === ligada ? null : { secoesDeApps: ligada ? [...others, id] : others };
      });
      return null;
    },
    'configuracoes.ligada': async (window) => (await isShown(window)) !== null,
    'configuracoes.abrir': async (window) => {
      const app = await isShown(window);
      if (app === null) throw new Error('a seção deste aplicativo não aparece nas configurações');
      desk().open('@configuracoes', `app:${app}`);
      return null;
    },
  };
}

/** Handlers of the verbs that ask the person, and of those of the GPU. */
import type { AppProjection } from '../../schema/wire/http.ts';
import type { GpuGrant, personVerbs } from '../../schema/bridge/desk-verbs.ts';
import type { AskedVerb } from '../../schema/bridge/verbs.ts';
import type { BridgeHandlers } from '../bridge/host.ts';
import { tellPerson } from '../session/rooms-api.ts';
import type { Desk } from './desk.ts';
import { mayTell } from '../preferences/window-permissions.ts';

/** Number of notices whose window is remembered. */
const noticeWindowsMax = 500;

/** A verdict is of the process that was started with it: without one nothing is granted. */
function grantOf(app: AppProjection | undefined): GpuGrant {
  const none = { concedida: false, dispositivos: [] };
  const verdict = app?.gpuVerdict ?? null;
  if (verdict === null) return { ...none, motivo: 'o manifesto não declara recursos.gpu, ou o app ainda não foi iniciado' };
  if (!verdict.concedida) return { ...none, motivo: verdict.motivo };
  if (app?.stale === true) return { ...none, motivo: 'o servidor do app não responde agora' };
  if (app?.pid == null) return { ...none, motivo: 'o app não está em execução' };
  return { concedida: true, dispositivos: verdict.dispositivos, motivo: verdict.motivo };
}

export function personHandlers(desk: () => Desk): Pick<BridgeHandlers, Extract<AskedVerb, keyof typeof personVerbs>> {
  const appOf = (window: string): AppProjection | undefined => desk().apps.find(desk().windows.find(window)?.app ?? '');
  const asText = (answer: boolean | string | null): string | null => (typeof answer === 'string' ? answer : null);
  return {
    'dialogo.confirmar': async (id, args, gone) => {
      const answer = await desk().questions.ask(id, { kind: 'confirm', ...args }, gone);
      return typeof answer === 'boolean' ? answer : null;
    },
    'dialogo.perguntar': async (id, args, gone) => asText(await desk().questions.ask(id, { kind: 'ask', ...args }, gone)),
    'dialogo.escolher': async (id, args, gone) => asText(await desk().questions.ask(id, { kind: 'choose', ...args }, gone)),
    notificar: async (id, args, signal) => {
      const { noticeWindows, windows, preferences } = desk();
      const app = windows.find(id)?.app ?? '';
      if (!mayTell(preferences.state.get(), app)) return null;
      const { id: notice } = await tellPerson({ app, ...args }, signal);
      noticeWindows.set(notice, id);
      const [oldest] = noticeWindows.keys();
      if (noticeWindows.size > noticeWindowsMax && oldest !== undefined) noticeWindows.delete(oldest);
      return null;
    },
    'area.ler': async (id, _, gone) => asText(await desk().questions.ask(id, { kind: 'paste' }, gone)),
    'gpu.concedida': (id) => grantOf(appOf(id)),
    'gpu.estado': (id) => {
      const modo = appOf(id)?.gpuVerdict?.modo ?? null;
      return { declarada: modo !== null, modo, ...grantOf(appOf(id)) };
    },
  };
}

/** Handlers of the verbs by which apps use each other. The window identifies the calling app. */
import type { appVerbs } from '../../schema/bridge/app-verbs.ts';
import type { BridgeHandlers } from '../bridge/host.ts';
import { createAppCalls, type AppCalls } from '../capabilities/app-calls.ts';
import { text } from '../i18n/i18n.ts';
import { listOffers, type PortalCall } from '../session/capabilities-api.ts';
import type { Desk } from './desk.ts';
import { followStart } from './start-progress.ts';

export function appHandlers(desk: () => Desk): Pick<BridgeHandlers, keyof typeof appVerbs> {
  const appOf = (window: string): string => {
    const app = desk().windows.find(window)?.app;
    // A page can't ask from a window that is gone: its port is closed.
    if (app === undefined) throw new Error('a janela não existe mais');
    return app;
  };
  return {
    'apps.pedir': (id, args, page) => (desk().appCalls.carry(appOf(id), args, page), null),
    'apps.listar': async (id, { capacidade }, signal) => await listOffers(appOf(id), capacidade, signal),
  };
}

export function appCallsOf(desk: () => Desk): AppCalls {
  return createAppCalls({
    prefer: async (capacidade, app) => await desk().preferences.change({ padroes: { [capacidade]: app } }),
    slow: (call, over) => void sayStarting(desk(), call, over).catch(() => undefined),
  });
}

/** Which provider the portal is waiting for, where it is one that starts: by what it would choose itself. */
async function sayStarting(desk: Desk, { de, capacidade, para }: PortalCall, over: AbortSignal): Promise<void> {
  const { apps, preferences } = desk;
  const chosen = para ?? preferences.state.get()?.padroes?.[capacidade] ?? (await onlyOffer(de, capacidade));
  const provider = chosen === null ? undefined : apps.find(chosen);
  if (provider === undefined || over.aborted) return;
  followStart(desk, provider.id, text('apps.starting', { de: apps.find(de)?.name ?? de, para: provider.name }), over);
}

async function onlyOffer(de: string, capacidade: string): Promise<string | null> {
  const [only, second] = await listOffers(de, capacidade, AbortSignal.timeout(5_000));
  return second === undefined ? (only?.app ?? null) : null;
}

/** Handler of `links.abrir`. Decision: docs/decisions/0224-links.md */
import type { linkVerbs } from '../../schema/bridge/link-verbs.ts';
import type { BridgeHandlers } from '../bridge/host.ts';
import { NoGesture } from '../opening/open.ts';
import type { Desk } from './desk.ts';
import { refused } from './refused.ts';

/** A press counts for some seconds: it is not to open a window for each of many addresses. */
const linkIntervalMs = 1_000;

export function linkHandlers(desk: () => Desk): Pick<BridgeHandlers, keyof typeof linkVerbs> {
  let lastMs = -Infinity;
  return {
    'links.abrir': (id, { endereco }) => {
      if (desk().windows.top()?.id !== id) throw refused('sem-gesto', 'links.abrir: só da janela da frente');
      const nowMs = performance.now();
      if (nowMs - lastMs < linkIntervalMs) throw refused('pedidos-demais', 'links.abrir: um link por segundo');
      try {
        const app = desk().openLink(endereco);
        if (app === undefined) throw refused('argumentos-invalidos', 'links.abrir: espera um endereço http ou https');
        lastMs = nowMs;
        return { app };
      } catch (error) {
        if (error instanceof NoGesture) throw refused('sem-gesto', 'links.abrir: só depois de um gesto da pessoa');
        throw error;
      }
    },
  };
}

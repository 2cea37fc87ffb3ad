/**
 * An engine in the environment: its loader (`engine.loader`) is loaded once its backend answers, and registers it with
 *
 *   registerEngine({ ligar({ app, idioma, tema, sinal, pedir }) })
 *
 * `ligar` is called at once, and again each time the backend comes back; it may return a function that ends what it began.
 * Decision: docs/decisions/0205-engines-in-the-environment.md
 */
import type { SectionEnvironment } from '../scripts/sections.ts';
import { createRegistry, type Registered } from '../scripts/registry.ts';

export interface EngineRequest {
  readonly method?: string;
  readonly headers?: HeadersInit;
  readonly body?: Blob | ArrayBuffer | string;
  readonly signal?: AbortSignal;
}

export interface EngineEnvironment extends SectionEnvironment {
  /** Fires when the engine is unloaded: its backend stopped, or the app was removed or replaced. */
  readonly sinal: AbortSignal;
  /** To its own backend, under the `rota` of a capability that it offers; answers as `fetch`. */
  readonly pedir: (capacidade: string, caminho: string, pedido?: EngineRequest) => Promise<Response>;
}

export interface RegisteredEngine extends Registered {
  readonly ligar: (ambiente: EngineEnvironment) => unknown;
}

export const appEngines = createRegistry<RegisteredEngine>({
  called: 'registerEngine',
  method: 'ligar',
  publish: (register) => Object.defineProperty(globalThis, 'registerEngine', { value: register, configurable: true }),
});

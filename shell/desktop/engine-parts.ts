/** The parts of the desktop that engines get. */
import { isCallPath, isCapability } from '../../schema/bridge/app-verbs.ts';
import { callCapability } from '../session/capabilities-api.ts';
import { tellLoaderFailure } from '../session/settings-api.ts';
import { appEngines, type EngineEnvironment } from '../engines/registry.ts';
import type { EngineDeps } from '../engines/engines.ts';
import { language } from '../i18n/i18n.ts';
import { dark } from '../ui/theme.ts';

export const engineParts: EngineDeps = {
  load: (app, address) => appEngines.load(app, address),
  environment: (app, sinal) => ({
    app,
    idioma: language.get(),
    tema: dark.get() ? 'escuro' : 'claro',
    sinal,
    pedir: requestOf(app, sinal),
  }),
  // The portal may be away; Settings says it all the same.
  tell: (app, why) => void tellLoaderFailure(app, why).catch(() => {}),
};

export function requestOf(app: string, sinal: AbortSignal): EngineEnvironment['pedir'] {
  return async (capacidade, caminho, { method = 'GET', headers, body, signal } = {}) => {
    // The bridge judged the requests of pages; a loader calls this directly.
    if (!isCapability(capacidade)) throw new TypeError(`${capacidade}: expected a capability, as texto/v1`);
    if (!isCallPath(caminho)) throw new TypeError(`expected a path that begins with a slash, without . or ..`);
    return await callCapability(
      {
        de: app,
        para: app,
        capacidade,
        caminho,
        metodo: method,
        cabecalhos: [...new Headers(headers)],
        corpo: typeof body === 'string' ? new Blob([body]) : (body ?? null),
        uso: null,
      },
      AbortSignal.any([sinal, ...(signal === undefined ? [] : [signal])]),
    );
  };
}

/** Settings and consents, of the portal's HTTP API as the shell uses it. Source: schema/wire/settings.ts, capabilities.ts. */
import type { ConsentBody, ConsentsAnswer, ConsentView } from '../../schema/wire/capabilities.ts';
import type { SettingsAnswer } from '../../schema/wire/settings.ts';
import { json, request } from './api.ts';

export const readSettings = async (): Promise<SettingsAnswer> => json(await request('GET', '/api/configuracoes'));
export const readConsents = async (): Promise<readonly ConsentView[]> =>
  (await json<ConsentsAnswer>(await request('GET', '/api/consentimentos'))).consentimentos;
export const answerConsent = async (body: ConsentBody): Promise<void> => void (await request('PUT', '/api/consentimentos', body));
export const revokeConsent = async (id: string): Promise<void> =>
  void (await request('DELETE', `/api/consentimentos/${encodeURIComponent(id)}`));

/** The portal takes a line as errorLine makes it. */
export const tellLoaderFailure = async (app: string, falha: string): Promise<void> =>
  void (await request('POST', `/api/apps/${encodeURIComponent(app)}/loader`, { falha }));

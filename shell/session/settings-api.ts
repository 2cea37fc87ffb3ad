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

/** One line of at most 500 characters: the portal takes no other. */
export const tellLoaderFailure = async (app: string, why: string): Promise<void> => {
  const falha =
    why
      .replaceAll(/[\p{Cc}\s]+/gu, ' ')
      .trim()
      .slice(0, 500) || 'an error without words';
  await request('POST', `/api/apps/${encodeURIComponent(app)}/loader`, { falha });
};

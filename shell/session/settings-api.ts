/** Settings and consents, of the portal's HTTP API as the shell uses it. */
import type { ConsentBody } from '../../schema/wire/capabilities.ts';
import { call, send } from './api.ts';

export const readSettings = () => call('GET /api/configuracoes');
export const readConsents = async () => (await call('GET /api/consentimentos')).consentimentos;
export const answerConsent = async (body: ConsentBody): Promise<void> => void (await send('PUT /api/consentimentos', { body }));
export const revokeConsent = async (id: string): Promise<void> => void (await send('DELETE /api/consentimentos/:id', { params: { id } }));

/** The portal takes a line as errorLine makes it. */
export const tellLoaderFailure = async (id: string, falha: string): Promise<void> =>
  void (await send('POST /api/apps/:id/loader', { params: { id }, body: { falha } }));

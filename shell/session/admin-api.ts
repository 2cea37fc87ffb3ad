/** Routes for administrators that the window Administration asks. */
import type { ObjectView } from '../../schema/wire/http.ts';
import type { OwnDraftBody } from '../../schema/wire/own-file.ts';
import type { Language } from '../i18n/i18n.ts';
import { call } from './api.ts';

/** All objects of a kind, page by page. */
export async function readObjects(kind: 'Person' | 'Server'): Promise<readonly ObjectView[]> {
  const found: ObjectView[] = [];
  for (let after: string | undefined; ; after = found.at(-1)?.key) {
    const page = await call('GET /api/admin/objects', { query: { prefix: `${kind}/`, after } });
    if (page.length === 0) return found;
    found.push(...page);
  }
}

export const readWhy = (key: string) => call('GET /api/admin/why', { query: { key } });
export const readAllSessions = async () => (await call('GET /api/admin/sessions')).sessions;
export const endSessionsOf = (person: string) => call('DELETE /api/admin/sessions/:person', { params: { person } });
export const makeLink = (person: string, hours: number) => call('POST /api/admin/links', { body: { person, admin: false, hours } });
export const readOwnFile = () => call('GET /api/admin/desired');
export const draftOwn = (body: OwnDraftBody) => call('POST /api/admin/desired/draft', { body });
export const writeOwn = (body: OwnDraftBody & { readonly digest: string }) => call('POST /api/admin/desired', { body });
export const readChecks = async (idioma: Language) => (await call('GET /api/admin/doctor', { query: { idioma } })).checks;
export const readServerChecks = async (server: string, idioma: Language) =>
  (await call('GET /api/admin/servers/:server/doctor', { params: { server }, query: { idioma } })).checks;

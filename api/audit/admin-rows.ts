/**
 * The record of each route of administrators, and of requests that are no route of the API. `audit.test.ts` holds it against the OpenAPI document.
 */
import { adminReads, startEnding, stopEnding, textOf, type Answered, type ObjectOf, type Recorded, type Rows } from './rows.ts';

const whose = (request: Answered): string | null => request.person('person');
const theirApp = (kind: string): ObjectOf => [kind, (request) => [whose(request), request.app(whose(request) ?? '', 'app')]];
const theirSecret: ObjectOf = ['Secret', (request) => [whose(request), request.app(whose(request) ?? '', 'app'), request.found('nome')]];
const ended = (request: Answered) => ({ ended: request.answer('encerradas') });
const job: ObjectOf = ['Job', (request) => [request.found('id')]];
const jobRead: Recorded = { action: 'job/read', object: job };

export const adminRows = {
  'GET /api/admin/objects': adminReads,
  'GET /api/admin/why': adminReads,
  'GET /api/admin/events': adminReads,
  'GET /api/admin/usage': adminReads,
  'GET /api/admin/space': adminReads,
  'GET /api/admin/portal-usage': adminReads,
  'GET /api/admin/doctor': adminReads,
  'GET /api/admin/servers/:server/doctor': adminReads,
  'GET /api/admin/pacotes': adminReads,
  'GET /api/admin/sessions': adminReads,
  'GET /api/admin/fila': adminReads,
  'GET /api/admin/fila/trabalhos/:id': adminReads,
  'GET /api/admin/audit': adminReads,
  'GET /api/admin/audit/verify': adminReads,
  'GET /metrics': adminReads,
  'GET /healthz': { none: 'says that the portal answers, to anybody' },
  'GET /readyz': { none: 'says that the portal answers, to anybody' },
  'POST /api/admin/plan': adminReads,
  'POST /api/admin/apply': { action: 'desired/apply', details: (request) => ({ prune: request.body('prune') ?? false }) },
  'GET /api/admin/desired': adminReads,
  'POST /api/admin/desired/draft': adminReads,
  'POST /api/admin/desired': {
    action: 'desired/write',
    // The loop's own lines name the objects that this changed.
    person: (request) => (request.body('kind') === 'Person' ? textOf(request.body('name')) : null),
    details: (request) => ({ act: request.body('act'), document: `${String(request.body('kind'))}/${String(request.body('name'))}` }),
  },
  'POST /api/admin/links': {
    action: 'link/make',
    person: (request) => textOf(request.answer('person')),
    details: (request) => ({ admin: request.body('admin') ?? false }),
  },
  'POST /api/admin/backends/:person/:app/start': { action: 'app/start', object: theirApp('Backend'), person: whose, ends: startEnding },
  'POST /api/admin/backends/:person/:app/stop': { action: 'app/stop', object: theirApp('Backend'), person: whose, ends: stopEnding },
  'POST /api/admin/backends/:person/:app/restart': { action: 'app/restart', object: theirApp('Backend'), person: whose, ends: startEnding },
  'GET /api/admin/backends/:person/:app/log': { action: 'log/read', object: theirApp('Backend'), person: whose },
  'GET /api/admin/backends/:person/:app/errors': {
    action: 'log/read',
    object: theirApp('Backend'),
    person: whose,
    details: () => ({ errors: true }),
  },
  'GET /api/admin/backends/:person/:app/segredos': adminReads,
  'PUT /api/admin/backends/:person/:app/segredos/:nome': { action: 'secret/set', object: theirSecret, person: whose },
  'DELETE /api/admin/backends/:person/:app/segredos/:nome': { action: 'secret/remove', object: theirSecret, person: whose },
  'POST /api/admin/servers/:server/kit': {
    action: (request) => (['plan', 'drain'].includes(String(request.body('act'))) ? null : 'server/change'),
    object: ['Server', (request) => [request.found('server')]],
    details: (request) => ({ act: request.body('act') }),
    ends: 'events',
  },
  // The person may have left already, so the line names them only while they are known.
  'GET /api/admin/people/:person/held': { action: 'person/held', person: whose },
  'POST /api/admin/people/:person/erasure': {
    action: 'person/erase',
    object: ['Person', (request) => [whose(request)]],
    person: whose,
    ends: 'later',
  },
  'POST /api/admin/people/:person/erasure/end': { none: 'waits for what was asked for by a recorded request' },
  'POST /api/admin/people/:person/move': {
    action: (request) => (request.body('isPlan') === true ? null : 'person/move'),
    object: ['Person', (request) => [whose(request)]],
    person: whose,
    details: (request) => ({ act: request.body('act') }),
    ends: 'events',
  },
  'POST /api/admin/keys': {
    action: (request) => (request.body('plan') === true ? null : 'keys/rotate'),
    // Carried out, so there is a Server of that name.
    object: ['Server', (request) => [request.body('server')]],
    ends: 'events',
  },
  'POST /api/admin/restorations': {
    action: 'room/restore',
    details: (request) => ({ roles: request.answer('roles'), preferences: request.answer('preferences') }),
  },
  'POST /api/admin/packages/rollback': { action: 'package/roll-back', object: ['Package', packageKey], ends: 'later' },
  'DELETE /api/admin/packages/rollback': { action: 'package/roll-back-end', object: ['Package', packageKey], ends: 'later' },
  'DELETE /api/admin/sessions/:person': { action: 'session/revoke', person: whose, details: ended },
  'DELETE /api/admin/sessions/:person/:id': {
    action: 'session/revoke',
    object: ['Session', (request) => [request.found('id')]],
    person: whose,
  },
  'DELETE /api/admin/identities/:person': { action: 'identity/forget', person: whose, details: ended },
  'DELETE /api/admin/fila/trabalhos/:id': {
    action: 'job/cancel',
    object: job,
    person: (request) => textOf(request.answer('usuario')),
    ends: 'later',
  },
  'GET /api/admin/fila/trabalhos/:id/registo': jobRead,
  'GET /api/admin/fila/trabalhos/:id/saida': jobRead,
  'GET /api/admin/fila/trabalhos/:id/saida/*': jobRead,
  'GET /api/admin/fila/trabalhos/:id/saidas.tar': jobRead,
} satisfies Rows;

/** Requests that are answered without a route of the OpenAPI document, each with the reason why it leaves no line, or where its line comes from. */
export const outsideRows: Rows = {
  'GET /?passe=': { elsewhere: 'auth/sign-in.ts, where every way to sign in ends' },
  'GET /api/openapi.json': { none: 'says which routes there are' },
  'GET /ws/*': { none: 'removes cookies after a refused handshake' },
  'WS /ws/events': { none: 'tells the pages of a person what is theirs' },
  'WS /ws/terminais/:id': { none: 'shows a terminal whose opening is recorded' },
  'WS /ws/salas/:id/*': { none: 'enters a room with a ticket; who may be in it is recorded where that is said' },
  'ANY /api/capacidades/:nome/:versao/*': { none: 'is one of many calls that a consent lets in, and that consent is recorded' },
  'GET /v1/*': { none: 'serves packages to anybody' },
  'ANY http://<app>/*': { none: 'is the traffic of an app with its own person; an app that keeps a record keeps its own' },
  'GET http://_arquivos/<key>': { none: 'shows a file whose address was made by a recorded question' },
  'ANY STATE/svc.sock, of a peer that may not': { elsewhere: 'portal.ts, before any route' },
};

/** As the answer names the object. */
function packageKey(request: Answered): readonly (string | null)[] {
  return [textOf(request.answer('key'))?.replace(/^Package\//, '') ?? null];
}

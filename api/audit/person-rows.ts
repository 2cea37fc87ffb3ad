/** The record of each route that people and their apps call. `audit.test.ts` holds it against the OpenAPI document. */
import { reads, startEnding, stopEnding, textOf, type Answered, type ObjectOf, type Rows } from './rows.ts';

const signIn = { elsewhere: 'auth/sign-in.ts, where every way to sign in ends' } as const;
const own = (kind: string, param: string): ObjectOf => [kind, (request) => [request.self, request.app(request.self, param)]];
const found = (kind: string, param: string): ObjectOf => [kind, (request) => [request.found(param)]];
const room = found('Room', 'id');
const secret: ObjectOf = ['Secret', (request) => [request.self, request.app(request.self, 'id'), request.found('nome')]];
const role = (request: Answered) => ({ role: request.body('papel') });
const inRooms = { none: 'is within a room; who may be in it is recorded where that is said' } as const;
const ofJob = { none: 'the wrapper of a job reports; its submission and its end are recorded' } as const;
const bell = { none: 'is the own bell of a person' } as const;
const desktop = { none: 'keeps how the desktop of a person looks' } as const;

const passkey: ObjectOf = ['Passkey', (request) => [request.self, request.found('id')]];

const sessionRows = {
  'GET /api/sessao': reads,
  'POST /api/sessao': signIn,
  'DELETE /api/sessao': { action: 'session/close' },
  'GET /api/sessao/metodos': { none: 'says the ways to sign in' },
  'POST /api/sessao/link': signIn,
  'POST /api/sessao/chave': { none: 'binds a key to a session whose opening is recorded' },
  'POST /api/sessao/passkey': { none: 'asks a question of a passkey; the answer is recorded' },
  'GET /api/passkeys': reads,
  'POST /api/passkeys/pedido': { none: 'asks for a passkey; that it is made is recorded' },
  'POST /api/passkeys': { action: 'passkey/make', object: ['Passkey', (request) => [request.self, request.answer('id')]] },
  'PATCH /api/passkeys/:id': { action: 'passkey/rename', object: passkey },
  'DELETE /api/passkeys/:id': {
    action: 'passkey/remove',
    object: passkey,
    details: (request) => ({ ended: request.answer('encerradas') }),
  },
  'GET /api/sessao/volta': { none: 'asks a question of a key; the answer is recorded' },
  'POST /api/sessao/volta': { action: 'session/renew', person: (request) => textOf(request.answer('sessao.usuario')) },
  'GET /api/sessoes': reads,
  'DELETE /api/sessoes': { action: 'session/revoke', details: (request) => ({ ended: request.answer('encerradas') }) },
  'DELETE /api/sessoes/:id': { action: 'session/revoke', object: found('Session', 'id') },
  'GET /api/sessao/oidc': signIn,
  'GET /api/sessao/oidc/retorno': signIn,
} satisfies Rows;

const appRows = {
  'GET /api/apps': reads,
  'GET /api/apps/:id': reads,
  'GET /api/apps/:id/pedido': reads,
  'GET /api/apps/:id/icone': reads,
  'GET /api/apps/:id/icone-da-janela': reads,
  'GET /api/apps/:id/icone-do-tipo': reads,
  'POST /api/apps/:id/start': { action: 'app/start', object: own('Backend', 'id'), ends: startEnding },
  'POST /api/apps/:id/stop': { action: 'app/stop', object: own('Backend', 'id'), ends: stopEnding },
  'POST /api/apps/:id/restart': { action: 'app/restart', object: own('Backend', 'id'), ends: startEnding },
  'POST /api/apps/:id/janelas': { none: 'counts windows; a stop that follows is recorded' },
  'GET /api/apps/:id/abrir': { none: 'hands the session over to the app; its opening is recorded' },
  'GET /api/apps/:id/secao.js': reads,
  'GET /api/apps/:id/loader.js': reads,
  'POST /api/apps/:id/loader': { none: 'is a line of the log of the app' },
  'GET /api/apps/:id/log': reads,
  'GET /api/apps/:id/erros': reads,
  'GET /api/apps/:id/segredos': reads,
  'PUT /api/apps/:id/segredos/:nome': { action: 'secret/set', object: secret },
  'DELETE /api/apps/:id/segredos/:nome': { action: 'secret/remove', object: secret },
  'GET /api/dev': reads,
  'GET /api/configuracoes': reads,
  'GET /api/preferencias': reads,
  'PATCH /api/preferencias': desktop,
  'GET /api/consentimentos': reads,
  'PUT /api/consentimentos': {
    action: (request) => (request.body('resposta') === 'nao' ? 'consent/refuse' : 'consent/give'),
    object: ['Consent', (request) => [request.self, request.body('de'), request.body('para')]],
    details: (request) => ({ capability: request.body('capacidade'), duration: request.body('duracao') }),
  },
  'DELETE /api/consentimentos/:id': { action: 'consent/revoke', object: ['Consent', (request) => [request.self, request.found('id')]] },
  'GET /api/loja': reads,
  'GET /api/loja/:id/icone': reads,
  'GET /api/loja/:id/imagem': reads,
  'POST /api/loja/atualizar-tudo': { action: 'package/update', ends: 'later' },
  'POST /api/apps/:id/instalacao': {
    action: 'package/install',
    object: ['Package', (request) => [request.self, request.found('id')]],
    details: (request) => ({ version: request.answer('versao') }),
    ends: 'later',
  },
  'DELETE /api/apps/:id/instalacao': {
    action: (request) => (request.query('cancelar') === '1' ? 'package/cancel' : 'package/remove'),
    object: ['Package', (request) => [request.self, request.found('id')]],
    ends: 'later',
  },
  'GET /api/terminais': reads,
  'POST /api/terminais': { action: 'terminal/open', object: ['Terminal', (request) => [request.self, request.answer('id')]] },
  'DELETE /api/terminais/:id': { action: 'terminal/close', object: ['Terminal', (request) => [request.self, request.found('id')]] },
  'GET /api/metricas': reads,
  'POST /api/metricas': { none: 'counts what an app does; no person is in it' },
  'GET /api/atividade': reads,
} satisfies Rows;

const roomRows = {
  'GET /api/salas': reads,
  'POST /api/salas': { action: 'room/create', object: ['Room', (request) => [request.answer('id')]] },
  'GET /api/salas/:id': reads,
  'PATCH /api/salas/:id': { action: 'room/rename', object: room },
  'DELETE /api/salas/:id': { action: 'room/delete', object: room },
  'GET /api/salas/apagadas': reads,
  'POST /api/salas/apagadas/:id/recuperar': { action: 'room/recover', object: room },
  'DELETE /api/salas/apagadas/:id': { action: 'room/erase', object: room },
  'PUT /api/salas/:id/dona': {
    action: 'room/grant',
    object: room,
    person: (request) => textOf(request.body('usuario')),
    details: () => ({ role: 'dona' }),
  },
  'GET /api/salas/:id/historico': reads,
  'GET /api/salas/:id/historico/:versao': reads,
  'PUT /api/salas/:id/historico/:versao': { none: 'names a version, as any edit of the room' },
  'POST /api/salas/:id/historico/:versao/volta': {
    action: 'room/revert',
    object: room,
    details: (request) => ({ version: textOf(request.found('versao')) }),
  },
  'PUT /api/salas/:id/pessoas/:usuario': {
    action: 'room/grant',
    object: room,
    person: (request) => request.person('usuario'),
    details: role,
  },
  'DELETE /api/salas/:id/pessoas/:usuario': { action: 'room/withdraw', object: room, person: (request) => request.person('usuario') },
  'PUT /api/salas/:id/grupos/:grupo': {
    action: 'room/grant',
    object: room,
    details: (request) => ({ group: request.group('grupo'), ...role(request) }),
  },
  'DELETE /api/salas/:id/grupos/:grupo': {
    action: 'room/withdraw',
    object: room,
    details: (request) => ({ group: request.group('grupo') }),
  },
  'POST /api/salas/:id/bilhete': inRooms,
  'GET /api/salas/:id/anexos/:sha': inRooms,
  'PUT /api/salas/:id/anexos': inRooms,
  'POST /api/salas/:id/avisos': inRooms,
  'GET /api/pessoas': reads,
  'GET /api/pessoas/eu': reads,
  'GET /api/avisos': bell,
  'POST /api/avisos': bell,
  'DELETE /api/avisos': bell,
  'DELETE /api/avisos/:id': bell,
  'POST /api/avisos/lidos': bell,
} satisfies Rows;

const job: ObjectOf = ['Job', (request) => [request.answer('id')]];
const queueRows = {
  'GET /api/fila': reads,
  'POST /api/fila/trabalhos': { action: 'job/submit', object: job, ends: 'later' },
  'POST /api/fila/trabalhos/:id/repetir': { action: 'job/submit', object: job, ends: 'later' },
  'GET /api/fila/trabalhos/:id': reads,
  'DELETE /api/fila/trabalhos/:id': { action: 'job/cancel', object: found('Job', 'id'), ends: 'later' },
  'GET /api/fila/trabalhos/:id/registo': reads,
  'GET /api/fila/trabalhos/:id/saida': reads,
  'GET /api/fila/trabalhos/:id/saida/*': reads,
  'GET /api/fila/trabalhos/:id/saidas.tar': reads,
  'GET /api/fila/entradas/:sha': reads,
  'PUT /api/fila/entradas/:sha': { none: 'brings an input; the job that uses it is recorded' },
  'GET /api/fila/executor/entradas': ofJob,
  'GET /api/fila/executor/entradas/:sha': ofJob,
  'POST /api/fila/executor/batida': ofJob,
  'POST /api/fila/executor/saidas': ofJob,
  'PUT /api/fila/executor/registo': ofJob,
  'PUT /api/fila/executor/saidas/:sha': ofJob,
} satisfies Rows;

const names = { none: 'shows names, as the account may see them' } as const;
const upload = { none: 'is a part of an upload, whose beginning names the place' } as const;
const fileRows = {
  'GET /api/arquivos': reads,
  'GET /api/arquivos/mesa': reads,
  'GET /api/arquivos/lista': names,
  'GET /api/arquivos/estado': names,
  'GET /api/arquivos/espaco': names,
  'GET /api/arquivos/busca': names,
  'GET /api/arquivos/vigiar': names,
  'GET /api/arquivos/lixo': names,
  'GET /api/arquivos/conteudo': { files: 'file/read', paths: 'busca' },
  'GET /api/arquivos/zip': { files: 'file/read', paths: 'busca' },
  'POST /api/arquivos/previa': { files: 'file/read', paths: 'caminho' },
  'PUT /api/arquivos/conteudo': { files: 'file/change', paths: 'busca' },
  'POST /api/arquivos/pasta': { files: 'file/change', paths: 'caminho' },
  'POST /api/arquivos/renomear': { files: 'file/change', paths: 'caminho' },
  'POST /api/arquivos/envios': { files: 'file/change', paths: 'caminho', ends: 'later' },
  'GET /api/arquivos/envios/:id': upload,
  'PUT /api/arquivos/envios/:id': upload,
  'DELETE /api/arquivos/envios/:id': upload,
  'POST /api/arquivos/envios/:id/fim': upload,
  'POST /api/arquivos/operacoes': { files: 'file/change', paths: 'itens', ends: 'later' },
  'GET /api/arquivos/operacoes': reads,
  'GET /api/arquivos/operacoes/:id': reads,
  'DELETE /api/arquivos/operacoes/:id': { none: 'ends work whose beginning is recorded' },
} satisfies Rows;

export const personRows = { ...sessionRows, ...appRows, ...roomRows, ...queueRows, ...fileRows };

/** Installing for oneself. */
import * as http from '../wire/http.ts';
import * as shop from '../wire/shop.ts';
import type { Routes } from './route.ts';

export const shopRoutes = {
  'POST /api/apps/:id/instalacao': {
    access: 'person',
    says: 'Install a version for oneself: the newest, or the named one',
    params: shop.storeParams,
    body: shop.installBody,
    answer: shop.installAnswer,
    status: 202,
    more: '404 not offered, 409 `CONFLICT` (a document decides, rolled back, or under way), 422 `PACKAGE_REFUSED` with `motivos` as in `refused`',
  },
  'DELETE /api/apps/:id/instalacao': {
    access: 'person',
    says: 'Remove what was installed for oneself, or give its installation up',
    params: shop.storeParams,
    query: shop.removeQuery,
    body: http.noBody,
    answer: shop.installAnswer,
    status: 202,
    more: 'given up, what was there stays. `?cancelar=1` gives up only, 409 `CONFLICT` when too late; 422 `SCOPE_REFUSED`: an administrator installed it',
  },
  'GET /api/loja': {
    access: 'person',
    says: 'What can be installed, and why not',
    answer: shop.shopAnswer,
    more: 'offered and installed, with `versions` (newest first, `novidades`), `installed`, `scope`, `updatable`, `refused: [{ motivo, texto, alvo, sugestao }]` (`shell`, `capability`, `escopo`, `pacote`, `documento`, `sistema`), `install` (state, reason, `progress`) and `actions`; `problem` says why the list may be old ([shop.md](shop.md))',
  },
  'GET /api/loja/:id/icone': {
    access: 'person',
    says: 'Icon of an offered version',
    params: shop.storeParams,
    query: shop.storeIconQuery,
    gives: 'image/*',
    more: 'kept for a day',
  },
  'POST /api/loja/atualizar-tudo': {
    access: 'person',
    says: 'Update everything that the person installed',
    body: http.noBody,
    answer: shop.updateAllAnswer,
    status: 202,
  },
} as const satisfies Routes;

/** Installing for oneself. */
import * as http from '../wire/http.ts';
import * as shop from '../wire/shop.ts';
import type { Routes } from './route.ts';

export const shopRoutes = {
  'POST /api/apps/:id/instalacao': {
    access: 'person',
    says: 'Install a version for oneself: the newest, or the one that is named',
    params: shop.storeParams,
    body: shop.installBody,
    answer: shop.installAnswer,
    status: 202,
    more: '404 not offered, 409 `CONFLICT` (a document decides, it was rolled back, or another installation of it is under way), 422 `PACKAGE_REFUSED` with `motivos` as in `refused`',
  },
  'DELETE /api/apps/:id/instalacao': {
    access: 'person',
    says: 'Remove what was installed for oneself; while it is being installed: give that up',
    params: shop.storeParams,
    query: shop.removeQuery,
    body: http.noBody,
    answer: shop.installAnswer,
    status: 202,
    more: 'what was there before stays when an installation is given up. `?cancelar=1` does the latter only, 409 `CONFLICT` when it is too late; 422 `SCOPE_REFUSED` for what an administrator installed',
  },
  'GET /api/loja': {
    access: 'person',
    says: 'What can be installed, and why not',
    answer: shop.shopAnswer,
    more: 'what the repository offers and what is installed, with `versions` (newest first, `novidades`), `installed`, `scope`, `updatable`, `refused: [{ motivo, texto, alvo, sugestao }]` (`shell`, `capability`, `escopo`, `pacote`, `documento`, `sistema`), `install` (state, reason, `progress`) and `actions`; `problem` says why the list may be old ([shop.md](shop.md))',
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
    says: 'Bring everything that the person installed to the newest version',
    body: http.noBody,
    answer: shop.updateAllAnswer,
    status: 202,
  },
} as const satisfies Routes;

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
    more: '404: not offered, 409 `CONFLICT` (by a document, rolled back, under way), 422 `PACKAGE_REFUSED` with `motivos`',
  },
  'DELETE /api/apps/:id/instalacao': {
    access: 'person',
    says: 'Remove what was installed for oneself, or give its installation up',
    params: shop.storeParams,
    query: shop.removeQuery,
    body: http.noBody,
    answer: shop.installAnswer,
    status: 202,
    more: '`?cancelar=1` gives up only, 409 `CONFLICT` when too late; 422 `SCOPE_REFUSED`: an administrator installed it',
  },
  'GET /api/loja': {
    access: 'person',
    says: 'Apps to install, and why not',
    answer: shop.shopAnswer,
    more: '`versions` newest first; `refused`: `motivo` is `shell`, `capability`, `escopo`, `pacote`, `documento` or `sistema`; `problem`: why the list may be old ([shop.md](shop.md))',
  },
  'GET /api/loja/:id/icone': {
    access: 'person',
    says: 'Icon of an offered version',
    params: shop.storeParams,
    query: shop.storeIconQuery,
    gives: 'image/*',
    more: 'kept for a day',
  },
  'GET /api/loja/:id/imagem': {
    access: 'person',
    says: 'Picture of an offered version',
    params: shop.storeParams,
    query: shop.storePictureQuery,
    gives: 'image/*',
    more: '`n` counts from 0; kept for a day',
  },
  'POST /api/loja/atualizar-tudo': {
    access: 'person',
    says: 'Update everything that the person installed',
    body: http.noBody,
    answer: shop.updateAllAnswer,
    status: 202,
  },
} as const satisfies Routes;

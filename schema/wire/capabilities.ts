/**
 * Capability calls and consents as the portal's HTTP API says them (rules 4.3, 5), as http.ts. Times in ms since the epoch.
 * Decisions: docs/decisions/0200-capability-calls.md, 0201-consent.md
 */
import { appId } from './http.ts';
import { type Wire, closed, count, list, nullable, oneOf, text } from '../static.ts';

/** `name/vN` (rules 2.1). */
const capacidade = { type: 'string', pattern: '^[a-z][a-z0-9-]*/v[0-9]+$', maxLength: 256 } as const;

/** `GET /api/capacidades/:nome/:versao`. `rotulo` is the name of the app where its manifest gives none. */
export const offersAnswer = closed({ ofertas: list(closed({ app: text, nome: text, rotulo: text })) });
export type OffersAnswer = Wire<typeof offersAnswer>;

export const consentView = closed({
  id: text,
  /** The app that asks, and its name; null when it is not installed any more. */
  de: text,
  deNome: nullable('string'),
  /** The app that provides. */
  para: text,
  paraNome: nullable('string'),
  capacidade: text,
  rotulo: nullable('string'),
  /** `pendente`: a backend asked while no page could ask the person; the next answer replaces it. */
  resposta: oneOf(['sim', 'nao', 'pendente']),
  em: count,
});
export type ConsentView = Wire<typeof consentView>;
export const consentsAnswer = closed({ consentimentos: list(consentView) });
export type ConsentsAnswer = Wire<typeof consentsAnswer>;

/** `uma-vez` is for `sim` only: a no for this once is not kept anywhere. */
export const consentBody = closed({
  de: appId,
  para: appId,
  capacidade,
  resposta: oneOf(['sim', 'nao']),
  duracao: oneOf(['sempre', 'uma-vez']),
});
export type ConsentBody = Wire<typeof consentBody>;
/** `id` of what is kept with `sempre`; `uso` with `uma-vez`: for `X-Svc-Consentimento` of one call, within 60 s. */
export const consentAnswer = closed({ id: nullable('string'), uso: nullable('string') });
export type ConsentAnswer = Wire<typeof consentAnswer>;
export const consentParams = closed({ id: { type: 'string', pattern: '^[A-Za-z0-9_-]{22}$' } });

/** Capability calls and consents of the portal's HTTP API as the shell uses them. Source: schema/wire/capabilities.ts; docs/decisions/0200-capability-calls.md. */
import { lineSignal } from '../events/line.ts';
import type { ConsentBody, OffersAnswer } from '../../schema/wire/capabilities.ts';
import type { Problem } from '../../schema/wire/http.ts';
import { ApiError, call, json, withPerson } from './api.ts';

export type Offer = OffersAnswer['ofertas'][number];

export interface PortalCall {
  /** The app that asks. */
  readonly de: string;
  readonly capacidade: string;
  /** Passed the check of schema/bridge/app-verbs.ts. */
  readonly caminho: string;
  readonly metodo: string;
  readonly cabecalhos: readonly (readonly [name: string, value: string])[];
  readonly corpo: Blob | ArrayBuffer | null;
  /** The provider; null: the portal chooses. */
  readonly para: string | null;
  /** A consent for this call alone. */
  readonly uso: string | null;
}

/** A refusal of the portal; with the providers in question when there are several, or when the person did not consent yet. */
export class CallRefused extends ApiError {
  readonly ofertas: readonly Offer[];

  constructor(status: number, problem: Partial<Problem> & { readonly oferta?: Offer; readonly ofertas?: readonly Offer[] }) {
    super(status, problem.code ?? 'INTERNAL', problem.detail ?? problem.error ?? `the portal answered ${status}`, problem as object);
    this.ofertas = problem.oferta === undefined ? (problem.ofertas ?? []) : [problem.oferta];
  }
}

/** Headers by which the portal knows who asks; a page says none of them. */
const ofThePortal = /^(?:authorization|svc-pessoa|x-svc-.*)$/i;

/** The answer of the provider. Rejects CallRefused, or OFFLINE. */
export async function callCapability(call: PortalCall, signal: AbortSignal): Promise<Response> {
  const { de, capacidade, caminho, metodo: method, cabecalhos, corpo: body, para, uso } = call;
  const headers = new Headers(cabecalhos.filter(([name]) => !ofThePortal.test(name)) as [string, string][]);
  headers.set('x-svc-app', de);
  if (para !== null) headers.set('x-svc-fornecedor', para);
  if (uso !== null) headers.set('x-svc-consentimento', uso);
  for (const [name, value] of Object.entries(withPerson({}).headers ?? {})) headers.set(name, value as string);
  let response: Response;
  try {
    const url = `/api/capacidades/${capacidade}${caminho}`;
    const ends = AbortSignal.any([signal, lineSignal()]);
    response = await fetch(url, {
      method,
      headers,
      body,
      signal: ends,
      mode: 'same-origin',
      credentials: 'same-origin',
      cache: 'no-store',
    });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new ApiError(0, 'OFFLINE', error instanceof Error ? error.message : String(error));
  }
  if (response.headers.has('x-svc-fornecedor')) return response;
  throw new CallRefused(response.status, (await response.json().catch(() => ({}))) as Partial<Problem>);
}

/** Starts no app. */
export async function listOffers(de: string, capacidade: string, signal: AbortSignal): Promise<readonly Offer[]> {
  const headers = { ...(withPerson({}).headers as Record<string, string>), 'x-svc-app': de };
  const response = await fetch(`/api/capacidades/${capacidade}`, { headers, signal, credentials: 'same-origin', cache: 'no-store' });
  if (!response.ok) throw new CallRefused(response.status, (await response.json().catch(() => ({}))) as Partial<Problem>);
  return (await json<OffersAnswer>(response)).ofertas;
}

export const putConsent = (body: ConsentBody) => call('PUT /api/consentimentos', { body });

/**
 * Verbs of apps that use each other. The port of the window answers only that `apps.pedir` was taken; the rest goes over the port that comes with it
 * (call.ts). Source: rules 4.3. Decision: docs/decisions/0200-capability-calls.md
 */
import type { OffersAnswer } from '../wire/capabilities.ts';
import { matching, optional, type Check } from './check.ts';
import { limits } from './limits.ts';
import { askedOrOwn } from './verb.ts';

export interface AppCallArgs {
  /** `name/vN` */
  readonly capacidade: string;
  /** Below the `rota` of the provider, with its query. */
  readonly caminho: string;
  /** The provider, where the page wants a certain one. */
  readonly app?: string;
  readonly metodo: string;
  readonly cabecalhos: readonly (readonly [name: string, value: string])[];
  /** `true`: it follows over the port. */
  readonly corpo: Blob | ArrayBuffer | true | null;
  readonly porta: InstanceType<typeof MessagePort>;
}

/** No scheme, no way up and no other spelling of one: the shell asks on its own origin, where `..` would lead to the API of the portal. */
export function isCallPath(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > limits.callPathCharsMax || !/^\/[^\\#\p{Cc}]*$/u.test(value)) return false;
  return !(value.split('?', 1)[0] ?? '').split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment));
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
const isPair = (pair: unknown): boolean =>
  Array.isArray(pair) &&
  pair.length === 2 &&
  typeof pair[0] === 'string' &&
  token.test(pair[0]) &&
  typeof pair[1] === 'string' &&
  /^[\t\x20-\x7e\x80-\xff]*$/.test(pair[1]);

const headers: Check = {
  type: 'never',
  accepts: (value) =>
    Array.isArray(value) &&
    value.length <= limits.callHeadersMax &&
    value.every(isPair) &&
    value.flat().join('').length <= limits.callHeaderCharsMax,
};
const body: Check = {
  type: 'never',
  accepts: (value) => value === null || value === true || value instanceof Blob || value instanceof ArrayBuffer,
};
const port: Check = { type: 'never', accepts: (value) => value instanceof MessagePort };
const method: Check = {
  type: 'string',
  accepts: (value) => typeof value === 'string' && token.test(value) && !/^(?:connect|trace|track)$/i.test(value),
};
const capacidade: Check = { ...matching(/^(?=.{1,256}$)[a-z][a-z0-9-]*\/v[0-9]+$/), why: () => 'expected a capability such as "name/v1"' };
const path: Check = {
  type: 'string',
  accepts: isCallPath,
  why: () => 'expected a path that begins with "/", without "..", "#" and "\\\\"',
};
export const isCapability = capacidade.accepts;

export const appVerbs = {
  /**
   * Asks another app, as `fetch`: resolves with the provider's answer, whatever its status, or 404 `CAPABILITY_UNKNOWN` where no app offers the capability; rejects with a refusal of portal or person. `caminho` begins with a slash. The first use asks the person.
   */
  'apps.pedir': askedOrOwn<AppCallArgs, Response | null>('Response', {
    args: { capacidade, caminho: path, metodo: method, cabecalhos: headers, corpo: body, porta: port },
    options: { app: optional(matching(/^[a-z0-9-]{1,49}$/)) },
    takes: '(capacidade: string, caminho: string, opcoes?: SvcPedido)',
    deadlineMs: null,
  }),
  /** Lists the apps that offer a capability which the manifest declares, with words for a menu. Starts no app. */
  'apps.listar': askedOrOwn<{ readonly capacidade: string }, OffersAnswer['ofertas']>('readonly SvcOferta[]', {
    args: { capacidade },
    deadlineMs: limits.portalVerbAnswerMs,
  }),
};

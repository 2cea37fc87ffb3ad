/**
 * A row of the table of routes: everything that callers, the border and the documentation know of a route. Registration (api/http/serve.ts),
 * the calls of the shell and of the command line (call.ts), the OpenAPI document and docs/api.md are made from it.
 * Decision: docs/decisions/0336-one-row-a-route.md
 */

/**
 * Callers that a route lets in. `open`: anyone. `person`: a signed-in person. `navigation`: as `person`, also for a navigation that another origin began.
 * `callback`: as `open`, for a top-level navigation that another origin began, and nothing else from there. `room`: a signed-in person, or a
 * backend whose credential has the scope `salas` and which speaks for a person; `queue`, `metricas`: the same with the scope `fila` or
 * `metricas`, and a server-scope app may ask for itself. `executor`: the wrapper of a running job, by the token of that job. `admin`: the
 * control socket or a session with the admin flag. `metrics`: as `admin`, or a scraper on this machine.
 */
export type Access = 'open' | 'callback' | 'person' | 'navigation' | 'room' | 'queue' | 'metricas' | 'executor' | 'admin' | 'metrics';

/** Schemas are JSON Schemas. A JSON answer has `answer`, bytes have `gives`; a redirect has neither. */
export interface Route {
  readonly access: Access;
  /** The summary in the OpenAPI document and in docs/api.md: one sentence, without a full stop. */
  readonly says: string;
  /** Named parts of the path. */
  readonly params?: object;
  readonly query?: object;
  readonly body?: object;
  readonly answer?: object;
  /** The status of that answer; 200 when it is absent. The handler chooses among several. */
  readonly status?: number | readonly number[];
  /** Media type of an answer that is not JSON. */
  readonly gives?: string;
  /** The body is bytes of any type, which the handler reads. */
  readonly takes?: '*/*';
  /** HEAD, where it is not the GET without its body: refused, or answered by the handler of GET. */
  readonly head?: 'refused' | 'handled';
  /** Markdown for docs/api.md: what the schemas do not say. */
  readonly more?: string;
}

export type Routes = Readonly<Record<`${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`, Route>>;

declare const told: unique symbol;
/** A schema of which the types know more. */
export interface Typed<Told> {
  readonly [told]: Told;
}
export const typed = <Told>(schema: object): Typed<Told> => schema as Typed<Told>;

/** 204: an answer without a body. */
export const nothing = { type: 'null' } as const;

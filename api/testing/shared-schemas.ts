/**
 * The schemas of the portals of a worker: a function that one portal made of a schema serves the next one. Making them is most of what a portal costs that
 * answers a few requests.
 */
import { lazySchemas, type LazySchemas } from '../http/lazy-schemas.ts';

const own = lazySchemas();

interface Route {
  readonly schema: object;
}

type Build = (...given: readonly never[]) => (route: Route) => unknown;

/** The text of a schema; rows of routes are the same objects for each portal. */
const texts = new WeakMap<object, string>();
function textOf(schema: object): string {
  const text = texts.get(schema) ?? JSON.stringify(schema);
  texts.set(schema, text);
  return text;
}

/** No schema names another one by `$ref`, so that what is made of it depends on nothing else. */
function shared(build: Build): Build {
  const made = new Map<string, unknown>();
  return (...given) => {
    const compile = build(...given);
    return (route) => {
      const key = textOf(route.schema);
      const known = made.get(key) ?? compile(route);
      made.set(key, known);
      return known;
    };
  };
}

export const sharedSchemas: LazySchemas = {
  factories: {
    buildValidator: shared(own.factories.buildValidator as unknown as Build),
    buildSerializer: shared(own.factories.buildSerializer as unknown as Build),
  } as unknown as LazySchemas['factories'],
  compileAll: () => own.compileAll(),
};

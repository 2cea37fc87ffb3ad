/**
 * The schemas of the routes become functions when a route is first asked, one by one. Fastify makes a validator and a serializer of every
 * schema before the portal listens: 0.7 s of processor time of the 1.5 s of a start, and 25 MB, for functions of which most are not called
 * for days. Its own two compilers do it here, and what a schema means is as before. A schema with a mistake no longer stops the start, so a
 * unit test makes all of them. The first request of a route takes some milliseconds more than the second.
 */
import { AjvCompiler } from '@fastify/ajv-compiler';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import type { FastifyServerOptions } from 'fastify';

type Factories = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>;
type Validate = ((data: unknown) => unknown) & { errors?: unknown };
type Serialize = (data: unknown) => string;

export interface LazySchemas {
  readonly factories: Factories;
  /** Makes all that no route has needed yet; throws at a schema that can't be made. For tests. */
  compileAll(): number;
}

export function lazySchemas(): LazySchemas {
  const all: (() => unknown)[] = [];
  const once = <T>(make: () => T): (() => T) => {
    let made: T | undefined;
    const get = (): T => (made ??= make());
    all.push(get);
    return get;
  };
  const buildValidator = (...given: Parameters<ReturnType<typeof AjvCompiler>>) => {
    const compiler = once(() => AjvCompiler()(...given));
    return (route: { readonly schema: unknown }): Validate => {
      const made = once(() => compiler()(route as never) as Validate);
      // Fastify reads what was found from the function, as of one that ajv made.
      const validate: Validate = (data) => {
        const isRight = made()(data);
        validate.errors = made().errors;
        return isRight;
      };
      return validate;
    };
  };
  const buildSerializer = (...given: Parameters<ReturnType<typeof SerializerSelector>>) => {
    const compiler = once(() => SerializerSelector()(...given));
    return (route: { readonly schema: unknown }): Serialize => {
      const made = once(() => compiler()(route as never));
      return (data) => made()(data);
    };
  };
  return {
    factories: { buildValidator, buildSerializer } as unknown as Factories,
    compileAll: () => all.map((get) => get()).length,
  };
}

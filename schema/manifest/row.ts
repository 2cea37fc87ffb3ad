/** The row of a field of `svc-app.json`: its schema and all else that is known of it. */
import type { PlainSchema } from './plain-check.ts';

/** The schema of a field with what else is known of it. */
export interface FieldRow extends PlainSchema {
  /** The purpose of the field, in a sentence: shown by editors, by `svc schema` and in the reference. */
  readonly description?: string;
  /** The value that applies when the field is left out. */
  readonly default?: unknown;
  readonly server?: OnServer;
}

/**
 * The check of a server before it acts on a manifest (rules 2.1, 3.1 step 1; 9.9): all that the row says, the type alone, or the row with other words.
 * Missing: none. It is for the fields that become a command line, a path, a variable or a state; the rest was judged at publishing.
 */
export type OnServer = true | 'type' | PlainSchema;

interface Said {
  readonly default?: unknown;
  readonly server?: OnServer;
}

/** The schema of a field with its sentence. The type is that of the schema. */
export const says = <const Schema extends object>(schema: Schema, description: string, said: Said = {}): Schema => ({
  description,
  ...said,
  ...schema,
});

/**
 * Maps the rows within a row: each property by its name, an item of a list by null, the value of any name by `*`. A property that becomes null goes.
 */
export function within<Made>(
  { properties, items, additionalProperties }: FieldRow,
  map: (inner: FieldRow, name: string | null) => Made | null,
): { readonly properties?: Readonly<Record<string, Made>>; readonly items?: Made; readonly additionalProperties?: Made } {
  const kept = Object.entries(properties ?? {}).flatMap(([name, one]) => {
    const made = map(one, name);
    return made === null ? [] : [[name, made] as const];
  });
  const item = items === undefined ? null : map(items, null);
  const any = typeof additionalProperties === 'object' ? map(additionalProperties, '*') : null;
  return {
    ...(properties !== undefined && { properties: Object.fromEntries(kept) }),
    ...(item !== null && { items: item }),
    ...(any !== null && { additionalProperties: any }),
  };
}

/** The schema alone, as a JSON Schema engine reads it. */
export function schemaOf<Row extends object>(row: Row): Row {
  const { description: _, default: __, server: ___, ...schema } = row as FieldRow;
  return { ...schema, ...within(schema, (inner) => schemaOf(inner)) } as Row;
}

/** The check of a server; null: none. Objects are open there, since a newer kit may know more. */
export function serverSchemaOf(row: FieldRow): PlainSchema | null {
  const { server } = row;
  if (server === undefined) return null;
  if (server === 'type') return { type: row.type, ...(row.items !== undefined && { items: { type: row.items.type } }) } as PlainSchema;
  const { additionalProperties: _, maxItems: __, properties: ___, items: ____, required, ...schema } = schemaOf(row);
  const inner: PlainSchema = within(
    { properties: row.properties ?? {}, ...(row.items !== undefined && { items: row.items }) },
    serverSchemaOf,
  );
  const kept = required?.filter((name) => inner.properties?.[name] !== undefined) ?? [];
  return { ...schema, ...inner, ...(kept.length > 0 && { required: kept }), ...(server !== true && server) };
}

/** The checks of a server, as plain data made from the rows of the manifest. A bundle has these values and not the rows (setup/derived-values.ts). */
import { resourcesSchema } from '../resources.ts';
import type { PlainSchema } from './plain-check.ts';
import { schemaOf, serverSchemaOf } from './row.ts';
import { manifestRow } from './schema.ts';
import { menuItem } from './surface-rows.ts';

export const serverSchema: PlainSchema = serverSchemaOf(manifestRow) ?? {};

export const ceilingSchemas: Readonly<Record<string, PlainSchema>> = resourcesSchema.properties;

export const menuItemSchema: PlainSchema = schemaOf(menuItem) as PlainSchema;

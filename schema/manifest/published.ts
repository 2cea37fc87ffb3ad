/**
 * The schema of `svc-app.json` as it is published for authors and their editors (rules 9): the rows of schema.ts with their sentences and defaults, the
 * item of a context menu, and the rules that no schema can say in `$comment`. It lets through exactly what schema.ts does.
 * Decision: docs/decisions/0246-the-published-schema.md
 */
import about from '../../package.json' with { type: 'json' };
import { findingKinds } from '../findings.ts';
import { within, type FieldRow } from './row.ts';
import { ruleTexts } from './rule-texts.ts';
import { manifestRow, manifestSchema } from './schema.ts';
import { menuItem as menuItemRow } from './surface-rows.ts';

/** JSON Schema draft-07. */
export type PublishedSchema = Readonly<Record<string, unknown>>;

/** The version of svc, which is also that of the schema and of the SDK. */
export const schemaVersion = about.version;

export function publishedSchema(version = schemaVersion): PublishedSchema {
  const said = { title: `svc-app.json, svc ${version}`, description: 'The manifest of an app.', $comment: rulesOf('') };
  return { $schema: manifestSchema.$schema, $id: `urn:svc:esquema:svc-app:${version}`, ...said, ...told(manifestRow, '') };
}

/** As a file: the same version gives the same bytes. */
export const schemaText = (version = schemaVersion): string => `${JSON.stringify(publishedSchema(version), null, 2)}\n`;

/** The row with its sentence, and those within. */
function told(row: FieldRow, at: string): PublishedSchema {
  const { description, default: value, server: _, ...schema } = row;
  const comment = at === '' ? undefined : rulesOf(at);
  return {
    ...(description !== undefined && { description }),
    ...(value !== undefined && { default: value }),
    ...(comment !== undefined && { $comment: comment }),
    ...(at === menuItems ? menuItem : toldWithin(schema, at)),
  };
}

const toldWithin = (schema: FieldRow, at: string): PublishedSchema => ({
  ...schema,
  ...within(schema, (inner, name) => told(inner, `${at}${step(at, name)}`)),
});

/** `name`: null for an item of a list, `*` for the value of any name. */
function step(at: string, name: string | null): string {
  if (name === null) return '[]';
  return at === '' ? name : `.${name}`;
}

function rulesOf(at: string): string | undefined {
  const rules = ruleTexts.filter((rule) => rule.at === at).map(({ code, says }) => `${code} (${findingKinds[code].weight}): ${says}`);
  if (at !== '') return rules.length === 0 ? undefined : rules.join('; ');
  return `svc validate also judges what a schema can't say. Of the whole manifest: ${rules.join('; ')}. Of one field: in its $comment.`;
}

/**
 * An item that does not fit is left out and not refused: hence the second alternative, which any value fits. Suggestions for editors stand beside
 * the two, since editors take the alternative that fits already.
 */
const menuItems = 'contributes.contextMenu[]';
const validMenuItem = toldWithin(menuItemRow, menuItems);
const menuItem: PublishedSchema = {
  properties: Object.fromEntries(
    Object.entries(menuItemRow.properties as Readonly<Record<string, FieldRow>>).map(
      ([name, { description, default: value, enum: words }]) => [
        name,
        { description, ...(value !== undefined && { default: value }), ...(words !== undefined && { examples: words }) },
      ],
    ),
  ),
  anyOf: [validMenuItem, {}],
};

/**
 * The schema of `svc-app.json` as it is published for authors and their editors (rules 9): schema.ts with a sentence for each field, defaults, the
 * item of a context menu, and the rules that no schema can say in `$comment`. It lets through exactly what schema.ts does.
 * Decision: docs/decisions/0246-the-published-schema.md
 */
import about from '../../package.json' with { type: 'json' };
import { limits as bridgeLimits } from '../bridge/limits.ts';
import { findingKinds } from '../findings.ts';
import { limits } from '../limits.ts';
import { closed, list, oneOf, pattern } from '../static.ts';
import { fieldTexts } from './field-texts.ts';
import { menuSurfaces } from './menu.ts';
import { patterns } from './patterns.ts';
import { ruleTexts } from './rule-texts.ts';
import { manifestSchema } from './schema.ts';

/** JSON Schema draft-07. */
export type PublishedSchema = Readonly<Record<string, unknown>>;

/** The version of svc, which is also that of the schema and of the SDK. */
export const schemaVersion = about.version;

export function publishedSchema(version = schemaVersion): PublishedSchema {
  const { $schema, $id: _, title: __, ...root } = manifestSchema;
  const said = { title: `svc-app.json, svc ${version}`, description: 'The manifest of an app.', $comment: rulesOf('') };
  return { $schema, $id: `urn:svc:esquema:svc-app:${version}`, ...said, ...children(root, '') };
}

/** As a file: the same version gives the same bytes. */
export const schemaText = (version = schemaVersion): string => `${JSON.stringify(publishedSchema(version), null, 2)}\n`;

/** The subschemas with their sentences. */
function children(schema: PublishedSchema, at: string): PublishedSchema {
  const { properties, items, additionalProperties, ...rest } = schema;
  const below = (name: string) => (at === '' ? name : `${at}.${name}`);
  const entries = Object.entries((properties ?? {}) as Record<string, PublishedSchema>);
  return {
    ...rest,
    ...(properties !== undefined && { properties: Object.fromEntries(entries.map(([name, one]) => [name, told(one, below(name))])) }),
    ...(typeof items === 'object' && { items: told(items as PublishedSchema, `${at}[]`) }),
    ...(additionalProperties !== undefined && {
      additionalProperties: typeof additionalProperties === 'object' ? told(additionalProperties as PublishedSchema, below('*')) : false,
    }),
  };
}

function told(schema: PublishedSchema, at: string): PublishedSchema {
  const text = fieldTexts[at];
  const comment = rulesOf(at);
  return {
    ...(text !== undefined && { description: text.says, ...(text.default !== undefined && { default: text.default }) }),
    ...(comment !== undefined && { $comment: comment }),
    ...children(at === 'contributes.contextMenu[]' ? menuItem : schema, at),
  };
}

function rulesOf(at: string): string | undefined {
  const rules = ruleTexts.filter((rule) => rule.at === at).map(({ code, says }) => `${code} (${findingKinds[code].weight}): ${says}`);
  if (at !== '') return rules.length === 0 ? undefined : rules.join('; ');
  return `svc validate also judges what a schema can't say. Of the whole manifest: ${rules.join('; ')}. Of one field: in its $comment.`;
}

/** Source: rules 2.2. */
const validMenuItem = closed(
  {
    id: { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,47}$', description: 'Once in the app.' },
    superficie: { ...oneOf(menuSurfaces), description: 'Where the item appears; "icone-do-app" is the menu of the icon of the app.' },
    rotulo: { type: 'string', minLength: 1, maxLength: limits.menuLabelCharsMax, description: 'Text of the item.' },
    ordem: {
      type: 'integer',
      minimum: limits.menuOrderMin,
      maximum: limits.menuOrderMax,
      default: limits.menuOrderDefault,
      description: 'Place among the items of the shell.',
    },
    quando: {
      ...closed({ extensoes: { ...list(pattern(patterns.extension, 'a file extension')), minItems: 1 } }, []),
      description: 'Only for "arquivo": on which files.',
    },
    acao: { ...oneOf(['abrir', 'abrirRota']), description: 'Left out: the one of the surface.' },
    rota: {
      type: 'string',
      minLength: 1,
      maxLength: bridgeLimits.routeCharsMax,
      description: 'Only for "icone-do-app", which needs it: a place inside the app.',
    },
  },
  ['id', 'superficie', 'rotulo'],
);

/**
 * An item that does not fit is left out and not refused: hence the second alternative, which any value fits. Suggestions for editors stand beside
 * the two, since editors take the alternative that fits already.
 */
const menuItem: PublishedSchema = {
  properties: Object.fromEntries(
    Object.entries(validMenuItem.properties).map(([name, { description, ...rest }]) => [
      name,
      { description, ...('default' in rest && { default: rest.default }), ...('enum' in rest && { examples: rest.enum }) },
    ]),
  ),
  anyOf: [validMenuItem, {}],
};

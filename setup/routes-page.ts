/** The lists of routes in docs/api.md, from the rows of schema/routes. `node setup/routes-table.ts` writes them. */
import type { Access, Route, Routes } from '../schema/routes/route.ts';
import { areas } from '../schema/routes/routes.ts';

/** Longer shapes, and those of answers, are in the OpenAPI document alone. */
const shapeCharsMax = 110;

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

/** `{ a, b?, c: [{ d }] }`: the names of a schema, to that depth; '' for what has none. */
function shapeOf(schema: Schema, depth: number): string {
  const choice = schema.oneOf ?? schema.anyOf;
  if (choice !== undefined) {
    const shapes = choice.map((each) => (each.type === 'null' ? 'null' : shapeOf(each, depth))).filter((shape) => shape !== '');
    return shapes.some((shape) => shape !== 'null') ? shapes.join(' or ') : '';
  }
  if (schema.items !== undefined) {
    const shape = shapeOf(schema.items, depth);
    return shape === '' ? '' : `[${shape}]`;
  }
  const { properties, required = [] } = schema;
  if (properties === undefined || Object.keys(properties).length === 0 || depth === 0) return '';
  const names = Object.entries(properties).map(([name, inner]) => {
    const shape = shapeOf(inner, depth - 1);
    return `${name}${required.includes(name) ? '' : '?'}${shape === '' ? '' : `: ${shape}`}`;
  });
  return `{ ${names.join(', ')} }`;
}

/** As deep as fits. */
function shortShape(schema: object): string {
  const shapes = [3, 2, 1].map((depth) => shapeOf(schema, depth));
  const shape = shapes.find((each) => each.length <= shapeCharsMax) ?? shapes.at(-1) ?? '';
  return shape === '' ? '' : `\`${shape}\``;
}

function addressOf(name: string, { query = {}, body, takes }: Route): string {
  const { properties = {} }: Schema = query;
  const fields = Object.keys(properties);
  const address = `\`${name}${fields.length === 0 ? '' : `?${fields.map((field) => `${field}=`).join('&')}`}\``;
  return [address, body === undefined ? '' : shortShape(body), takes === undefined ? '' : 'bytes'].filter((part) => part !== '').join(' ');
}

function lineOf(name: string, row: Route, usual: Access): string {
  const { access, says, status, gives, more } = row;
  const kind = gives === undefined || gives === '*/*' ? '' : `\`${gives}\``;
  const answered = [status === undefined ? '' : [status].flat().join(' or '), kind];
  const told = answered.filter((part) => part !== '').join(' ');
  const who = access === usual ? '' : ` (${access})`;
  return `- ${addressOf(name, row)}${who} ${says}${told === '' ? '' : `. ${told}`}${more === undefined ? '' : `; ${more}`}`;
}

/** The caller of most rows is said once. */
function listOf(rows: Routes): string {
  const callers = Map.groupBy(Object.values(rows), ({ access }) => access);
  const [usual = 'person'] = [...callers].toSorted(([, left], [, right]) => right.length - left.length).map(([access]) => access);
  const lines = Object.entries(rows).map(([name, row]) => lineOf(name, row, usual));
  return [`Access: ${usual}.`, '', ...lines].join('\n');
}

/** The page with the routes of each area between its marks. Throws for an area that has none. */
export function withRoutes(page: string): string {
  return Object.entries(areas).reduce((text, [area, rows]) => {
    const marks = new RegExp(`(<!-- routes: ${area} -->\n\n)[^]*?(\n\n<!-- end -->)`);
    if (!marks.test(text)) throw new Error(`docs/api.md has no place for the routes of schema/routes/${area}.ts`);
    return text.replace(marks, (_, begin: string, end: string) => begin + listOf(rows) + end);
  }, page);
}

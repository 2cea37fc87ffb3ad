/** Parts of `yaml` that commands load when needed. A bundle knows the exports of a CommonJS package only where it is imported by name. */
import { Document, visit } from 'yaml';
import { isPlainOrBlank } from '../schema/plain-line.ts';
import { escaped } from './escaped.ts';

export { parseAllDocuments } from 'yaml';

/** A text with what a terminal obeys or does not show stands between double quotes, where it is escaped. */
export function yamlText(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'string' && !isPlainOrBlank(node.value.replaceAll(/[\t\n]/g, ''))) node.type = 'QUOTE_DOUBLE';
    },
  });
  return escaped(document.toString());
}

/** What commands load of `yaml` when they need it. A bundle knows the names that a CommonJS package exports only where it is imported by name. */
export { parseAllDocuments, stringify } from 'yaml';

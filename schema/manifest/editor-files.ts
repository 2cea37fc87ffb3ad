/**
 * How an editor learns the schema of `svc-app.json`: the root of the manifest is closed and takes no "$schema", so the schema is a file beside it
 * and the settings of the folder name it. Decision: docs/decisions/0246-the-published-schema.md
 */
import { schemaText } from './published.ts';

const schemaFile = '.vscode/svc-app.schema.json';
const settingsFile = '.vscode/settings.json';
const association = { fileMatch: ['/svc-app.json'], url: `./${schemaFile}` };

export interface EditorFile {
  /** From the folder of the app. */
  readonly path: string;
  readonly text: string;
}

/** The files of the folder of an app. `settings`: the settings that are there; null when there are none. Throws when they are not plain JSON. */
export function editorFiles(settings: string | null = null): readonly EditorFile[] {
  const before: unknown = settings === null ? {} : parsed(settings);
  if (typeof before !== 'object' || before === null || Array.isArray(before)) throw unreadable();
  const known: unknown = (before as Record<string, unknown>)['json.schemas'] ?? [];
  if (!Array.isArray(known)) throw unreadable();
  const others = known.filter((one: { readonly url?: unknown } | null) => one?.url !== association.url);
  const after = { ...before, 'json.schemas': [...others, association] };
  const isSaid = settings !== null && JSON.stringify(before) === JSON.stringify(after);
  return [
    { path: schemaFile, text: schemaText() },
    { path: settingsFile, text: isSaid ? settings : `${JSON.stringify(after, null, 2)}\n` },
  ];
}

function parsed(settings: string): unknown {
  try {
    return JSON.parse(settings);
  } catch {
    throw unreadable();
  }
}

/** Comments would be lost: the person adds the line. */
function unreadable(): Error {
  const line = `"json.schemas": [${JSON.stringify(association)}]`;
  return new Error(`${settingsFile} is not plain JSON, so it stays as it is; add to it by hand: ${line}`);
}

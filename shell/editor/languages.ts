/** Colours of code: one grammar for each language, loaded with the first file of it. */
import { StreamLanguage, type StreamParser } from '@codemirror/language';

interface Grammar {
  /** For the person; names of languages are the same in all. */
  readonly name: string;
  readonly ends: string;
  readonly load: () => Promise<StreamParser<unknown>>;
}

const as = (parser: unknown): StreamParser<unknown> => parser as StreamParser<unknown>;
const clike = async (dialect: 'c' | 'cpp' | 'java' | 'csharp' | 'kotlin' | 'scala' | 'dart'): Promise<StreamParser<unknown>> =>
  as((await import('@codemirror/legacy-modes/mode/clike'))[dialect]);

const grammars: readonly Grammar[] = [
  { name: 'Python', ends: 'py pyi', load: async () => as((await import('@codemirror/legacy-modes/mode/python')).python) },
  {
    name: 'JavaScript',
    ends: 'js mjs cjs jsx',
    load: async () => as((await import('@codemirror/legacy-modes/mode/javascript')).javascript),
  },
  {
    name: 'TypeScript',
    ends: 'ts mts cts tsx',
    load: async () => as((await import('@codemirror/legacy-modes/mode/javascript')).typescript),
  },
  { name: 'JSON', ends: 'json jsonc json5', load: async () => as((await import('@codemirror/legacy-modes/mode/javascript')).json) },
  {
    name: 'Shell',
    ends: 'sh bash zsh bashrc bash_profile profile zshrc zprofile',
    load: async () => as((await import('@codemirror/legacy-modes/mode/shell')).shell),
  },
  { name: 'YAML', ends: 'yaml yml', load: async () => as((await import('@codemirror/legacy-modes/mode/yaml')).yaml) },
  { name: 'TOML', ends: 'toml', load: async () => as((await import('@codemirror/legacy-modes/mode/toml')).toml) },
  {
    name: 'INI',
    ends: 'ini cfg conf properties env editorconfig npmrc',
    load: async () => as((await import('@codemirror/legacy-modes/mode/properties')).properties),
  },
  { name: 'CSS', ends: 'css', load: async () => as((await import('@codemirror/legacy-modes/mode/css')).css) },
  { name: 'SCSS', ends: 'scss', load: async () => as((await import('@codemirror/legacy-modes/mode/css')).sCSS) },
  { name: 'Less', ends: 'less', load: async () => as((await import('@codemirror/legacy-modes/mode/css')).less) },
  { name: 'HTML', ends: 'html htm xhtml vue svelte', load: async () => as((await import('@codemirror/legacy-modes/mode/xml')).html) },
  { name: 'XML', ends: 'xml svg xsd xsl', load: async () => as((await import('@codemirror/legacy-modes/mode/xml')).xml) },
  { name: 'SQL', ends: 'sql', load: async () => as((await import('@codemirror/legacy-modes/mode/sql')).standardSQL) },
  { name: 'R', ends: 'r', load: async () => as((await import('@codemirror/legacy-modes/mode/r')).r) },
  { name: 'Julia', ends: 'jl', load: async () => as((await import('@codemirror/legacy-modes/mode/julia')).julia) },
  { name: 'Fortran', ends: 'f90', load: async () => as((await import('@codemirror/legacy-modes/mode/fortran')).fortran) },
  { name: 'LaTeX', ends: 'tex', load: async () => as((await import('@codemirror/legacy-modes/mode/stex')).stex) },
  { name: 'Go', ends: 'go', load: async () => as((await import('@codemirror/legacy-modes/mode/go')).go) },
  { name: 'Rust', ends: 'rs', load: async () => as((await import('@codemirror/legacy-modes/mode/rust')).rust) },
  { name: 'Ruby', ends: 'rb gemfile rakefile', load: async () => as((await import('@codemirror/legacy-modes/mode/ruby')).ruby) },
  { name: 'Lua', ends: 'lua', load: async () => as((await import('@codemirror/legacy-modes/mode/lua')).lua) },
  { name: 'Perl', ends: 'pl pm', load: async () => as((await import('@codemirror/legacy-modes/mode/perl')).perl) },
  { name: 'C', ends: 'c h', load: () => clike('c') },
  { name: 'C++', ends: 'cpp cxx cc hpp hh', load: () => clike('cpp') },
  { name: 'C#', ends: 'cs', load: () => clike('csharp') },
  { name: 'Java', ends: 'java', load: () => clike('java') },
  { name: 'Kotlin', ends: 'kt kts', load: () => clike('kotlin') },
  { name: 'Scala', ends: 'scala', load: () => clike('scala') },
  { name: 'Dart', ends: 'dart', load: () => clike('dart') },
  { name: 'CMake', ends: 'cmake', load: async () => as((await import('@codemirror/legacy-modes/mode/cmake')).cmake) },
  {
    name: 'Dockerfile',
    ends: 'dockerfile containerfile',
    load: async () => as((await import('@codemirror/legacy-modes/mode/dockerfile')).dockerFile),
  },
  { name: 'Diff', ends: 'diff patch', load: async () => as((await import('@codemirror/legacy-modes/mode/diff')).diff) },
];
const byEnd: ReadonlyMap<string, Grammar> = new Map(grammars.flatMap((each) => each.ends.split(' ').map((end) => [end, each] as const)));

/** By the end of its name, or by all of it (`Dockerfile`); null: plain text. */
export function grammarOf(name: string): Grammar | null {
  return byEnd.get(name.slice(name.lastIndexOf('.') + 1).toLowerCase()) ?? null;
}

export const languageOf = async (grammar: Grammar): Promise<StreamLanguage<unknown>> => StreamLanguage.define(await grammar.load());

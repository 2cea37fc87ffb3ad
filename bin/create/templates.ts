/**
 * Templates of `svc create`: folders of templates/, laid one over the other. A file of a later one takes the place of an earlier one's;
 * `dot-name` becomes `.name`, `README.<language>.md` the README of that language. Decision: docs/decisions/0242-what-svc-create-writes.md
 */
import type { Words } from '../../schema/texts/reasons.ts';

interface Template {
  readonly layers: readonly string[];
  readonly about: Words;
  /** Description of the app when the author gives none. */
  readonly description: Words;
  /** Its own test. */
  readonly test: string;
  /** Its compiler: `build.sh` of the app needs it. */
  readonly compiler?: { readonly command: string; readonly language: string; readonly packages: string };
}

const unittest = 'python3 -m unittest discover test';
const counts: Words = { pt: 'Conta e guarda a conta.', en: 'Counts, and keeps the count.' };

export const templates = {
  python: {
    layers: ['all', 'page', 'bench', 'python'],
    about: { pt: 'página e backend em Python', en: 'a page and a backend in Python' },
    description: counts,
    test: unittest,
  },
  node: {
    layers: ['all', 'page', 'node'],
    about: { pt: 'página e backend em Node', en: 'a page and a backend in Node' },
    description: counts,
    test: 'node --test',
  },
  binary: {
    layers: ['all', 'page', 'binary'],
    about: { pt: 'página e backend compilado, em C', en: 'a page and a compiled backend, in C' },
    description: counts,
    test: 'sh test/test.sh',
    compiler: { command: 'cc', language: 'C', packages: 'gcc libc6-dev' },
  },
  go: {
    layers: ['all', 'page', 'behind-wrap', 'go'],
    about: { pt: 'página e backend em Go, atrás do svc-wrap', en: 'a page and a backend in Go, behind svc-wrap' },
    description: counts,
    test: 'sh test/test.sh',
    compiler: { command: 'go', language: 'Go', packages: 'golang-go' },
  },
  rust: {
    layers: ['all', 'page', 'behind-wrap', 'rust'],
    about: { pt: 'página e backend em Rust, atrás do svc-wrap', en: 'a page and a backend in Rust, behind svc-wrap' },
    description: counts,
    test: 'sh test/test.sh',
    compiler: { command: 'rustc', language: 'Rust', packages: 'rustc' },
  },
  java: {
    layers: ['all', 'page', 'behind-wrap', 'java'],
    about: { pt: 'página e backend em Java, atrás do svc-wrap', en: 'a page and a backend in Java, behind svc-wrap' },
    description: counts,
    test: 'sh test/test.sh',
    compiler: { command: 'javac', language: 'Java', packages: 'default-jdk-headless' },
  },
  wrap: {
    layers: ['all', 'wrap'],
    about: { pt: 'uma aplicação web que já existe', en: 'a web application that exists already' },
    description: { pt: 'Uma aplicação web.', en: 'A web application.' },
    test: 'sh test/test.sh',
  },
  static: {
    layers: ['all', 'bench', 'static'],
    about: { pt: 'só uma página', en: 'a page only' },
    description: { pt: 'Conta as palavras de um texto.', en: 'Counts the words of a text.' },
    test: unittest,
  },
  rooms: {
    layers: ['all', 'bench', 'rooms'],
    about: { pt: 'listas que várias pessoas guardam juntas, em salas', en: 'lists that several people keep together, in rooms' },
    description: { pt: 'Listas guardadas em conjunto.', en: 'Lists that people keep together.' },
    test: unittest,
  },
  queue: {
    layers: ['all', 'bench', 'queue'],
    about: { pt: 'trabalho pesado na fila, em Python', en: 'heavy work in the queue, in Python' },
    description: { pt: 'Conta as palavras de um texto num trabalho da fila.', en: 'Counts the words of a text in a job of the queue.' },
    test: unittest,
  },
  engine: {
    layers: ['all', 'bench', 'engine'],
    about: { pt: 'motor com uma capacidade que outros apps pedem', en: 'an engine with a capability that other apps ask for' },
    description: { pt: 'Conta palavras para outros aplicativos.', en: 'Counts words for other apps.' },
    test: unittest,
  },
} as const satisfies Readonly<Record<string, Template>>;

export type TemplateName = keyof typeof templates;

export const compilerOf = (name: TemplateName): Template['compiler'] => (templates[name] as Template).compiler;

export const templateNames = Object.keys(templates) as TemplateName[];

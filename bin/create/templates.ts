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

export const templateNames = Object.keys(templates) as TemplateName[];

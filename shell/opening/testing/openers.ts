/** Apps that open things, for tests: with what a test says of them. */
import type { Opener } from '../file-type.ts';

interface Declared extends Partial<Pick<Opener, 'nome' | 'papel' | 'proprios' | 'menu'>> {
  readonly extensions?: readonly string[];
  readonly mimeTypes?: readonly string[];
  readonly hosts?: readonly string[];
  /** `opens.default` */
  readonly asks?: boolean;
}

export const opener = (
  id: string,
  { extensions = [], mimeTypes = [], hosts = [], asks = false, nome = id.toUpperCase(), papel = null, proprios = [], menu = [] }: Declared,
): Opener => ({
  id,
  nome,
  papel,
  hosts: [...hosts],
  tipos: extensions.map((extensao) => ({ extensao, pede: asks })),
  midias: mimeTypes.map((tipo) => ({ tipo, pede: asks })),
  proprios,
  menu,
});

/** `rounds` in CI, a hundred times as many with SVC_TEST_LONG=1. */
export const rounds = (n: number): number => (process.env['SVC_TEST_LONG'] === '1' ? n * 100 : n);

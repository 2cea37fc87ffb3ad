/** The declared types of the Node runtime and what it really exports are the same names, so neither can drift alone. */
import { createRequire } from 'node:module';
import { expect, expectTypeOf, test } from 'vitest';
import type { JobView, OutputsAnswer } from '../../schema/wire/jobs.ts';
import type {
  AttachmentAnswer,
  HistoryAnswer,
  RoomAnswer,
  RoomGroup,
  RoomPerson,
  RoomView,
  TicketAnswer,
} from '../../schema/wire/rooms.ts';
import type * as declared from './svc/index.d.ts';

type Names<T> = { readonly [K in keyof T]: T[K] extends (...args: never[]) => unknown ? 'function' : Names<T[K]> };

/** Does not compile when a declared name is missing here or an undeclared one stands here. */
const expected: Names<Omit<typeof declared, 'ErroSvc' | 'default'>> = {
  escutar: 'function',
  servidor: {
    escutar: 'function',
    encerrar: 'function',
    portao: 'function',
    criarLog: 'function',
    responderJson: 'function',
    lerCorpo: 'function',
    lerJson: 'function',
    emNomeDe: 'function',
    pastaDeDados: 'function',
  },
  web: { spa: 'function' },
  apps: { disponivel: 'function', pedir: 'function', listar: 'function' },
  fila: {
    disponivel: 'function',
    submeter: 'function',
    acompanhar: 'function',
    saidas: 'function',
    baixar: 'function',
    cancelar: 'function',
    listar: 'function',
  },
  gpu: { concedida: 'function', disponivel: 'function', estado: 'function' },
  metricas: { disponivel: 'function', contar: 'function', duracao: 'function', relatarErro: 'function', encerrar: 'function' },
  salas: {
    disponivel: 'function',
    entrar: 'function',
    bilhete: 'function',
    listar: 'function',
    ler: 'function',
    criar: 'function',
    renomear: 'function',
    apagar: 'function',
    darAcesso: 'function',
    darAcessoAoGrupo: 'function',
    tirarAcesso: 'function',
    tirarAcessoDoGrupo: 'function',
    avisar: 'function',
    anexar: 'function',
    anexo: 'function',
    historico: 'function',
    versao: 'function',
    trazerDeVolta: 'function',
    nomearVersao: 'function',
  },
};

const shape = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shape(part)]))
    : typeof value;

test('exports are as declared', () => {
  const { ErroSvc, ...exported } = createRequire(import.meta.url)('./svc') as typeof declared;
  expect(shape(exported)).toEqual(expected);
  expect(new ErroSvc('CODIGO', 'frase')).toMatchObject({ codigo: 'CODIGO', mensagem: 'frase', message: 'CODIGO: frase' });
});

test('what the portal answers is declared as the portal declares it', () => {
  // Compiled, not run: `npm run check` refuses a field that one side alone has.
  expectTypeOf<declared.Sala>().toEqualTypeOf<RoomView>();
  expectTypeOf<declared.PessoaDaSala>().toEqualTypeOf<RoomPerson>();
  expectTypeOf<declared.GrupoDaSala>().toEqualTypeOf<RoomGroup>();
  expectTypeOf<Omit<declared.Trabalho, 'motivo'>>().toEqualTypeOf<Omit<JobView, 'motivo'>>();
  expectTypeOf<readonly declared.SaidaDoTrabalho[]>().toEqualTypeOf<OutputsAnswer['saidas']>();
  expectTypeOf<declared.Anexo>().toEqualTypeOf<AttachmentAnswer>();
  expectTypeOf<Omit<declared.Bilhete, 'urls'>>().toEqualTypeOf<TicketAnswer>();
  expectTypeOf<Awaited<ReturnType<typeof declared.salas.ler>>>().toEqualTypeOf<RoomAnswer>();
  expectTypeOf<Awaited<ReturnType<typeof declared.salas.historico>>>().toEqualTypeOf<HistoryAnswer>();
});

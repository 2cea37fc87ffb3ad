/** Answers of verbs outside the shell. Source: rules 7, "web SDK outside the shell". */
import { routeProblem } from '../../schema/bridge/route.ts';
import { notValid, verbs, type AnswerOf, type ArgsOf, type AskedVerb, type OwnOutside } from '../../schema/bridge/verbs.ts';
import { inFrame } from './bridge.ts';
import { readClipboard } from './clipboard.ts';
import { failure, type Args } from './requests.ts';

const notAvailable = () => ({ disponivel: false, motivo: 'fora do ambiente', codigo: 'FORA_DO_AMBIENTE' });

/** The rest of an address as a person would type it: a tab that a page opened must not reach that page. */
function openTab(address: string): boolean {
  const opened = window.open(address, '_blank');
  if (opened !== null) opened.opener = null;
  return opened !== null;
}

const noGpu = { concedida: false, dispositivos: [], motivo: 'fora do ambiente' } as const;

const askBefore = (event: Event): void => event.preventDefault();

const own: { readonly [V in OwnOutside]: (args: ArgsOf<V>) => AnswerOf<V> | Promise<AnswerOf<V>> } = {
  'app.capacidades': () => ({ host: 'none', shellVersion: null, verbos: [] }),
  'window.close': () => {
    if (!inFrame) window.close();
    return null;
  },
  notificar: ({ texto }) => {
    console.info(texto);
    return null;
  },
  'dialogo.confirmar': ({ texto }) => window.confirm(texto),
  'dialogo.perguntar': ({ texto, valor }) => window.prompt(texto, valor),
  'area.ler': readClipboard,
  'metricas.disponivel': notAvailable,
  'fila.disponivel': notAvailable,
  'links.abrir': ({ endereco }) => {
    if (!/^https?:\/\//i.test(endereco)) throw failure('argumentos-invalidos', notValid('links.abrir', 'endereco', null));
    window.open(endereco, '_blank', 'noopener');
    return { app: null };
  },
  'janela.naoSalvo': ({ naoSalvo }) => {
    if (naoSalvo) addEventListener('beforeunload', askBefore);
    else removeEventListener('beforeunload', askBefore);
    return null;
  },
  'janela.abrir': ({ rota }) => {
    const why = rota === undefined ? null : routeProblem(rota);
    if (why !== null) throw failure('argumentos-invalidos', notValid('janela.abrir', 'rota', why));
    return { nova: openTab(rota ?? document.baseURI) };
  },
  'apps.listar': () => [],
  'apps.pedir': ({ capacidade }) =>
    Response.json(
      { status: 404, code: 'CAPABILITY_UNKNOWN', error: `fora do ambiente ninguém oferece ${capacidade}`, capacidade },
      { status: 404 },
    ),
  'fila.listar': () => [],
  'configuracoes.ligada': () => false,
  'salas.listar': () => ({ salas: [] }),
  'pessoas.buscar': () => ({ pessoas: [], grupos: [] }),
  'gpu.concedida': () => noGpu,
  'gpu.estado': () => ({ ...noGpu, declarada: false, modo: null }),
};

/** Undefined: the verb rejects. May throw. */
export function outside(verbo: AskedVerb, args: Args): unknown {
  const answer = (own as Readonly<Record<string, (args: never) => unknown>>)[verbo];
  if (answer !== undefined) return answer(args as never);
  return verbs[verbo].outside === 'null' ? null : undefined;
}

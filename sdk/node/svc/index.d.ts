import type { IncomingMessage, Server, ServerResponse } from 'node:http';

export interface Log {
  (evento: string, campos?: Readonly<Record<string, unknown>>): void;
  info(evento: string, campos?: Readonly<Record<string, unknown>>): void;
  erro(evento: string, campos?: Readonly<Record<string, unknown>>): void;
}

export interface OpcoesDeEscuta {
  /** Default: `process.argv`, with or without its first two; takes `--tcp host:port`. */
  readonly argv?: readonly string[];
  /** Awaited on SIGTERM, at most 5 s. */
  readonly aoEncerrar?: () => unknown;
}

export interface OpcoesDaSpa {
  /** Injects the UI kit. Default: true. */
  readonly ui?: boolean;
  /** Paths below the root, put into the head with their content hash. */
  readonly scripts?: readonly string[];
  readonly aoAvisar?: (evento: string, campos: Readonly<Record<string, unknown>>) => void;
}

export type Tratador = (req: IncomingMessage, res: ServerResponse) => unknown;

/** Serves until SIGTERM. Ends the process with 0 when another instance already serves, with 2 with nowhere to listen. */
export function escutar(server: Server, opcoes?: OpcoesDeEscuta): Promise<void>;

export const servidor: {
  readonly escutar: typeof escutar;
  /**
   * Ends the app from within, for a Quit in its menu: answers under way end as on SIGTERM, the process ends with 0, and the app stays stopped until
   * somebody opens it. With `escopo: servidor` the server starts it again.
   */
  encerrar(): void;
  /** Puts the token gate and `/saude` before a handler; a handler that throws is answered with 500. */
  portao(handler: Tratador): (req: IncomingMessage, res: ServerResponse) => void;
  criarLog(): Log;
  responderJson(res: ServerResponse, status: number, objeto: unknown, cabecalhos?: Readonly<Record<string, string>>): void;
  /** The whole body; above `limite` bytes (default 1 MiB) the request is answered with 413. */
  lerCorpo(req: IncomingMessage, limite?: number): Promise<Buffer>;
  /** The body as JSON; anything else is answered with 400. */
  lerJson(req: IncomingMessage, limite?: number): Promise<unknown>;
  /** For `escopo: servidor`: what `fazer` asks of the portal, it asks for the person whose request this is. */
  readonly emNomeDe: <Feito>(req: IncomingMessage, fazer: () => Feito) => Feito;
  /** SVC_APP_DATA_DIR, or `~/.svc-apps/<id>/data`; exists on return. */
  pastaDeDados(): string;
};

export const web: {
  /** (req, res) => true when it served the request. */
  spa(root: string | URL, opcoes?: OpcoesDaSpa): (req: IncomingMessage, res: ServerResponse) => boolean;
};

export interface Disponibilidade {
  readonly disponivel: boolean;
  readonly motivo: string | null;
  /** Null only when it is available. */
  readonly codigo: 'SEM_CREDENCIAL' | 'SEM_ESCOPO' | 'CREDENCIAL_RECUSADA' | 'SEM_LANCADOR' | 'ILEGIVEL' | 'SEM_GPU' | null;
}

/** A verb that can't be done; `codigo` never changes its meaning. */
export class ErroSvc extends Error {
  readonly codigo: string;
  readonly mensagem: string;
  /** HTTP status, when the portal refused. */
  readonly status?: number;
  /** Wait that the portal asks for, when it refused. */
  readonly retryAfterMs?: number;
  constructor(codigo: string, mensagem: string);
}

/** Capabilities of other apps. The portal's refusals are ErroSvc with its code and `status`. */
export const apps: {
  disponivel(): Disponibilidade;
  /** As `fetch`: resolves with the provider's own answer, also 4xx and 5xx. */
  pedir(
    capacidade: string,
    caminho: string,
    opcoes?: {
      /** The provider, where several offer it. */
      readonly app?: string;
      readonly method?: string;
      readonly headers?: RequestInit['headers'];
      readonly body?: RequestInit['body'] | AsyncIterable<Uint8Array>;
      readonly signal?: AbortSignal;
    },
  ): Promise<Response>;
  /** Starts no app. */
  listar(capacidade: string): Promise<readonly { readonly app: string; readonly nome: string; readonly rotulo: string }[]>;
};

export type EstadoDoTrabalho =
  | 'em-espera'
  | 'a-submeter'
  | 'na-fila'
  | 'a-correr'
  | 'a-recolher'
  | 'desconhecido'
  | 'terminado'
  | 'falhou'
  | 'cancelado';

export interface LimitesDoTrabalho {
  readonly cpus: number;
  readonly memoriaMb: number;
  readonly segundos: number;
  readonly gpus: number;
}

export interface Trabalho {
  readonly id: string;
  readonly app: string;
  readonly usuario: string;
  readonly nome: string;
  readonly chave: string;
  readonly cluster: string;
  /** Id of the request that submitted it, as in the portal's log. */
  readonly requestId: string | null;
  readonly estado: EstadoDoTrabalho;
  /** Reason code (docs/reasons.md). */
  readonly motivo: string;
  /** For engineers, English. */
  readonly mensagem: string;
  /** Place among those that wait, from 1; null: it does not wait, or nobody can tell. */
  readonly lugar: number | null;
  /** 0 to 1, as the command says; null: it says nothing. */
  readonly progresso: number | null;
  /** Exit code of the command. */
  readonly codigo: number | null;
  /** Bytes of the log so far. */
  readonly registo: number;
  readonly cancelamento: boolean;
  readonly criadoEm: number;
  readonly iniciadoEm: number | null;
  readonly terminadoEm: number | null;
  /** When it and its outputs are removed; null: not ended yet. */
  readonly expiraEm: number | null;
  readonly imagem: string | null;
  readonly comando: readonly string[];
  readonly limites: LimitesDoTrabalho;
}

export interface SaidaDoTrabalho {
  /** Below `saida/`. */
  readonly caminho: string;
  readonly sha: string;
  readonly tamanho: number;
  /** Bytes that the portal has. */
  readonly ate: number;
  readonly completo: boolean;
  /** There was no space for it. */
  readonly recusada: boolean;
}

export interface Submissao {
  /** The whole command: the ENTRYPOINT of an image does not run. */
  readonly comando: readonly string[];
  /** By the path below the work folder: a file of this machine, by its path or file: URL, or bytes. */
  readonly entradas?: Readonly<Record<string, string | URL | Uint8Array | Blob>>;
  readonly ambiente?: Readonly<Record<string, string>>;
  readonly limites?: Partial<LimitesDoTrabalho>;
  readonly imagem?: string;
  readonly cluster?: string;
  readonly nome?: string;
  /** The same one names the same job, until 180 days after it was removed; without it each call is a new job. */
  readonly chave?: string;
  /** How long what passes is asked again. Default: 120,000. */
  readonly pacienciaMs?: number;
  readonly signal?: AbortSignal;
}

/** `codigo` while it is not: SEM_CREDENCIAL, SEM_ESCOPO, SEM_REDE, SEM_RESPOSTA, or the portal's: DESLIGADA, SEM_CLUSTER, INALCANCAVEL. */
export interface DisponibilidadeDaFila {
  readonly disponivel: boolean;
  readonly motivo: string | null;
  readonly codigo: string | null;
}

export interface Paciencia {
  /** How long a portal that is away is waited for. Default: 600,000. */
  readonly pacienciaMs?: number;
  readonly signal?: AbortSignal;
}

/** All but `disponivel` reject ErroSvc: SEM_CREDENCIAL, SEM_ESCOPO, SEM_REDE, SEM_RESPOSTA, ENTRADA_MUDOU, ENTRADA_INVALIDA, SAIDA_MUDOU, CAMINHO_INVALIDO, or the portal's own code with its HTTP `status`. */
export const fila: {
  disponivel(): Promise<DisponibilidadeDaFila>;
  submeter(submissao: Submissao): Promise<Trabalho>;
  /** The job as it is, then at each change, until its end; `linhas`: what its log has since the time before. */
  acompanhar(trabalho: string, opcoes?: Paciencia): AsyncGenerator<Trabalho & { readonly linhas: readonly string[] }, void>;
  saidas(trabalho: string): Promise<readonly SaidaDoTrabalho[]>;
  /** Writes one output, or all that are complete, below `pasta`; answers their paths. */
  baixar(trabalho: string, pasta: string | URL, caminho?: string | null, opcoes?: Paciencia): Promise<readonly string[]>;
  cancelar(trabalho: string): Promise<Trabalho>;
  /** The jobs of this app for its person, the newest first: all of them, or as many as `limite` says. */
  listar(opcoes?: Paciencia & { readonly limite?: number }): Promise<readonly Trabalho[]>;
};

export interface DispositivoDeGpu {
  /** Render node or file of the driver, e.g. /dev/dri/renderD128. */
  readonly dispositivo: string;
  readonly fornecedor: string;
  readonly modelo: string;
  readonly driver: string;
  readonly virtual: boolean;
  readonly acessivel: boolean;
  readonly pci: string;
  readonly uuid: string;
}

export interface GpuConcedida {
  readonly concedida: boolean;
  readonly dispositivos: readonly DispositivoDeGpu[];
  readonly motivo: string;
}

export interface EstadoDaGpu extends GpuConcedida {
  readonly declarada: boolean;
  readonly modo: 'opcional' | 'necessaria' | null;
  /** Now, not at the start. */
  readonly acessivel: boolean;
  readonly inventario: readonly DispositivoDeGpu[];
}

export const gpu: {
  concedida(): GpuConcedida;
  estado(): EstadoDaGpu;
  disponivel(): Disponibilidade;
};

/** Kind of the event, never who caused it: at most five labels, texts or values that have one. */
export type Rotulos = Readonly<Record<string, string | number | boolean>>;

/** None of them throws, waits, or does anything without `recursos.metricas` in the manifest. */
export const metricas: {
  disponivel(): Disponibilidade;
  /** Adds to the counter of the event; `n` is 1 by default. */
  contar(evento: string, n?: number, rotulos?: Rotulos): void;
  /** Records how long something took. */
  duracao(evento: string, segundos: number, rotulos?: Rotulos): void;
  /** Sends an exception to the environment log. */
  relatarErro(erro: unknown): void;
  /** Sends what is left, for at most `prazoMs` (2 s); `escutar` and the end of the event loop do it by themselves. Never rejects. */
  encerrar(prazoMs?: number): Promise<void>;
};

export type Papel = 'ver' | 'comentar' | 'editar' | 'dona';
export type Canal = 'documento' | 'comentarios';
export type MotivoDaSala = 'sem-espaco' | 'cheia';
export type EstadoDaSala = 'conectando' | 'sincronizado' | 'fora' | 'sem-acesso' | 'apagada' | 'saiu';

export interface Sala {
  readonly id: string;
  readonly nome: string;
  readonly app: string;
  /** `usuario` of the owner. */
  readonly dona: string;
  /** Role of this backend's person. */
  readonly papel: Papel;
  readonly criadaEm: number;
  readonly mudadaEm: number;
}

export interface PessoaDaSala {
  readonly usuario: string;
  readonly nome: string;
  readonly login: string;
  readonly iniciais: string;
  readonly papel: Papel;
  readonly porNome: Papel | null;
  readonly porGrupos: readonly string[];
  readonly declarada: boolean;
}

export interface GrupoDaSala {
  readonly grupo: string;
  readonly papel: Exclude<Papel, 'dona'>;
  readonly pessoas: number;
  readonly declarado: boolean;
}

export interface Bilhete {
  readonly usuario: string;
  /** Null: the person is not in the room any more. */
  readonly bilhete: string | null;
  readonly caminho: string;
  readonly papel: Papel | null;
  readonly anexos: boolean;
  /** Whole addresses of both channels, for any y-websocket client. */
  readonly urls: Readonly<Record<Canal, string>> | null;
}

export interface Anexo {
  readonly sha: string;
  readonly tamanho: number;
  readonly tipo: string;
}

export type FormatoDaVersao = 'yjs' | 'json' | 'texto' | 'markdown' | 'html';

export interface Versao {
  /** Counts up; bigger is younger. */
  readonly versao: number;
  /** First and last change; null: what was there before versions were kept. */
  readonly de: number | null;
  readonly ate: number | null;
  /** `nome` null: a person who is gone. */
  readonly pessoas: readonly { readonly usuario: string; readonly nome: string | null }[];
  readonly nome: string | null;
}

/** The program's own `yjs`: the runtime carries none. */
export interface Yjs<D> {
  readonly Doc: new () => D;
  applyUpdate(doc: D, update: Uint8Array, origin?: unknown): void;
  encodeStateAsUpdate(doc: D, stateVector?: Uint8Array): Uint8Array;
  encodeStateVector(doc: D): Uint8Array;
}

export interface ProtocoloDePresenca<D, P> {
  readonly Awareness: new (doc: D) => P;
}

export interface Conexao<D, P> {
  readonly doc: D;
  readonly presenca: P;
  readonly estado: EstadoDaSala;
  /** With `fora`: the space for rooms is used up, or the document is as large as it may get. */
  readonly motivo: MotivoDaSala | null;
  /** Role in the last ticket: a backend learns of a change only when it connects again; the portal decides what it accepts. */
  readonly papel: Papel | null;
  readonly podeEscrever: boolean;
  readonly sincronizado: Promise<void>;
  aoMudar(
    callback: (mudanca: { readonly estado: EstadoDaSala; readonly papel: Papel | null; readonly motivo: MotivoDaSala | null }) => void,
  ): () => void;
  sair(): Promise<void>;
}

export interface OpcoesDaSala<D, P> {
  readonly Y: Yjs<D>;
  readonly awarenessProtocol?: ProtocoloDePresenca<D, P>;
  readonly doc?: D;
  readonly canal?: Canal;
  /** Default: Node's own, which Node 22 and newer have. */
  readonly WebSocket?: new (url: string) => unknown;
}

/** All but `disponivel` reject or throw ErroSvc: SEM_CREDENCIAL, SEM_ESCOPO, SEM_REDE, SEM_RESPOSTA, or the portal's own code with its HTTP `status`. */
export const salas: {
  disponivel(): Disponibilidade;
  /** Joins as a page does; answers at once. `sair()` lets the process end. */
  entrar<D, P = undefined>(sala: string, opcoes: OpcoesDaSala<D, P>): Conexao<D, P>;
  bilhete(sala: string): Promise<Bilhete>;
  listar(): Promise<{ readonly salas: readonly Sala[] }>;
  ler(sala: string): Promise<{
    readonly sala: Sala;
    readonly pessoas: readonly PessoaDaSala[];
    readonly grupos: readonly GrupoDaSala[];
  }>;
  criar(nome: string): Promise<Sala>;
  renomear(sala: string, nome: string): Promise<void>;
  apagar(sala: string): Promise<void>;
  darAcesso(sala: string, usuario: string, papel: Exclude<Papel, 'dona'>): Promise<void>;
  darAcessoAoGrupo(sala: string, grupo: string, papel: Exclude<Papel, 'dona'>): Promise<void>;
  tirarAcesso(sala: string, usuario: string): Promise<void>;
  tirarAcessoDoGrupo(sala: string, grupo: string): Promise<void>;
  avisar(sala: string, tipo: 'mencao' | 'comentario', para: readonly string[], ancora: string): Promise<void>;
  anexar(sala: string, bytes: Uint8Array | Blob, tipo?: string): Promise<Anexo>;
  anexo(sala: string, sha: string): Promise<{ readonly bytes: Buffer; readonly tipo: string }>;
  /** Versions of the document, the youngest first, which is the document as it is now. */
  historico(sala: string): Promise<{ readonly versoes: readonly Versao[] }>;
  versao(sala: string, versao: number, formato: FormatoDaVersao): Promise<{ readonly bytes: Buffer; readonly tipo: string }>;
  /** As a new edit: what was written since stays in the history. */
  trazerDeVolta(sala: string, versao: number): Promise<void>;
  /** Null takes the name away. */
  nomearVersao(sala: string, versao: number, nome: string | null): Promise<void>;
};

/** Types of `window.svc` (spec 4.3), for an app author's editor: `/// <reference path=".../sdk/web/svc.d.ts" />`. */
interface SvcCapacidades {
  readonly host: string;
  readonly shellVersion: string | null;
  readonly verbos: readonly string[];
}

interface SvcEventos {
  readonly abertura: { readonly rota: string };
  readonly tema: { readonly tema: 'claro' | 'escuro'; readonly idioma: string };
}

type SvcPapel = 'ver' | 'comentar' | 'editar' | 'dona';
type SvcMotivoDaSala = 'sem-espaco' | 'cheia';
type SvcEstadoDaSala = 'conectando' | 'sincronizado' | 'fora' | 'sem-acesso' | 'apagada' | 'saiu';

interface SvcSala {
  readonly id: string;
  readonly nome: string;
  readonly app: string;
  /** `usuario` of the owner. */
  readonly dona: string;
  /** Of the person who asks. */
  readonly papel: SvcPapel;
  readonly criadaEm: number;
  readonly mudadaEm: number;
}

interface SvcPessoa {
  readonly usuario: string;
  readonly nome: string;
  readonly login: string;
  readonly iniciais: string;
}

interface SvcPessoaDaSala extends SvcPessoa {
  /** The better of the role by name and those by group. */
  readonly papel: SvcPapel;
  readonly porNome: SvcPapel | null;
  readonly porGrupos: readonly string[];
  readonly declarada: boolean;
}

interface SvcGrupoDaSala {
  readonly grupo: string;
  readonly papel: Exclude<SvcPapel, 'dona'>;
  readonly pessoas: number;
  readonly declarado: boolean;
}

interface SvcAnexo {
  readonly sha: string;
  readonly tamanho: number;
  readonly tipo: string;
}

/** The app's own `import * as Y from 'yjs'`: the SDK carries none. */
interface SvcYjs<D> {
  readonly Doc: new () => D;
  applyUpdate(doc: D, update: Uint8Array, origin?: unknown): void;
  encodeStateAsUpdate(doc: D, stateVector?: Uint8Array): Uint8Array;
  encodeStateVector(doc: D): Uint8Array;
}

/** `import * as awarenessProtocol from 'y-protocols/awareness'`. */
interface SvcProtocoloDePresenca<D, P> {
  readonly Awareness: new (doc: D) => P;
}

interface SvcConexao<D, P> {
  readonly doc: D;
  /** There when `awarenessProtocol` was given. */
  readonly presenca: P;
  readonly estado: SvcEstadoDaSala;
  /** With `fora`: the space for rooms is used up, or the document is as large as it may get. */
  readonly motivo: SvcMotivoDaSala | null;
  /** Null until the first ticket; then, also without a network, the last one known. */
  readonly papel: SvcPapel | null;
  readonly podeEscrever: boolean;
  /** Resolves when the portal has sent what the room held; rejects with `code` when the connection ended before. */
  readonly sincronizado: Promise<void>;
  /** Returns the function that cancels. */
  aoMudar(
    callback: (mudanca: {
      readonly estado: SvcEstadoDaSala;
      readonly papel: SvcPapel | null;
      readonly motivo: SvcMotivoDaSala | null;
    }) => void,
  ): () => void;
  /** Resolves when the local copy is written. */
  sair(): Promise<void>;
  /** Keeps bytes with the room; the document holds only the `sha`. */
  anexar(bytes: Blob | ArrayBuffer | ArrayBufferView, tipo?: string): Promise<SvcAnexo>;
  anexo(sha: string): Promise<Blob>;
}

interface SvcSalas {
  criar(nome: string): Promise<SvcSala>;
  /** Answers at once; what follows is in `estado`. */
  entrar<D, P = undefined>(
    sala: string,
    opcoes: {
      readonly Y: SvcYjs<D>;
      readonly awarenessProtocol?: SvcProtocoloDePresenca<D, P>;
      readonly doc?: D;
      readonly canal?: 'documento' | 'comentarios';
      /** false: nothing is kept in the browser. */
      readonly guardarLocal?: boolean;
    },
  ): SvcConexao<D, P>;
  listar(): Promise<{ readonly salas: readonly SvcSala[] }>;
  ler(sala: string): Promise<{
    readonly sala: SvcSala;
    readonly pessoas: readonly SvcPessoaDaSala[];
    readonly grupos: readonly SvcGrupoDaSala[];
  }>;
  renomear(sala: string, nome: string): Promise<null>;
  apagar(sala: string): Promise<null>;
  darAcesso(sala: string, usuario: string, papel: Exclude<SvcPapel, 'dona'>): Promise<null>;
  darAcessoAoGrupo(sala: string, grupo: string, papel: Exclude<SvcPapel, 'dona'>): Promise<null>;
  tirarAcesso(sala: string, usuario: string): Promise<null>;
  tirarAcessoDoGrupo(sala: string, grupo: string): Promise<null>;
  /** Opens the share dialog of the desktop. */
  compartilhar(sala: string): Promise<null>;
  /** `ancora`: the comment id, up to 64 letters, digits, `_`, `-`; the same one never notifies the same person twice. */
  avisar(sala: string, tipo: 'mencao' | 'comentario', para: readonly string[], ancora: string): Promise<null>;
  anexar(sala: string, bytes: Blob | ArrayBuffer | ArrayBufferView, tipo?: string): Promise<SvcAnexo>;
  anexo(sala: string, sha: string): Promise<Blob>;
  ao(evento: 'mudaram', callback: () => void): () => void;
}

/**
 * What a verb rejects with: `argumentos-invalidos`, `verbo-desconhecido`, `pedidos-demais`, `falhou`, `sem-resposta`, `fora-do-ambiente`, or what
 * the portal refused with: its own code (docs/errors.md) and HTTP status.
 */
interface SvcErro extends Error {
  readonly code: string;
  readonly status?: number;
}

interface SvcPonto {
  readonly pointerId: number;
  readonly screenX: number;
  readonly screenY: number;
  readonly target: EventTarget | null;
}

interface Svc {
  readonly noAmbiente: boolean;
  capabilities(): Promise<SvcCapacidades>;
  readonly app: {
    capacidades(): Promise<SvcCapacidades>;
    /** Returns the function that cancels. */
    ao<E extends keyof SvcEventos>(evento: E, callback: (dados: SvcEventos[E]) => void): () => void;
  };
  readonly window: {
    minimize(): Promise<null>;
    maximize(): Promise<null>;
    close(): Promise<null>;
    alternarMaximizado(): Promise<null>;
    /** Called with the pointerdown event of the page's own title bar. */
    arrastar(event: SvcPonto): Promise<null>;
    menuDoCabecalho(event: { readonly clientX: number; readonly clientY: number }): Promise<null>;
    abrir(opcoes?: { readonly rota?: string }): Promise<{ readonly nova: boolean }>;
  };
  readonly janela: { abrir(opcoes?: { readonly rota?: string }): Promise<{ readonly nova: boolean }> };
  readonly salas: SvcSalas;
  readonly pessoas: {
    eu(): Promise<SvcPessoa & { readonly grupos: readonly string[] }>;
    buscar(texto: string): Promise<{
      readonly pessoas: readonly SvcPessoa[];
      readonly grupos: readonly { readonly grupo: string; readonly pessoas: number }[];
    }>;
    /** The person's colour, the same everywhere. */
    corDe(usuario: string): string;
  };
}

interface Window {
  readonly svc?: Svc;
}

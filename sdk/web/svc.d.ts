/** Types of `window.svc` (rules 4.3), for an app author's editor: `/// <reference path=".../sdk/web/svc.d.ts" />`. */
interface SvcCapacidades {
  readonly host: string;
  readonly shellVersion: string | null;
  readonly verbos: readonly string[];
}

type SvcPapel = 'ver' | 'comentar' | 'editar' | 'dona';
type SvcPapelConcedido = Exclude<SvcPapel, 'dona'>;
type SvcBytes = Blob | ArrayBuffer | ArrayBufferView;
type SvcMotivoDaSala = 'sem-espaco' | 'cheia';
type SvcEstadoDaSala = 'conectando' | 'sincronizado' | 'fora' | 'sem-acesso' | 'apagada' | 'saiu';

interface SvcSala {
  readonly id: string;
  readonly nome: string;
  readonly app: string;
  /** `usuario` of the owner. */
  readonly dona: string;
  /** Role of the person who asks. */
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
  readonly papel: SvcPapelConcedido;
  readonly pessoas: number;
  readonly declarado: boolean;
}

interface SvcAnexo {
  readonly sha: string;
  readonly tamanho: number;
  readonly tipo: string;
}

type SvcFormatoDaVersao = 'yjs' | 'json' | 'texto' | 'markdown' | 'html';

interface SvcVersao {
  /** Counts up; bigger is younger. */
  readonly versao: number;
  /** First and last change; null: what was there before versions were kept. */
  readonly de: number | null;
  readonly ate: number | null;
  /** `nome` null: a person who is gone. */
  readonly pessoas: readonly { readonly usuario: string; readonly nome: string | null }[];
  readonly nome: string | null;
}

interface SvcHistorico {
  readonly versoes: readonly SvcVersao[];
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
  anexar(bytes: SvcBytes, tipo?: string): Promise<SvcAnexo>;
  anexo(sha: string): Promise<Blob>;
}

/** Kind of the event, never who caused it: at most five labels, texts or values that have one. */
type SvcRotulos = Readonly<Record<string, string | number | boolean>>;

interface SvcDisponibilidade {
  readonly disponivel: boolean;
  readonly motivo: string | null;
  readonly codigo: string | null;
}

interface SvcGpu {
  /** Whether the backend that runs now was given a card. */
  readonly concedida: boolean;
  readonly dispositivos: readonly {
    readonly dispositivo: string;
    readonly fornecedor: string;
    readonly modelo: string;
    readonly driver: string;
  }[];
  /** A sentence: which card, or why none. */
  readonly motivo: string;
}

interface SvcEstadoDaGpu extends SvcGpu {
  readonly declarada: boolean;
  readonly modo: 'opcional' | 'necessaria' | null;
}

interface SvcSalaLida {
  readonly sala: SvcSala;
  readonly pessoas: readonly SvcPessoaDaSala[];
  readonly grupos: readonly SvcGrupoDaSala[];
}

interface SvcEntrada<D, P> {
  readonly Y: SvcYjs<D>;
  readonly awarenessProtocol?: SvcProtocoloDePresenca<D, P>;
  readonly doc?: D;
  readonly canal?: 'documento' | 'comentarios';
  /** false: nothing is kept in the browser. */
  readonly guardarLocal?: boolean;
}

interface SvcBusca {
  readonly pessoas: readonly SvcPessoa[];
  readonly grupos: readonly { readonly grupo: string; readonly pessoas: number }[];
}

/** Rejection of a verb: a code of the bridge (docs/verbs.md), or the portal's own code (docs/errors.md) with its HTTP status. */
interface SvcErro extends Error {
  readonly code: string;
  readonly status?: number;
}

/** An app that offers a capability, with the words for a menu. */
interface SvcOferta {
  readonly app: string;
  readonly nome: string;
  readonly rotulo: string;
}

interface SvcPedido {
  /** The provider, where several offer it: without it the person's default app, or the one that they choose. */
  readonly app?: string;
  readonly method?: string;
  readonly headers?: HeadersInit;
  /** A stream gives Uint8Array; it is sent when it ended, since browsers send none over HTTP/1.1. */
  readonly body?: BodyInit | null;
  readonly signal?: AbortSignal | null;
}

/** A tab of the window, which the desktop draws. */
interface SvcAba {
  /** Up to 64 letters, digits and `._:-`, each once in a window. */
  readonly id: string;
  /** Up to 80 characters. */
  readonly titulo: string;
  /** false: the person can't close it. */
  readonly fechavel?: boolean;
}

type SvcAcaoNasAbas =
  | { readonly acao: 'selecionar' | 'fechar'; readonly id: string }
  | { readonly acao: 'ordenar'; readonly ids: readonly string[] }
  | { readonly acao: 'nova' };

type SvcEstadoDoTrabalho =
  | 'em-espera'
  | 'a-submeter'
  | 'na-fila'
  | 'a-correr'
  | 'a-recolher'
  | 'desconhecido'
  | 'terminado'
  | 'falhou'
  | 'cancelado';

interface SvcLimitesDoTrabalho {
  readonly cpus: number;
  readonly memoriaMb: number;
  readonly segundos: number;
  readonly gpus: number;
}

interface SvcTrabalho {
  readonly id: string;
  readonly app: string;
  readonly usuario: string;
  readonly nome: string;
  readonly chave: string;
  readonly cluster: string;
  /** Id of the request that submitted it, as in the portal's log. */
  readonly requestId: string | null;
  readonly estado: SvcEstadoDoTrabalho;
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
  readonly limites: SvcLimitesDoTrabalho;
}

interface SvcSubmissao {
  /** The whole command: the ENTRYPOINT of an image does not run. */
  readonly comando: readonly string[];
  /** By the path below the work folder. */
  readonly entradas?: Readonly<Record<string, SvcBytes | string>>;
  readonly ambiente?: Readonly<Record<string, string>>;
  readonly limites?: Partial<SvcLimitesDoTrabalho>;
  readonly imagem?: string;
  readonly cluster?: string;
  readonly nome?: string;
  /** The same one names the same job until 180 days after it was removed. */
  readonly chave?: string;
}

interface SvcAcompanhamento {
  readonly signal?: AbortSignal | null;
}

interface SvcSaida {
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

interface SvcArquivoDeSaida {
  readonly caminho: string;
  readonly blob: Blob;
}

/** On the person's server; `caminho` is the exact path, `nome` is for showing. */
interface SvcLugar {
  readonly caminho: string;
  readonly nome: string;
}

interface SvcArquivo extends SvcLugar {
  readonly tipo: 'arquivo' | 'pasta' | 'outro' | 'quebrado';
  readonly bytes: number;
  readonly modificadoMs: number;
}

interface SvcConteudo {
  readonly conteudo: Blob;
  /** For `disco.escrever`. */
  readonly versao: string;
  /** Size of the whole file. */
  readonly bytes: number;
}

interface SvcEscrita {
  readonly versao?: string;
  readonly novo?: boolean;
}

interface SvcArquivoEscrito extends SvcArquivo {
  readonly versao: string;
}

interface SvcListar {
  readonly desde?: number;
  readonly limite?: number;
  readonly ocultos?: boolean;
}

interface SvcListagem {
  readonly total: number;
  readonly itens: readonly SvcArquivo[];
}

interface SvcPonto {
  readonly pointerId: number;
  readonly screenX: number;
  readonly screenY: number;
  readonly target: EventTarget | null;
}

/** Thing that a window is opened with. `caminho` is absolute on the person's server, or `~` and what is below it. */
interface SvcAbertura {
  /** A place inside the app. */
  readonly rota?: string;
  /** A file or folder, with its name and, where it is known, its media type. */
  readonly caminho?: string;
  readonly nome?: string;
  readonly mime?: string;
  /** When an entry of a context menu was chosen: where, and its id in the manifest. */
  readonly superficie?: 'arquivo' | 'pasta' | 'area-de-trabalho';
  readonly item?: string;
  /** A link to a host that the app declares (`opens.urls`). */
  readonly url?: string;
  /** The desktop was loaded again, and the window had this file: a page that keeps its own place may pass over it. */
  readonly deNovo?: boolean;
}

/** The accent that the person chose for the desktop. */
type SvcDestaque = 'azul' | 'verde' | 'roxo' | 'rosa' | 'laranja' | 'grafite';

// From here written by node setup/verbs-table.ts.
interface SvcEventos {
  readonly abertura: SvcAbertura;
  readonly tema: { readonly tema: 'claro' | 'escuro'; readonly idioma: string; readonly destaque: SvcDestaque };
  readonly salvar: object;
  readonly portal: { readonly presente: boolean };
  readonly mudaram: object;
  readonly abas: SvcAcaoNasAbas;
}

interface Svc {
  readonly noAmbiente: boolean;
  /** The same as `app.capacidades`. */
  capabilities(): Promise<SvcCapacidades>;
  /**
   * Puts a notice into the bell of the person who uses the app: ten at once, then one in six seconds. Opening it brings back the window
   * that sent it, at `rota`.
   */
  notificar(texto: string, opcoes?: { readonly rota?: string }): Promise<null>;
  readonly app: {
    /** Abilities of the desktop: names of verbs and events. */
    capacidades(): Promise<SvcCapacidades>;
    /** Calls back for an event; returns the function that cancels. */
    ao<E extends keyof SvcEventos>(evento: E, callback: (dados: SvcEventos[E]) => void): () => void;
  };
  readonly window: {
    minimize(): Promise<null>;
    /** Maximises; `alternarMaximizado` goes back and forth. */
    maximize(): Promise<null>;
    close(): Promise<null>;
    alternarMaximizado(): Promise<null>;
    /**
     * Moves the window from a title bar of the page's own: called with its `pointerdown`. Over the port: `inicio`, `mover`, then `fim` or
     * `cancelar`, in screen coordinates.
     */
    arrastar(event: SvcPonto): Promise<null>;
    /** Opens the window menu at a point of the page, of the window in front: called with its `contextmenu`. */
    menuDoCabecalho(event: { readonly clientX: number; readonly clientY: number }): Promise<null>;
    /** The same as `janela.abrir`. */
    abrir(opcoes?: { readonly rota?: string }): Promise<{ readonly nova: boolean }>;
  };
  readonly janela: {
    /**
     * Opens a window of this app, or hands `rota` to the open one when the app keeps to one window (event `abertura`). Where 32 of the app
     * are open: `pedidos-demais`.
     */
    abrir(opcoes?: { readonly rota?: string }): Promise<{ readonly nova: boolean }>;
    /**
     * Says that something in this window (`nome`) is not saved, or that all is. While it is not, the desktop asks before it closes or
     * reloads the window, at signing out, and before the browser's tab goes. With `salvaSe` the question has *Save and close*, which sends
     * the event `salvar`. A page that is loaded again begins with all saved.
     */
    naoSalvo(naoSalvo: boolean, opcoes?: { readonly nome?: string; readonly salvaSe?: boolean }): Promise<null>;
  };
  readonly links: {
    /**
     * Opens a page of the web: in the app that declares its host (`opens.urls`), else in a new tab (`app` is null). Rejects with
     * `sem-gesto` without a press in the window in front. A clicked link of the page that leads elsewhere goes this way by itself.
     */
    abrir(endereco: string): Promise<{ readonly app: string | null }>;
  };
  readonly abas: {
    /**
     * Says which tabs this window has, in their order; an empty list takes the bar away. `nova` puts a button for a new one beside them. A
     * page that is loaded again begins without tabs.
     */
    definir(abas: readonly SvcAba[], opcoes?: { readonly ativa?: string; readonly nova?: boolean }): Promise<null>;
    /** Shows one of them as the active one. */
    selecionar(id: string): Promise<null>;
    /** Takes one away; answers the id of the active one, its neighbour where it was that one, or null when none is left. */
    fechar(id: string): Promise<string | null>;
    /** Puts them in another order: all of their ids, each once. */
    ordenar(ids: readonly string[]): Promise<null>;
  };
  readonly dialogo: {
    /** Asks yes or no over the window. Null: put away with Esc, or the window closed. */
    confirmar(texto: string, opcoes?: { readonly sim?: string; readonly nao?: string; readonly perigo?: boolean }): Promise<boolean | null>;
    /** Asks for a line of text, with `valor` in the field. */
    perguntar(texto: string, opcoes?: { readonly valor?: string }): Promise<string | null>;
    /** Asks for one of several; answers it as it was given. */
    escolher(texto: string, entre: readonly string[]): Promise<string | null>;
  };
  readonly area: {
    /** Puts a text into the clipboard, after a press of the person in the page. */
    escrever(texto: string): Promise<null>;
    /** Asks the person to paste; null when they don't. A page never reads the clipboard by itself. */
    ler(): Promise<string | null>;
  };
  readonly gpu: {
    /** The GPU that the running backend was given, or the sentence why it got none. */
    concedida(): Promise<SvcGpu>;
    /** The same with what the manifest declares. */
    estado(): Promise<SvcEstadoDaGpu>;
  };
  readonly arquivos: {
    /**
     * Lets the person choose files for the app to open; null when they choose none. Rejects with `sem-gesto` without a press in the window
     * in front.
     */
    abrir(opcoes?: { readonly extensoes?: readonly string[]; readonly varios?: boolean }): Promise<readonly SvcArquivo[] | null>;
    /** Lets them say where a file is to be written, and whether in place of one that is there; it is not made. `nome` is proposed. */
    salvar(opcoes?: { readonly nome?: string; readonly extensoes?: readonly string[] }): Promise<SvcLugar | null>;
    /** Lets them choose a folder: the app reaches all that is in it. */
    pasta(): Promise<SvcLugar | null>;
  };
  readonly disco: {
    /**
     * The bytes of a file, with `versao`, by which a later `escrever` changes only what was read. `desde` and `ate` (the last one) take a
     * part of it; more than 256 MiB at once are refused with `grande-demais`.
     */
    ler(caminho: string, opcoes?: { readonly desde?: number; readonly ate?: number }): Promise<SvcConteudo>;
    /**
     * The whole file anew, or a new one, never half. With `versao` only while it is the one that was read, with `novo` only while there is
     * none: else `FILE_CHANGED`.
     */
    escrever(caminho: string, conteudo: SvcBytes | string, opcoes?: SvcEscrita): Promise<SvcArquivoEscrito>;
    /** The present state of a file or folder. */
    estado(caminho: string): Promise<SvcArquivo>;
    /** The content of a folder, by name: at most 5,000 entries from `desde` on. */
    listar(caminho: string, opcoes?: SvcListar): Promise<SvcListagem>;
  };
  readonly apps: {
    /**
     * Asks another app, as `fetch`: resolves with the provider's answer, whatever its status, or 404 `CAPABILITY_UNKNOWN` where no app
     * offers the capability; rejects with a refusal of portal or person. `caminho` begins with a slash. The first use asks the person.
     */
    pedir(capacidade: string, caminho: string, opcoes?: SvcPedido): Promise<Response>;
    /** Lists the apps that offer a capability which the manifest declares, with words for a menu. Starts no app. */
    listar(capacidade: string): Promise<readonly SvcOferta[]>;
  };
  readonly configuracoes: {
    /** Shows the section of this app in Settings, or hides it (`settingsOptIn`). Does nothing for an app without one. */
    ligar(ligada: boolean): Promise<null>;
    /** Whether Settings shows the section of this app. */
    ligada(): Promise<boolean>;
    /** Opens Settings at the section of this app; rejects where it is not shown. */
    abrir(): Promise<null>;
  };
  readonly fila: {
    /** Whether this app may submit jobs now, or the sentence why not. */
    disponivel(): Promise<SvcDisponibilidade>;
    /** Uploads what the portal lacks of the inputs and submits a job. Without a `chave` each call is a new one. */
    submeter(submissao: SvcSubmissao): Promise<SvcTrabalho>;
    /** Yields the job at once, at each change and at its end; `linhas`: new lines of its log. */
    acompanhar(trabalho: string, opcoes?: SvcAcompanhamento): AsyncGenerator<SvcTrabalho & { readonly linhas: readonly string[] }, void>;
    /** The files that the job has left so far below `saida/`. */
    saidas(trabalho: string): Promise<readonly SvcSaida[]>;
    /** Downloads an output, or all that are complete, and checks their hashes. */
    baixar(trabalho: string, caminho?: string): Promise<readonly SvcArquivoDeSaida[]>;
    /** The job as it is then; one that ended stays as it is. */
    cancelar(trabalho: string): Promise<SvcTrabalho>;
    /** The jobs of this app for its person, the newest first. */
    listar(opcoes?: { readonly limite?: number }): Promise<readonly SvcTrabalho[]>;
  };
  readonly salas: {
    /** A new room of this app, owned by the person. */
    criar(nome: string): Promise<SvcSala>;
    /** A connection to a room, at once; what follows is in its `estado`. Outside the shell: a document to write in, in state `fora`. */
    entrar<D, P = undefined>(sala: string, opcoes: SvcEntrada<D, P>): SvcConexao<D, P>;
    /** The rooms of this app that the person is in, with the role in each. */
    listar(): Promise<{ readonly salas: readonly SvcSala[] }>;
    /** A room with who is in it, the owner first. */
    ler(sala: string): Promise<SvcSalaLida>;
    renomear(sala: string, nome: string): Promise<null>;
    apagar(sala: string): Promise<null>;
    /** Grants or changes a role, and invites. */
    darAcesso(sala: string, usuario: string, papel: SvcPapelConcedido): Promise<null>;
    /** The same for each person of a group. */
    darAcessoAoGrupo(sala: string, grupo: string, papel: SvcPapelConcedido): Promise<null>;
    /** The owner removes anyone; anyone removes themselves. */
    tirarAcesso(sala: string, usuario: string): Promise<null>;
    tirarAcessoDoGrupo(sala: string, grupo: string): Promise<null>;
    /** Rings the bell of people in the room. `ancora`: the comment id; the same one never notifies the same person twice. */
    avisar(sala: string, tipo: 'mencao' | 'comentario', para: readonly string[], ancora: string): Promise<null>;
    /** Opens the share dialog of the desktop for a room of this app. */
    compartilhar(sala: string): Promise<null>;
    /** Keeps bytes with the room; the document holds only the `sha`. */
    anexar(sala: string, bytes: SvcBytes, tipo?: string): Promise<SvcAnexo>;
    anexo(sala: string, sha: string): Promise<Blob>;
    /**
     * Versions of the document, the youngest first, which is the document as it is now. As the other verbs of the history for `editar` and
     * the owner.
     */
    historico(sala: string): Promise<SvcHistorico>;
    /** The document as it was in a version: a Yjs update, its values, or its text. */
    versao(sala: string, versao: number, formato: SvcFormatoDaVersao): Promise<Blob>;
    /** As a new edit: everybody in the room sees it, and what was written since stays in the history. */
    trazerDeVolta(sala: string, versao: number): Promise<null>;
    /** Null takes the name away. A version with a name is not merged with others. */
    nomearVersao(sala: string, versao: number, nome: string | null): Promise<null>;
    /** Opens the history dialog of the desktop for a room of this app. */
    mostrarHistorico(sala: string): Promise<null>;
    /** Calls back when rooms changed; returns the function that cancels. */
    ao(evento: 'mudaram', callback: () => void): () => void;
  };
  readonly pessoas: {
    /** The person who uses the app. */
    eu(): Promise<(SvcPessoa & { readonly grupos: readonly string[] }) | null>;
    buscar(texto: string): Promise<SvcBusca>;
    /** The person's colour, the same everywhere. */
    corDe(usuario: string): string;
  };
  readonly metricas: {
    /** Adds to the counter of an event; `n` is 1 by default. A label says what kind of event, never who caused it; at most five. */
    contar(evento: string, n?: number, rotulos?: SvcRotulos): void;
    /** Records how long something took. */
    duracao(evento: string, segundos: number, rotulos?: SvcRotulos): void;
    /** Sends an exception to the environment log. */
    relatarErro(erro: unknown): void;
    /** Whether what is counted arrives, and why not. */
    disponivel(): Promise<SvcDisponibilidade>;
  };
}
// To here.

interface Window {
  readonly svc?: Svc;
}

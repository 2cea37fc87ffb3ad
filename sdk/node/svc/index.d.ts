import type { IncomingMessage, Server, ServerResponse } from 'node:http';

export interface Log {
  (evento: string, campos?: Readonly<Record<string, unknown>>): void;
  info(evento: string, campos?: Readonly<Record<string, unknown>>): void;
  erro(evento: string, campos?: Readonly<Record<string, unknown>>): void;
}

export interface OpcoesDeEscuta {
  /** Default: `process.argv.slice(2)`; takes `--tcp host:port`. */
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
  /** Puts the token gate and `/saude` before a handler; a handler that throws is answered with 500. */
  portao(handler: Tratador): (req: IncomingMessage, res: ServerResponse) => void;
  criarLog(): Log;
  responderJson(res: ServerResponse, status: number, objeto: unknown, cabecalhos?: Readonly<Record<string, string>>): void;
  /** The whole body; above `limite` bytes (default 1 MiB) the request is answered with 413. */
  lerCorpo(req: IncomingMessage, limite?: number): Promise<Buffer>;
  /** The body as JSON; anything else is answered with 400. */
  lerJson(req: IncomingMessage, limite?: number): Promise<unknown>;
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
  readonly codigo?: 'SEM_CREDENCIAL' | 'NAO_CONSTRUIDO';
}

/** A verb that can't be done; `codigo` never changes its meaning. */
export class ErroSvc extends Error {
  readonly codigo: string;
  readonly mensagem: string;
  constructor(codigo: string, mensagem: string);
}

export const fila: {
  disponivel(): Disponibilidade;
  submeter(...args: unknown[]): Promise<never>;
  acompanhar(...args: unknown[]): Promise<never>;
  baixar(...args: unknown[]): Promise<never>;
  cancelar(...args: unknown[]): Promise<never>;
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

export const metricas: {
  disponivel(): Disponibilidade;
  contar(...args: unknown[]): void;
  duracao(...args: unknown[]): void;
  relatarErro(...args: unknown[]): void;
};

export const salas: {
  disponivel(): Disponibilidade;
  bilhete(...args: unknown[]): Promise<never>;
};

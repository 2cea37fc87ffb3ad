/** What this app uses of `window.svc`, in one place (spec 4.3). The types are those of sdk/web/svc.d.ts, cut to size. */
import type * as Y from 'yjs';
import type { Awareness } from 'y-protocols/awareness';

export type Papel = 'dona' | 'editar' | 'comentar' | 'ver';
export type Estado = 'conectando' | 'sincronizado' | 'fora' | 'sem-acesso' | 'apagada' | 'saiu';

export interface Sala {
  readonly id: string;
  readonly nome: string;
  readonly papel: Papel;
}
export interface Pessoa {
  readonly usuario: string;
  readonly nome: string;
  readonly login: string;
  readonly iniciais: string;
}
export interface Conexao {
  readonly doc: Y.Doc;
  readonly presenca?: Awareness;
  readonly estado: Estado;
  readonly papel: Papel | null;
  readonly podeEscrever: boolean;
  readonly sincronizado: Promise<void>;
  aoMudar(cb: (mudanca: { readonly estado: Estado; readonly papel: Papel | null }) => void): () => void;
  sair(): Promise<void> | void;
}

export interface Salas {
  criar(nome: string): Promise<Sala>;
  entrar(sala: string, opcoes: object): Conexao;
  listar(): Promise<{ readonly salas: readonly Sala[] }>;
  ler(sala: string): Promise<{ readonly sala: Sala; readonly pessoas: readonly Pessoa[] }>;
  renomear(sala: string, nome: string): Promise<unknown>;
  apagar(sala: string): Promise<unknown>;
  avisar(sala: string, tipo: 'mencao' | 'comentario', para: readonly string[], ancora: string): Promise<unknown>;
  compartilhar(sala: string): Promise<unknown>;
  anexar(sala: string, bytes: Blob): Promise<{ readonly sha: string }>;
  anexo(sala: string, sha: string): Promise<Blob>;
  ao(evento: 'mudaram', cb: () => void): () => void;
}

interface Portal {
  readonly noAmbiente: boolean;
  readonly salas: Salas;
  readonly pessoas: {
    eu(): Promise<Pessoa>;
    buscar(texto: string): Promise<{ readonly pessoas: readonly Pessoa[] }>;
  };
  readonly app: {
    ao(evento: 'abertura', cb: (dados: { readonly rota: string }) => void): () => void;
    ao(evento: 'tema', cb: (dados: { readonly idioma: string }) => void): () => void;
  };
}

/** Undefined when the page was opened without its SDK. */
export const svc = (window as unknown as { readonly svc?: Portal }).svc;

export const words = (error: unknown): string => (error instanceof Error ? error.message : String(error));

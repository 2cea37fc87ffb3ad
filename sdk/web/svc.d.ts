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

/** What a verb rejects with: `argumentos-invalidos`, `verbo-desconhecido`, `pedidos-demais`, `falhou`, `sem-resposta` or `fora-do-ambiente`. */
interface SvcErro extends Error {
  readonly code: string;
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
}

interface Window {
  readonly svc?: Svc;
}

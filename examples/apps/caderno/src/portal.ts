/** The parts of `window.svc` that this app uses, in one place (rules 4.3). */
import type * as Y from 'yjs';
import type { Awareness } from 'y-protocols/awareness';

export type Estado = SvcEstadoDaSala;
export type Sala = SvcSala;
export type Pessoa = SvcPessoa;
export type Salas = Svc['salas'];
/** `presenca` is there on the channel that was entered with the awareness protocol. */
export type Conexao = SvcConexao<Y.Doc, Awareness | undefined>;

/** Undefined when the page was opened without its SDK. */
export const { svc } = window;

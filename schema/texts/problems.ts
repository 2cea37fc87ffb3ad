/** Error codes in words for people; the English ones are the titles of the problem documents. Source: schema/errors.ts. */
import { errorKinds, type ErrorCode } from '../errors.ts';
import type { TextLanguage } from './reasons.ts';

export const problemTextsPt: { readonly [C in ErrorCode]: string } = {
  INTERNAL: 'O portal falhou',
  NOT_FOUND: 'Isto não existe aqui',
  BAD_REQUEST: 'O pedido não tem o formato esperado',
  UNAUTHENTICATED: 'É preciso entrar primeiro',
  FORBIDDEN: 'Esta pessoa não tem permissão',
  TOO_LARGE: 'Maior que o limite',
  MANIFEST_INVALID: 'O manifesto do aplicativo tem um erro',
  PORTAL_NOT_RUNNING: 'Nenhum portal responde',
  TIMEOUT: 'Sem resposta no prazo',
  STORE_NEWER: 'Os dados são de um svc mais novo',
  STORE_FAILED: 'Os dados do portal não puderam ser lidos ou gravados',
  DESIRED_INVALID: 'A pasta do estado desejado tem erros',
  ADDRESS_IN_USE: 'Outro programa usa o endereço do portal',
  STATE_IN_USE: 'Outro svc usa esta pasta de estado',
  SOCKET_PATH_TOO_LONG: 'Caminho do socket longo demais',
  SERVER_UNREACHABLE: 'O servidor não responde',
  SUPERVISOR_FAILED: 'O supervisor não iniciou',
  SUPERVISOR_PROTOCOL: 'O supervisor respondeu algo inesperado',
  PACKAGE_SOURCE_MISSING: 'O pacote não está no repositório',
  PACKAGE_REFUSED: 'O pacote foi recusado',
  PATH_REFUSED: 'Este caminho não é aceito',
  CROSS_ORIGIN: 'Outra origem não pode pedir isto',
  APP_NOT_RUNNING: 'O aplicativo não está em execução',
  BACKEND_BUSY: 'Pedidos demais esperam por este aplicativo',
  BACKEND_UNREACHABLE: 'A conexão com o aplicativo falhou',
  BACKEND_BAD_RESPONSE: 'O aplicativo respondeu algo que não é HTTP',
  BACKEND_TIMEOUT: 'O aplicativo não respondeu no prazo',
  BACKEND_REFUSED_TOKEN: 'O aplicativo recusou a credencial do portal',
  METHOD_NOT_ALLOWED: 'Este caminho não aceita o método',
  WRONG_HOST: 'O portal tem outro nome',
  UNSUPPORTED_MEDIA: 'Este tipo de conteúdo não é aceito',
  RATE_LIMITED: 'Tentativas demais; espere um minuto',
  PASS_REFUSED: 'O link de uso único já foi usado ou venceu',
  PAGE_UNKNOWN: 'A conexão desta página com o portal terminou',
  PINNED: 'O administrador decide se este aplicativo executa',
};

/** Null for a code that is none of ours. */
export function problemText(code: string, language: TextLanguage): string | null {
  if (!Object.hasOwn(errorKinds, code)) return null;
  return language === 'pt' ? problemTextsPt[code as ErrorCode] : errorKinds[code as ErrorCode].title;
}

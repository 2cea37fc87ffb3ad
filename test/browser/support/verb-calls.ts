/** A call of each public verb of the bridge, as the page of an app writes it. */
import type { VerbName } from '../../../schema/bridge/verbs.ts';

export type Public = Exclude<VerbName, 'salas.bilhete' | 'salas.lugar' | 'metricas.enviar' | 'fila.noticia'>;
const trabalho = `'j${'0'.repeat(20)}'`;
const sala = `'s${'0'.repeat(21)}'`;
/** Arguments that are right, as the page writes them. */
const given: { readonly [V in Public]: string } = {
  capabilities: '',
  'app.capacidades': '',
  'app.ao': `'abertura', () => {}`,
  'window.minimize': '',
  'window.maximize': '',
  'window.close': '',
  'window.alternarMaximizado': '',
  'window.arrastar': `new PointerEvent('pointerdown')`,
  'window.menuDoCabecalho': '{ clientX: 9, clientY: 9 }',
  'window.abrir': `{ rota: '#a' }`,
  'janela.abrir': `{ rota: '#a' }`,
  'janela.naoSalvo': `false`,
  'links.abrir': `'https://nada.invalid/'`,
  'abas.definir': `[{ id: 'a', titulo: 'A' }]`,
  'abas.selecionar': `'a'`,
  'abas.fechar': `'a'`,
  'abas.ordenar': `['a']`,
  'dialogo.confirmar': `'Apagar?', { sim: 'Apagar', perigo: true }`,
  'dialogo.perguntar': `'Nome?', { valor: 'Ana' }`,
  'dialogo.escolher': `'Qual?', ['um', 'dois']`,
  notificar: `'Pronto'`,
  'area.escrever': `'copiado'`,
  'area.ler': '',
  'arquivos.abrir': `{ extensoes: ['svg'], varios: true }`,
  'arquivos.salvar': `{ nome: 'a.svg' }`,
  'arquivos.pasta': '',
  'disco.ler': `'/a', { desde: 0, ate: 9 }`,
  'disco.escrever': `'/a', 'texto', { novo: true }`,
  'disco.estado': `'/a'`,
  'disco.listar': `'/', { limite: 9 }`,
  'apps.pedir': `'nada/v1', '/a'`,
  'apps.listar': `'nada/v1'`,
  'configuracoes.ligar': 'true',
  'configuracoes.ligada': '',
  'configuracoes.abrir': '',
  'gpu.concedida': '',
  'gpu.estado': '',
  'fila.disponivel': '',
  'fila.submeter': `{ comando: ['true'] }`,
  'fila.acompanhar': trabalho,
  'fila.saidas': trabalho,
  'fila.baixar': trabalho,
  'fila.cancelar': trabalho,
  'fila.listar': '',
  'salas.criar': `'Ata'`,
  'salas.entrar': `${sala}, { Y: { applyUpdate() {} }, doc: { on() {}, off() {} } }`,
  'salas.listar': '',
  'salas.ler': sala,
  'salas.renomear': `${sala}, 'Ata'`,
  'salas.apagar': sala,
  'salas.darAcesso': `${sala}, 'bia', 'ver'`,
  'salas.darAcessoAoGrupo': `${sala}, 'todos', 'ver'`,
  'salas.tirarAcesso': `${sala}, 'bia'`,
  'salas.tirarAcessoDoGrupo': `${sala}, 'todos'`,
  'salas.avisar': `${sala}, 'mencao', ['bia'], 'c1'`,
  'salas.compartilhar': sala,
  'salas.anexar': `${sala}, new Blob(['x'])`,
  'salas.anexo': `${sala}, '${'a'.repeat(64)}'`,
  'salas.historico': sala,
  'salas.versao': `${sala}, 1, 'texto'`,
  'salas.trazerDeVolta': `${sala}, 1`,
  'salas.nomearVersao': `${sala}, 1, null`,
  'salas.mostrarHistorico': sala,
  'salas.ao': `'mudaram', () => {}`,
  'pessoas.eu': '',
  'pessoas.buscar': `'a'`,
  'pessoas.corDe': `'ana'`,
  'metricas.contar': `'aberta', 1, { tipo: 'nota' }`,
  'metricas.duracao': `'abrir', 0.2`,
  'metricas.relatarErro': `new Error('x')`,
  'metricas.disponivel': '',
};
export const picks = (name: Public): boolean => name.startsWith('arquivos.');
export const asksPerson = (name: Public): boolean => name.startsWith('dialogo.') || name === 'area.ler' || picks(name);
export const called = Object.keys(given) as readonly Public[];
/** Result of a call as text: `value …`, `function`, or `error code`. */
export const calling = (name: Public): string => `(async () => {
  try {
    let answer = await svc.${name}(${given[name]});
    if (typeof answer?.next === 'function') answer = await answer.next();
    if (typeof answer?.sair === 'function') return await answer.sair(), 'connection';
    return typeof answer === 'function' ? 'function' : 'value ' + JSON.stringify(answer);
  } catch (error) {
    return 'error ' + (error.code === 'fora-do-ambiente' ? error.message : (error.code ?? String(error)));
  }
})()`;

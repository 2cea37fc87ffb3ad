/** The sentences of the terminal in Brazilian Portuguese. Part of pt.ts. */
export const ptTerminal = {
  'terminal.tabs': 'Terminais',
  'terminal.number': 'Terminal {n}',
  'terminal.new': 'Novo terminal',
  'terminal.close': 'Encerrar {titulo}',
  'terminal.none': 'Nenhum terminal aberto.',
  'terminal.opening': 'Abrindo um terminal…',
  'terminal.away': 'Sem ligação com o terminal. Tentando de novo…',
  'terminal.lost':
    'O portal não conseguiu guardar o que esta tela mostrava. O terminal continua; uma página aberta depois mostra só o que vier agora.',
  'terminal.exited': 'O shell terminou com o código {codigo}.',
  'terminal.killed': 'O shell foi encerrado pelo sinal {sinal}.',
  'terminal.cut': 'A ligação com o servidor caiu, e o shell terminou com ela.',
  'terminal.gone': 'Este terminal não existe mais: o portal foi reiniciado, ou ele foi encerrado em outra página.',
  'terminal.input': 'Entrada do terminal',
  'terminal.tooMuch': 'Saída demais para ser lida: use as setas para navegar pelas linhas',
  'terminal.keys': 'Teclas do terminal',
  'terminal.up': 'Seta para cima',
  'terminal.down': 'Seta para baixo',
  'terminal.left': 'Seta para a esquerda',
  'terminal.right': 'Seta para a direita',
} as const;

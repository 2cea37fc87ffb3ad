/** A page: each way to the object of the desktop has its types. */
export async function abrir(): Promise<string> {
  const { disponivel, motivo } = await svc.fila.disponivel();
  if (!disponivel) return motivo ?? '';
  const cancelar = svc.app.ao('abertura', ({ rota, caminho }) => console.log(rota?.length, caminho?.length));
  cancelar();
  const { salas } = await svc.salas.listar();
  const arquivos = await window.svc?.arquivos.abrir({ extensoes: ['txt'] });
  for await (const { progresso, linhas } of svc.fila.acompanhar('x')) console.log(progresso, linhas.length);
  return `${salas[0]?.nome ?? ''} ${arquivos?.length ?? 0} ${(await svc.pessoas.eu())?.iniciais ?? ''}`;
}

/** The elements of the UI kit have their types, too. */
export function campo(): string {
  const campo = document.createElement('ui-field');
  campo.label = 'Nome';
  // @ts-expect-error a text where a yes or no is needed
  campo.required = 'sim';
  return campo.error + (document.querySelector('ui-button')?.variant ?? '');
}

// @ts-expect-error no such verb
void svc.salas.sair('s');
// @ts-expect-error no such event
svc.app.ao('fechamento', () => undefined);
// @ts-expect-error the owner is not granted
void svc.salas.darAcesso('s', 'bia', 'dona');

/** The page follows the theme, the accent and the language of the shell (event `tema`); outside of the shell the browser's own preference counts. */

interface Appearance {
  readonly tema?: unknown;
  readonly idioma?: unknown;
  readonly destaque?: unknown;
}
interface ShellBridge {
  readonly app: { ao(event: 'tema', hear: (data: Appearance | undefined) => void): void };
}

/**
 * A page that is written in several languages names them, `<html lang="pt-BR" data-svc-idiomas="pt-BR en">`: its `lang` is then the one of
 * the shell where it has that. A page without a `lang` takes the shell's. Decision: docs/decisions/0241-language-of-the-ui-kit.md
 */
function follow(root: HTMLElement, idioma: string): void {
  root.dataset['svcIdioma'] = idioma;
  const named = root.dataset['svcIdiomas']?.split(/\s+/) ?? [];
  const own = named.find((tag) => tag.split('-', 1)[0] === idioma.split('-', 1)[0]);
  if (own !== undefined) root.lang = own;
  else if (root.lang === '') root.lang = idioma === 'pt' ? 'pt-BR' : idioma;
}

export function followShell(): void {
  const { svc } = window as { readonly svc?: ShellBridge };
  svc?.app.ao('tema', (data) => {
    const root = document.documentElement;
    if (data?.tema === 'claro' || data?.tema === 'escuro') root.dataset['svcTema'] = data.tema;
    if (typeof data?.destaque === 'string') root.dataset['svcDestaque'] = data.destaque;
    if (typeof data?.idioma === 'string' && data.idioma !== '') follow(root, data.idioma);
  });
}

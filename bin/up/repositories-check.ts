/** The row `repositories` of `svc doctor`: those that can't be read, and apps whose newest version has no good signature where one is needed. */
import type { DoctorCheck } from '../../schema/gateway.ts';
import type { Offers } from '../../schema/shop-view.ts';
import { someNames } from '../../schema/texts/names.ts';

export function repositoriesCheck(count: number, { apps, problem }: Offers): DoctorCheck {
  const name = 'repositories';
  if (count === 0) {
    const detail = { pt: 'o documento Portal não nomeia nenhum', en: 'the Portal document names none' };
    return { name, ok: true, warning: false, detail, fix: null };
  }
  if (problem !== null) {
    const fix = {
      pt: 'corrija o que a mensagem diz: o repositório, ou repository no documento Portal',
      en: 'mend what it says: the repository, or repository in the Portal document',
    };
    return { name, ok: false, warning: true, detail: { pt: problem, en: problem }, fix };
  }
  const refused = apps.filter(({ versions }) => versions[0]?.signature !== undefined && 'refused' in versions[0].signature);
  if (refused.length > 0) {
    const names = someNames(refused.map(({ id, versions }) => `${id} ${versions[0]?.version ?? ''}`));
    const detail = { pt: `sem assinatura válida: ${names.pt}`, en: `without a good signature: ${names.en}` };
    const fix = {
      pt: 'avise quem publica: svc-app-publish --key assina a mesma versão; ou corrija chave no documento Portal',
      en: 'ask the publisher: svc-app-publish --key signs the same version; or correct chave in the Portal document',
    };
    return { name, ok: false, warning: true, detail, fix };
  }
  const detail = { pt: `${count} lidos, ${apps.length} aplicativos`, en: `${count} read, ${apps.length} apps` };
  return { name, ok: true, warning: false, detail, fix: null };
}

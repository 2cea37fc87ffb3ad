/** Why an app runs without limits. The launcher writes the English sentence (`limits.json`, the lines of the supervisor); pages show it in both. */
import type { TextLanguage, Words } from './reasons.ts';
import { createReader } from './sentences.ts';

export const containmentSentences = {
  noSystemdRun: { pt: 'o systemd-run não está instalado neste servidor', en: 'systemd-run is not installed on this server' },
  noSystemd: { pt: 'systemd não roda neste servidor', en: 'systemd does not run on this server' },
  noManager: {
    pt: 'nenhum gerenciador de serviços está em execução para esta conta (falta {socket}); loginctl enable-linger CONTA o inicia',
    en: 'no service manager runs for this account ({socket} is missing); loginctl enable-linger ACCOUNT starts it',
  },
  silentManager: {
    pt: 'o gerenciador de serviços desta conta não responde ({code})',
    en: 'the service manager of this account does not answer ({code})',
  },
  noDelegation: {
    pt: 'o gerenciador de serviços desta conta não pode limitar {missing} (os cgroups não são delegados)',
    en: 'the service manager of this account may not limit {missing} (no cgroup delegation)',
  },
  noCpu: {
    pt: 'o gerenciador de serviços desta conta não pode limitar o processador (cgroup cpu não delegado): cpuQuota não vale',
    en: 'the service manager of this account may not limit the processor (cgroup cpu is not delegated): cpuQuota does not hold',
  },
  noSlice: {
    pt: 'o limite de todos os aplicativos desta pessoa juntos não vale: {said}',
    en: 'the ceiling of all apps of this person together does not hold: {said}',
  },
  lostManager: {
    pt: 'o gerenciador de serviços desta conta terminou e levou o aplicativo junto: ele roda de novo, sem limites até o próximo início (com loginctl enable-linger CONTA o gerenciador continua; o systemd 255 precisa de atualização)',
    en: 'the service manager of this account ended and took the app with it: it runs again, without limits until its next start (loginctl enable-linger ACCOUNT lets it last; systemd 255 needs an update)',
  },
  damagedRecord: { pt: 'o limits.json está danificado', en: 'limits.json is damaged' },
} as const satisfies Readonly<Record<string, Words>>;

const inPortuguese = createReader(Object.values(containmentSentences), 'en', 'pt');

/** A sentence of its own: with a capital and a full stop. */
export function containmentText(reason: string, language: TextLanguage): string {
  const said = language === 'en' ? reason : inPortuguese(reason);
  return said === '' ? '' : `${said.charAt(0).toUpperCase()}${said.slice(1)}.`;
}

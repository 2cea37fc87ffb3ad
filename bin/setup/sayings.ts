/** What `svc setup` says while it works. */
import type { TextLanguage } from '../../schema/texts/reasons.ts';

const pt = {
  writes: 'escreve',
  removes: 'retira',
  starts: 'o portal começa',
  restarts: 'o portal recomeça com o que só vale desde o começo; os aplicativos continuam',
  restartYourself: 'reinicie o portal; só valem desde o começo:',
  startYourself: 'aqui não há systemd; comece o portal você mesmo, como a conta svc:',
  startFront: 'aqui não há systemd; comece o proxy você mesmo:',
  silent: 'o portal não respondeu; veja:  journalctl -u svc',
  loopback: 'o sshd desta máquina aceita o portal a partir dela mesma',
  key: 'o root desta máquina aceita a chave do portal, a partir dela mesma',
  kit: 'instala o que os aplicativos precisam em',
  putKey: 'ponha esta linha em ~/.ssh/authorized_keys do root de',
  andThen: 'e depois:',
  apps: 'instala',
  appsSlow: 'os aplicativos ainda não estão prontos; svc get packages mostra como vão',
  wrong: 'falta resolver',
  fix: 'conserto',
  open: 'pronto:',
  openUnfinished: 'quando isso estiver feito:',
  link: 'quem administra entra a primeira vez por este link, que vale uma vez, por um dia:',
  nobody: 'ainda não há ninguém: svc setup --group GRUPO, ou --admin CONTA',
  same: 'nada muda',
  root: 'svc setup escreve em /etc: execute como root',
} as const;

export type Said = { readonly [Name in keyof typeof pt]: string };

export const said: Readonly<Record<TextLanguage, Said>> = {
  pt,
  en: {
    writes: 'writes',
    removes: 'removes',
    starts: 'the portal starts',
    restarts: 'the portal starts again with what is read at its start only; apps go on',
    restartYourself: 'start the portal again; it reads at its start only:',
    startYourself: 'there is no systemd here; start the portal yourself, as the account svc:',
    startFront: 'there is no systemd here; start the proxy yourself:',
    silent: 'the portal did not answer; see:  journalctl -u svc',
    loopback: 'sshd of this machine lets the portal in from the machine itself',
    key: 'root of this machine takes the key of the portal, from the machine itself',
    kit: 'puts what apps need on',
    putKey: 'put this line into ~/.ssh/authorized_keys of root on',
    andThen: 'and then:',
    apps: 'installs',
    appsSlow: 'the apps are not there yet; svc get packages shows how they get on',
    wrong: 'to be mended',
    fix: 'fix',
    open: 'ready:',
    openUnfinished: 'once that is done:',
    link: 'the administrator comes in the first time by this link, which works once, within a day:',
    nobody: 'nobody is there yet: svc setup --group GROUP, or --admin ACCOUNT',
    same: 'nothing changes',
    root: 'svc setup writes to /etc: run it as root',
  },
};

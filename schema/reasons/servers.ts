/** Reasons of what can not be seen, and of servers and accounts. */
import { writePackage } from './fixes.ts';
import type { Rows } from './row.ts';

export const unknown = {
  ServerUnreachable: {
    words: { pt: 'Servidor fora de alcance', en: 'Server out of reach' },
    because: 'its server does not answer',
    fix: 'svc why Server/SERVER says why; apps there live on',
    waitsFor: 'the server',
    more: 'A `failed` Server takes no new connection ([0351](decisions/0351-the-door-of-a-server.md))',
    as: {
      Server: {
        because: 'it does not answer',
        fix: 'svc doctor --server SERVER says at which step it fails, and what mends it; apps there live on',
        waitsFor: 'the server',
      },
    },
  },
  HostKeyChanged: {
    words: { pt: 'O servidor mostra outra chave de host', en: 'The server shows another host key' },
    because: 'its server shows another host key than the one that its document pins',
    fix: 'on the console of SERVER: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub; if that is what svc server trust SERVER FOLDER shows, write it as hostKey into Server/SERVER; if it is not, another machine answers in its place',
    waitsFor: 'the right key',
    more: 'Nothing was sent',
  },
  KeyRefused: {
    words: { pt: 'O servidor não deixa o portal entrar', en: 'The server does not let the portal in' },
    because: 'its server does not let the portal in',
    fix: 'svc doctor --server SERVER says which line goes where',
    waitsFor: 'the server to let the key in',
    more: 'The first contact, sshd_config or `/etc/nologin`; `svc why` names the line, setting or file',
  },
  KeyUnreadable: {
    words: { pt: 'O portal não consegue ler a própria chave', en: 'The portal can’t read its own key' },
    because: "the portal can't read the key by which it signs in at the server",
    fix: 'mend what the message names on the machine of the portal',
    waitsFor: 'the key',
  },
  AdminRefused: {
    words: { pt: 'A conta de administração não vira root no servidor', en: 'The administrator’s account does not become root there' },
    because: "the administrator's account does not become root on its server",
    fix: 'svc doctor --server SERVER has the line that lets it',
    waitsFor: 'sudo to let it',
    more: '`Server.spec.ssh.admin` is not root, and `sudo` is missing or asks for a password',
  },
  KitMissing: {
    words: { pt: 'Falta o kit no servidor', en: 'The server kit is missing' },
    because: 'the server kit is not there whole',
    fix: 'svc server add SERVER',
    waitsFor: 'the kit',
    more: 'Or it is older than the portal. The controller often does it itself',
  },
  ClockOff: {
    words: { pt: 'Os relógios do servidor e do portal diferem', en: 'The clocks of server and portal differ' },
    because: 'its clock and that of the portal differ',
    fix: 'date -u on both says which is wrong; there: timedatectl set-ntp true',
    more: 'By more than five seconds',
  },
  SupervisorStarting: {
    words: { pt: 'Supervisor iniciando', en: 'Supervisor starting' },
    because: 'the supervisor of its person is being started',
    waitsFor: 'the supervisor',
  },
  SupervisorLost: {
    words: { pt: 'Supervisor perdido', en: 'Supervisor lost' },
    because: 'the supervisor of its person ended',
    fix: 'the end of ~/.svc-apps/supervisor.log of the account says how; svc doctor --server SERVER, whether the way there is open',
    waitsFor: 'the supervisor to come back',
    stopped: 'it ended while no supervisor watched',
  },
  SupervisorFailed: {
    words: { pt: 'O supervisor não inicia', en: 'The supervisor does not start' },
    because: 'the supervisor of its person does not start',
    fix: 'read ~/.svc-apps/supervisor.log of the account on the server',
    waitsFor: 'the next attempt',
  },
  ShellRefused: {
    words: { pt: 'O shell da conta no servidor não deixa ninguém entrar', en: 'The shell of the account on the server lets nobody in' },
    because: 'the shell of the account lets nobody in',
    fix: 'give the account a shell: usermod -s /bin/bash ACCOUNT on the server',
    waitsFor: 'the next attempt',
    more: '`nologin`, `false`, or one that is not on the server',
  },
  LoginShell: {
    words: { pt: 'O shell de login da conta atrapalha os comandos', en: 'The login shell of the account is in the way of commands' },
    because: 'the login shell of the account is in the way of commands',
    fix: 'mend ~/.bashrc of the account as the message says',
    waitsFor: 'the next attempt',
    more: 'It prints, reads, waits or ends',
  },
  HomeMissing: {
    words: { pt: 'A pasta pessoal da conta não existe no servidor', en: 'The home of the account is not on the server' },
    because: 'the home of the account does not exist',
    fix: 'make it, owned by the account, on the server',
    waitsFor: 'the next attempt',
    more: '`pam_mkhomedir` makes homes at a login only',
  },
  AccountMissing: {
    words: { pt: 'A conta não existe no servidor', en: 'The account is not on the server' },
    because: 'the server has no account of that name',
    fix: 'make the account on SERVER, or correct account in the Person document',
    waitsFor: 'the account',
    more: '`useradd --create-home ACCOUNT` makes it',
  },
  FilesUnreadable: {
    words: { pt: 'Os arquivos dele não podem ser lidos', en: 'Its files can’t be read' },
    because: "its files on the server can't be read",
    fix: 'mend what the message names (mode, owner, disk, network home); everything comes back by itself',
    waitsFor: 'its files to be readable',
    more: 'Nothing is started or stopped for it meanwhile',
    retry: 'waiting',
  },
  LingerBroken: {
    words: { pt: 'A sessão do servidor não permanece', en: 'The server ends the session' },
    because: 'the user manager of the account is not there',
    fix: 'as root on the server: loginctl enable-linger ACCOUNT',
    more: 'It ends with the last login of the account, or has no limits',
    as: {
      Server: { because: 'service managers of accounts are not there', fix: 'svc doctor --server SERVER has the line for each account' },
    },
  },
  CeilingIgnored: {
    words: { pt: 'Um limite não vale', en: 'A ceiling does not hold' },
    because: 'a ceiling of the administrator does not hold',
    fix: 'svc describe says which and why, in the condition Contained',
    more: 'It needs a delegated cgroup, or a drop-in of the unit',
  },
  NotObservedYet: {
    words: { pt: 'Ainda não observado', en: 'Not observed yet' },
    because: 'it was not observed yet',
    waitsFor: 'the first observation',
  },
  NotInstalled: {
    words: { pt: 'Não instalado', en: 'Not installed' },
    because: 'it is not installed there',
    fix: writePackage,
    stopped: 'its package is not installed',
    retry: 'terminal',
    as: { Server: { because: 'the server kit is not there', fix: 'svc server add SERVER', waitsFor: 'the kit' } },
  },
} as const satisfies Rows;

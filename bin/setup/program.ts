/** The command `svc setup` as a part of the program: what can be answered by an option. */
import { Option, type Command } from 'commander';
import { collect } from '../common-options.ts';

export function addSetup(program: Command): void {
  program
    .command('setup')
    .description(
      'make a site of this machine, or change it: address, HTTPS, sign-in, servers, people, apps; asks on a terminal what is not said',
    )
    .option('--url <url>', 'address under which browsers reach the site')
    .addOption(new Option('--front <front>', 'what speaks HTTPS before the portal').choices(['caddy', 'nginx', 'none']))
    .option('--certificate <file>', 'certificate for the name and all below it, instead of those that Caddy gets')
    .option('--key <file>', 'key of the certificate')
    .option('--acme <url>', "directory of another authority than Caddy's own choice, or: internal")
    .option('--acme-root <file>', 'root certificate of that authority')
    .option('--email <address>', 'address that the authority writes to')
    .option('--sign-in <way>', 'ssh or oidc; may be given again', collect)
    .option('--oidc-issuer <url>', 'address of the provider')
    .option('--oidc-client-id <id>', 'id that the provider gave the portal')
    .option('--oidc-secret-file <file>', 'file with the secret that the provider gave')
    .option('--admin <account>', 'account that administrates, ana or ana@SERVER; may be given again', collect)
    .option('--here', 'apps run on this machine, as its accounts')
    .option('--server <name=host>', 'server to run apps on, NAME=HOST:PORT; may be given again', collect)
    .option('--host-key <name=key>', 'fingerprint of its host key, NAME=SHA256:…; may be given again', collect)
    .option('--group <group>', 'group of accounts that comes in, GROUP or GROUP@SERVER; may be given again', collect)
    .option('--person <account>', 'account that comes in alone; may be given again', collect)
    .option('--app <id>', 'app to install, ID or ID@SERVER; may be given again', collect)
    .option('--repository <dir|url>', 'where apps come from; the examples of svc unless said')
    .option('--listen <host:port>', 'where the portal listens')
    .option('--plan', 'show what would be written: exit 0 nothing, 2 changes')
    .option('--print', 'print the configuration of the front, and write nothing')
    .option('--yes', 'ask nothing')
    .option('--json', 'each step as a line of JSON')
    .option('--dir <dir>', 'folder of desired-state YAML', '/etc/svc-portal')
    .addOption(new Option('--state <dir>', 'folder of the portal').env('SVC_STATE').default('/var/lib/svc/state'))
    .action(async (options) => {
      process.exitCode = await (await import('../commands/setup.ts')).runSetup(options);
    });
}

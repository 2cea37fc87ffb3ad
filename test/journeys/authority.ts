/** An authority for certificates on a machine of a street (pebble, which tests only), and a name server that has one address for every name. */
import { openStreet, type Machine } from './machines.ts';
import { until } from './until.ts';

type Street = Awaited<ReturnType<typeof openStreet>>;

export interface Authority {
  /** Address of ACME. */
  readonly directory: string;
  /** Address of its name server. */
  readonly address: string;
  /** The certificate that its own HTTPS is checked by. */
  readonly ownRoot: string;
  /** The root of what it gives. */
  root(): Promise<string>;
}

/** `names`: the address of the machine that every name leads to. */
export async function openAuthority(street: Street, names: string): Promise<Authority> {
  const machine: Machine = await street.machine();
  const { address } = machine;
  await machine.sh(`mkdir /tmp/a && cd /tmp/a
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=authority -addext "subjectAltName=IP:${address}" -keyout key.pem -out cert.pem 2>/dev/null
cat >config.json <<'END'
{ "pebble": { "listenAddress": "${address}:14000", "managementListenAddress": "${address}:15000", "certificate": "/tmp/a/cert.pem",
  "privateKey": "/tmp/a/key.pem", "httpPort": 80, "tlsPort": 443, "ocspResponderURL": "", "externalAccountBindingRequired": false } }
END`);
  const words = ['-defaultIPv4', names, '-defaultIPv6', '', '-dns01', `${address}:53`, '-http01', '', '-https01', '', '-tlsalpn01', ''];
  machine.start(['pebble-challtestsrv', ...words, '-management', '127.0.0.1:8055']);
  const pebble = machine.start([
    'env',
    'PEBBLE_VA_NOSLEEP=1',
    'PEBBLE_WFE_NONCEREJECT=0',
    'pebble',
    '-config',
    '/tmp/a/config.json',
    '-dnsserver',
    `${address}:53`,
  ]);
  let said = '';
  for (const stream of [pebble.stdout, pebble.stderr]) stream?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const directory = `https://${address}:14000/dir`;
  await until('the authority', async () => {
    if (pebble.exitCode !== null) throw new Error(`pebble ended with ${pebble.exitCode}: ${said}`);
    const { code } = await machine.run(['curl', '-sSk', '-o', '/dev/null', directory], { codes: [0, 7] });
    return code === 0;
  });
  return {
    directory,
    address,
    ownRoot: (await machine.run(['cat', '/tmp/a/cert.pem'])).out,
    root: async () => (await machine.run(['curl', '-sSk', `https://${address}:15000/roots/0`])).out,
  };
}

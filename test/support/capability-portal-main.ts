/** A portal process for api/capabilities/memory.real.test.ts: the provider is a process of its own, on the given socket. */
import path from 'node:path';
import { realClock } from '../../api/proxy/testing/harness.ts';
import { createPortalWorld } from '../../api/testing/portal-world.ts';

const capability = 'dicionario/v1';
const manifests = {
  leitor: { requires: [capability] },
  dicionario: { provides: [capability], capacidades: { [capability]: { rota: '/api/dic' } } },
};
const portal = await createPortalWorld({ apps: Object.keys(manifests), manifests, clock: realClock });
portal.world.backend('ana', 'dicionario').become('running', 'Healthy', { ready: true });
const ana = await portal.signedIn('ana');
const consent = { de: 'leitor', para: 'dicionario', capacidade: capability, resposta: 'sim', duracao: 'sempre' };
const { status } = await ana.call('PUT', '/api/consentimentos', consent);
if (status !== 200) throw new Error(`the consent was answered ${status}`);
const headers = { host: portal.host, origin: portal.url, cookie: ana.cookies.get(portal.host), 'x-svc-app': 'leitor' };
process.stdout.write(`${JSON.stringify({ port: portal.port, headers, socket: path.join(portal.dir, 'ana-dicionario.sock') })}\n`);
process.on('SIGTERM', () => void portal.close().then(() => process.exit(0)));

/**
 * The certificate that browsers are shown at the public address of the portal, seen from this machine: by whom it is trusted, and until when. Asked
 * for by the doctor, and now and then for `/metrics`.
 */
import { connect, getCACertificates } from 'node:tls';
import type { Clock } from '../../schema/clock.ts';
import type { DoctorCheck } from '../../schema/gateway.ts';
import type { Site } from '../http/hosts.ts';
import { limits } from '../limits.ts';

export interface FrontCertificate {
  /** ms since 1970. */
  readonly endsAtMs: number;
  /** Why this machine does not trust it; null: it does. */
  readonly distrust: string | null;
}

export interface CertificateWatch {
  /** Rejects when nothing speaks TLS there. */
  readonly look: () => Promise<FrontCertificate>;
  /** When it ends, as it was seen last, in ms; null: not seen yet, or not over https. Looks again when that is long ago. */
  readonly endsAtMs: () => number | null;
}

export function createCertificateWatch({ scheme, hostname, host }: Site, clock: Clock): CertificateWatch {
  let last: FrontCertificate | null = null;
  let lookedAtMs = -Infinity;
  const look = async (): Promise<FrontCertificate> => {
    lookedAtMs = clock.nowMs();
    return (last = await certificateAt(hostname, Number(host.slice(hostname.length + 1) || 443)));
  };
  return {
    look,
    endsAtMs: () => {
      if (scheme === 'https' && clock.nowMs() - lookedAtMs > limits.certificateLookMs) look().catch(() => undefined);
      return last?.endsAtMs ?? null;
    },
  };
}

/** Nothing is asked or sent by it, so it may be one that is not trusted. */
function certificateAt(hostname: string, port: number): Promise<FrontCertificate> {
  return new Promise((resolve, reject) => {
    // The authorities that browsers of this machine trust: one of the house is in the store of the system.
    const ca = [...getCACertificates('default'), ...getCACertificates('system')];
    const socket = connect({ host: hostname, port, servername: hostname, ca, rejectUnauthorized: false, timeout: limits.certificateMsMax });
    socket.once('secureConnect', () => {
      const { valid_to: end } = socket.getPeerCertificate();
      const { authorized, authorizationError } = socket;
      socket.destroy();
      if (end) resolve({ endsAtMs: Date.parse(end), distrust: authorized ? null : String(authorizationError) });
      else reject(new Error('it shows no certificate'));
    });
    socket.once('timeout', () => socket.destroy(new Error(`no answer within ${limits.certificateMsMax / 1_000} s`)));
    socket.once('error', reject);
  });
}

const dayMs = 86_400_000;

export async function checkCertificate(site: Site, watch: CertificateWatch, clock: Clock): Promise<Omit<DoctorCheck, 'name'>> {
  try {
    const { endsAtMs, distrust } = await watch.look();
    const days = Math.floor((endsAtMs - clock.nowMs()) / dayMs);
    const until = new Date(endsAtMs).toISOString().slice(0, 10);
    const detail = { pt: `vale até ${until}`, en: `good until ${until}` };
    if (days < limits.certificateDaysLow)
      return {
        ok: false,
        warning: days >= limits.certificateDaysEnd,
        detail: days < 0 ? { pt: `acabou em ${until}`, en: `ended on ${until}` } : detail,
        fix: {
          pt: 'veja por que o proxy na frente não o renovou: seu log, ou quem o renova',
          en: 'see why the proxy in front did not renew it: its log, or what renews it',
        },
      };
    if (distrust !== null)
      return {
        ok: false,
        warning: true,
        detail: {
          pt: `${detail.pt}; esta máquina não confia nele (${distrust})`,
          en: `${detail.en}; this machine does not trust it (${distrust})`,
        },
        fix: {
          pt: 'certo se a autoridade é da casa e os navegadores a conhecem (aqui: update-ca-certificates); senão, use um certificado de uma autoridade pública',
          en: 'right if the authority is your own and browsers know it (here: update-ca-certificates); else take a certificate of a public authority',
        },
      };
    return { ok: true, warning: false, detail, fix: null };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return {
      ok: false,
      warning: true,
      detail: {
        pt: `${site.origin} não fala TLS com esta máquina: ${message}`,
        en: `${site.origin} speaks no TLS with this machine: ${message}`,
      },
      fix: {
        pt: 'comece o proxy na frente (svc setup --front caddy escreve um); se ele roda, journalctl -u caddy (ou nginx) diz por que não tem certificado; se é alcançado só de fora, olhe de lá',
        en: 'start the proxy in front (svc setup --front caddy writes one); if it runs, journalctl -u caddy (or nginx) says why it has no certificate; where only others reach it, look from there',
      },
    };
  }
}

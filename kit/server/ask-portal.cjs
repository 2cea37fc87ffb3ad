// Whether the portal answers at a URL, asked as a backend of this server would. Run as the administrator, with the kit's own Node:
//   node - URL        in base64url. Prints one word: ok, or why not.
'use strict';
const url = new URL('/api/salas', Buffer.from(process.argv.at(-1), 'base64url').toString());
const tell = (word) =>
  process.stdout.write(
    `${String(word)
      .replaceAll(/[^A-Za-z0-9_-]/g, '-')
      .slice(0, 60)}\n`,
  );
async function ask() {
  try {
    const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(5_000) });
    const { code } = await answer.json().catch(() => ({}));
    // Nobody is signed in here; only a portal says so in these words.
    return answer.status === 401 && code === 'UNAUTHENTICATED' ? 'ok' : (code ?? `HTTP-${answer.status}`);
  } catch (error) {
    return error.name === 'TimeoutError' ? 'TIMEOUT' : (error.cause?.code ?? error.cause?.message ?? error.name);
  }
}

ask().then(tell, tell);

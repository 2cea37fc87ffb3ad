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
fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(5_000) })
  .then(async (answer) => {
    const { code } = await answer.json().catch(() => ({}));
    // Nobody is signed in here; only a portal says so in these words.
    tell(answer.status === 401 && code === 'UNAUTHENTICATED' ? 'ok' : (code ?? `HTTP-${answer.status}`));
  })
  .catch((error) => tell(error.name === 'TimeoutError' ? 'TIMEOUT' : (error.cause?.code ?? error.cause?.message ?? error.name)));

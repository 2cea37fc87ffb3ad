// A program of Node's own HTTP server, which tells at /vistos each whole request that it was asked, as it understood it. Argument: the path to listen on.
import { createServer } from 'node:http';

const seen = [];
/** Headers of the connection, its framing and the token, and names that look like theirs: svc-wrap writes them anew, or takes them away. */
const rewritten = /^(?:connection|keepalive|contentlength|transferencoding|xsvcapptoken|te|trailer|upgrade|expect)$/i;

const server = createServer((req, res) => {
  let body = '';
  req.on('error', () => {});
  req.setEncoding('latin1').on('data', (part) => (body += part));
  req.on('end', () => {
    if (req.url === '/vistos') return res.end(JSON.stringify(seen));
    const { method, url, rawHeaders } = req;
    const lines = rawHeaders.flatMap((name, at) =>
      at % 2 === 0 && !rewritten.test(name.replaceAll(/[^a-z]/gi, '')) ? [`${name}: ${rawHeaders[at + 1]}`] : [],
    );
    seen.push(JSON.stringify([method, url, lines, body]));
    return res.end('ok');
  });
});
// A request before the bytes that are none is a request: it has its turn before the end of the connection.
server.on('clientError', (_error, socket) => setTimeout(() => socket.destroy(), 20));
server.listen(process.argv[2], () => console.log('escuto'));

/** The 40-line peer: node:http in, node:http out over a keep-alive agent on a unix socket, `pipe` both ways. argv: port, socket. */
import http from 'node:http';
import net from 'node:net';

const [port, socketPath] = process.argv.slice(2);
const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });
const server = http.createServer((req, res) => {
  const upstream = http.request(
    { agent, socketPath: socketPath!, method: req.method!, path: req.url!, headers: { ...req.headers, 'x-svc-app-token': 'token' } },
    (answer) => {
      res.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(res);
    },
  );
  upstream.on('error', () => {
    if (!res.headersSent) res.writeHead(502);
    res.end();
  });
  res.on('close', () => upstream.destroy());
  req.pipe(upstream);
});
server.on('upgrade', (req, socket, head) => {
  const upstream = net.connect({ path: socketPath! }, () => {
    let lines = `${req.method} ${req.url} HTTP/1.1\r\nX-Svc-App-Token: token\r\n`;
    for (let i = 0; i < req.rawHeaders.length; i += 2) lines += `${req.rawHeaders[i]}: ${req.rawHeaders[i + 1]}\r\n`;
    upstream.write(`${lines}\r\n`);
    upstream.write(head);
    upstream.pipe(socket);
    socket.pipe(upstream);
  });
  upstream.on('error', () => socket.destroy());
  socket.on('error', () => upstream.destroy());
});
server.listen(Number(port), '127.0.0.1', () => console.log('ready'));

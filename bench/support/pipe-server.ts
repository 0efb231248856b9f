/** The baseline: a bare Node TCP pipe, nothing but `a.pipe(b)`. Usage: pipe-server.ts <host> <port>; prints its port. */
import net from 'node:net';

const [host, port] = process.argv.slice(2);
const server = net.createServer({ noDelay: true }, (client) => {
  const upstream = net.connect({ host: String(host), port: Number(port), noDelay: true });
  client.pipe(upstream).pipe(client);
  client.on('error', () => upstream.destroy());
  upstream.on('error', () => client.destroy());
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.stdout.write(`port ${address.port}\n`);
});

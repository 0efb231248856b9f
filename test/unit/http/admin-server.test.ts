import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { AdminServer, type Readiness } from '../../../src/http/admin-server.js';

let open: AdminServer[] = [];
afterEach(async () => {
  await Promise.all(open.map((server) => server.close()));
  open = [];
});

async function started(readiness: () => Readiness = () => ({ isReady: true, details: {} })) {
  const server = new AdminServer({
    host: '127.0.0.1',
    port: 0,
    readiness,
    metrics: () => Promise.resolve({ contentType: 'text/plain; version=0.0.4', body: 'x 1\n' }),
  });
  open.push(server);
  const { port } = await server.listen();
  return { server, port, url: `http://127.0.0.1:${port}` };
}

describe('AdminServer', () => {
  it('answers the three routes', async () => {
    const { url } = await started();
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const metrics = await fetch(`${url}/metrics?x=1`);
    expect(metrics.headers.get('content-type')).toBe('text/plain; version=0.0.4');
    expect(await metrics.text()).toBe('x 1\n');
    const ready = await fetch(`${url}/readyz`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toEqual({ ready: true });
  });

  it('says 503 with the reason when it is not ready', async () => {
    const { url } = await started(() => ({ isReady: false, details: { state: 'draining' } }));
    const answer = await fetch(`${url}/readyz`);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toEqual({ ready: false, state: 'draining' });
  });

  it('refuses other paths and other methods', async () => {
    const { url } = await started();
    expect((await fetch(`${url}/`)).status).toBe(404);
    const post = await fetch(`${url}/metrics`, { method: 'POST', body: 'x' });
    expect(post.status).toBe(405);
    expect(post.headers.get('allow')).toBe('GET, HEAD');
    const head = await fetch(`${url}/healthz`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('turns a failure inside into a 500 and lives on', async () => {
    const { url } = await started(() => {
      throw new Error('inside');
    });
    const answer = await fetch(`${url}/readyz`);
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain('inside');
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  it('says which address is taken and what to do', async () => {
    const { port } = await started();
    const second = new AdminServer({
      host: '127.0.0.1',
      port,
      readiness: () => ({ isReady: true, details: {} }),
      metrics: () => Promise.resolve({ contentType: '', body: '' }),
    });
    await expect(second.listen()).rejects.toMatchObject({
      code: 'LISTEN_FAILED',
      message: expect.stringContaining(`127.0.0.1:${port} is in use`),
    });
  });

  it('outlives bytes that are no HTTP, and closes with a client still connected', async () => {
    const { server, port, url } = await started();
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.write(Buffer.from([0, 1, 2, 3, 13, 10, 13, 10]));
    socket.resume();
    await closed;
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const idle = connect(port, '127.0.0.1');
    await new Promise((resolve) => idle.once('connect', resolve));
    const idleClosed = new Promise((resolve) => idle.on('close', resolve));
    idle.on('error', () => undefined).resume();
    await server.close();
    await idleClosed;
  });
});

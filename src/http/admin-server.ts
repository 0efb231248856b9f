/**
 * /healthz, /readyz and /metrics on an address of their own. Plain node:http: three GET routes need no framework
 * (docs/adr/0002-node-http-for-admin.md). Every request is answered from memory and bounded in time and size.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TwiceshyError } from '../core/errors.js';
import { limits } from '../core/limits.js';

export interface Readiness {
  /** True: new clients are welcome. */
  readonly isReady: boolean;
  /** Facts beside it, such as listeners and whether the store takes writes. */
  readonly details: Readonly<Record<string, unknown>>;
}

export interface AdminOptions {
  readonly host: string;
  readonly port: number;
  readiness(): Readiness;
  metrics(): Promise<{ readonly contentType: string; readonly body: string }>;
}

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export class AdminServer {
  private readonly server: Server;
  private readonly options: AdminOptions;

  constructor(options: AdminOptions) {
    this.options = options;
    this.server = createServer(
      { maxHeaderSize: 8 * 1024, requestTimeout: limits.adminRequestTimeoutMs, keepAliveTimeout: 5_000 },
      (request, response) => void this.respond(request, response),
    );
    this.server.maxConnections = limits.maxAdminConnections;
  }

  /** Resolves with the bound address; rejects with `LISTEN_FAILED`. */
  listen(): Promise<{ host: string; port: number }> {
    const { host, port } = this.options;
    return new Promise((resolve, reject) => {
      this.server.once('error', (cause: NodeJS.ErrnoException) => {
        reject(new TwiceshyError('LISTEN_FAILED', listenSentence(host, port, cause.code), { cause }));
      });
      this.server.listen(port, host, () => {
        this.server.removeAllListeners('error');
        this.server.on('error', () => undefined);
        const bound = this.server.address() as AddressInfo;
        resolve({ host: bound.address, port: bound.port });
      });
    });
  }

  /** Ends open requests too: none of them is worth waiting for. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume();
    let answer: Answer;
    try {
      answer = await this.answer(request);
    } catch {
      answer = { status: 500, contentType: 'text/plain', body: 'internal error\n' };
    }
    response.writeHead(answer.status, {
      'content-type': answer.contentType,
      'content-length': Buffer.byteLength(answer.body),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...answer.headers,
    });
    response.end(request.method === 'HEAD' ? undefined : answer.body);
  }

  private async answer(request: IncomingMessage): Promise<Answer> {
    const path = (request.url ?? '').split('?', 1)[0];
    if (path !== '/healthz' && path !== '/readyz' && path !== '/metrics') {
      return { status: 404, contentType: 'text/plain', body: 'not found; see /healthz, /readyz, /metrics\n' };
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const headers = { allow: 'GET, HEAD' };
      return { status: 405, contentType: 'text/plain', body: 'only GET and HEAD\n', headers };
    }
    if (path === '/healthz') return { status: 200, contentType: 'text/plain', body: 'ok\n' };
    if (path === '/metrics') return { status: 200, ...(await this.options.metrics()) };
    const { isReady, details } = this.options.readiness();
    const body = `${JSON.stringify({ ready: isReady, ...details })}\n`;
    return { status: isReady ? 200 : 503, contentType: 'application/json', body };
  }
}

function listenSentence(host: string, port: number, code: string | undefined): string {
  const where = `${host}:${port}`;
  if (code === 'EADDRINUSE') {
    return `The admin address ${where} is in use. Name another one (admin.listen, --admin), or set admin.listen: false.`;
  }
  return `Cannot listen on the admin address ${where}: ${code ?? 'unknown reason'}.`;
}

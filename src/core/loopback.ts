/** True for a host that never leaves this machine: decides what may go without TLS. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/i.test(host);
}

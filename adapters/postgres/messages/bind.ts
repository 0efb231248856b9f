/** Bind (docs 55.7, 'B'): destination portal, source statement; parameters are not looked at. */
import { cstringEnd } from './cstring.js';

export interface BindMessage {
  readonly portal: string;
  readonly statement: string;
}

/** Null when the two names do not end within the body. */
export function decodeBind(bytes: Buffer, start: number, end: number): BindMessage | null {
  const portalEnd = cstringEnd(bytes, start, end);
  if (portalEnd < 0) return null;
  const statementEnd = cstringEnd(bytes, portalEnd + 1, end);
  if (statementEnd < 0) return null;
  return {
    portal: portalEnd === start ? '' : bytes.toString('latin1', start, portalEnd),
    statement: statementEnd === portalEnd + 1 ? '' : bytes.toString('latin1', portalEnd + 1, statementEnd),
  };
}

/** Message type bytes (docs 55.7 "Message Formats"), by sender. */
export const clientMessage = {
  bind: 0x42, // B
  close: 0x43, // C
  copyData: 0x64, // d
  copyDone: 0x63, // c
  copyFail: 0x66, // f
  describe: 0x44, // D
  execute: 0x45, // E
  flush: 0x48, // H
  functionCall: 0x46, // F
  parse: 0x50, // P
  password: 0x70, // p: also SASLInitialResponse, SASLResponse, GSSResponse
  query: 0x51, // Q
  sync: 0x53, // S
  terminate: 0x58, // X
} as const;

export const serverMessage = {
  authentication: 0x52, // R
  backendKeyData: 0x4b, // K
  bindComplete: 0x32, // 2
  closeComplete: 0x33, // 3
  commandComplete: 0x43, // C
  copyBothResponse: 0x57, // W
  copyInResponse: 0x47, // G
  copyOutResponse: 0x48, // H
  emptyQueryResponse: 0x49, // I
  errorResponse: 0x45, // E
  functionCallResponse: 0x56, // V
  negotiateProtocolVersion: 0x76, // v
  noData: 0x6e, // n
  parameterDescription: 0x74, // t
  parameterStatus: 0x53, // S
  parseComplete: 0x31, // 1
  portalSuspended: 0x73, // s
  readyForQuery: 0x5a, // Z
  rowDescription: 0x54, // T
} as const;

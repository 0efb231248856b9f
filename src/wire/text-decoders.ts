/** Byte encodings of statement and error text, by WHATWG label. Never throws: what does not fit is replaced. */

export interface Decoder {
  decode(bytes: Buffer, start: number, end: number): string;
}

export const utf8Decoder: Decoder = {
  decode: (bytes, start, end) => bytes.toString('utf8', start, end),
};

/** Byte for byte: keeps ASCII right in every encoding that is not known better. */
export const byteDecoder: Decoder = {
  decode: (bytes, start, end) => bytes.toString('latin1', start, end),
};

/** 0x80 to 0x9F of windows-1252; the platform's own decoder reads them as control characters before Node 22. */
const windows1252Upper = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

export const windows1252Decoder: Decoder = {
  decode(bytes, start, end) {
    const text = bytes.toString('latin1', start, end);
    return text.replace(
      /[\x80-\x9f]/g,
      (character) => windows1252Upper[character.charCodeAt(0) - 0x80] ?? character,
    );
  },
};

const known = new Map<string, Decoder>();

/** A decoder this platform does not have is `byteDecoder`. */
export function decoderOf(label: string): Decoder {
  let decoder = known.get(label);
  if (decoder === undefined) {
    decoder = platformDecoder(label);
    known.set(label, decoder);
  }
  return decoder;
}

function platformDecoder(label: string): Decoder {
  try {
    const platform = new globalThis.TextDecoder(label);
    return { decode: (bytes, start, end) => platform.decode(bytes.subarray(start, end)) };
  } catch {
    return byteDecoder;
  }
}

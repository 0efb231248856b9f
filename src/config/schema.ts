/**
 * The keys of the configuration, what each must look like, and its default. Shape only: what needs a file, a URL or
 * another key to judge is in resolve.ts. docs/configuration.md and config.example.yaml name every key; tests hold
 * them to it.
 */
import * as z from 'zod';
import { limits } from '../core/limits.js';

/** A number, also as digits: an environment variable has no other way to say one. */
function numeric<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => (isDigits(value) ? Number(value) : value), schema);
}

function isDigits(value: unknown): value is string {
  return typeof value === 'string' && /^\d+(\.\d+)?$/.test(value);
}

const audience = z.enum(['agent', 'application']);
const text = z.string().min(1);
/** A bare port is a number to YAML. */
const address = z.preprocess((value) => (typeof value === 'number' ? String(value) : value), text);
const milliseconds = numeric(z.number().int().min(1).max(86_400_000));

const upstream = z.strictObject({
  url: text,
  password: text.optional(),
  passwordFile: text.optional(),
  tls: z
    .strictObject({
      mode: z.enum(['disable', 'allow', 'prefer', 'require', 'verify-full']).optional(),
      ca: text.optional(),
      cert: text.optional(),
      key: text.optional(),
      serverName: text.optional(),
    })
    .prefault({}),
});

const terminatedUser = z.strictObject({
  name: text,
  secret: text.optional(),
  secretFile: text.optional(),
  upstreamUser: text.optional(),
  upstreamPassword: text.optional(),
  upstreamPasswordFile: text.optional(),
});

const audienceRule = z.strictObject({ user: text.optional(), application: text.optional(), audience });

const listener = z.strictObject({
  name: text.optional(),
  listen: address,
  upstream: text.optional(),
  audience: audience.default('agent'),
  audiences: z.array(audienceRule).max(1_000).default([]),
  tls: z
    .union([
      z.strictObject({ cert: text, key: text, required: z.boolean().default(false) }),
      z.literal(false),
    ])
    .optional(),
  auth: z.enum(['relay', 'terminate']).default('relay'),
  users: z.array(terminatedUser).max(10_000).default([]),
  channelBinding: z.enum(['on', 'off']).default('on'),
  compression: z.enum(['clear', 'relay']).optional(),
  advertise: address.optional(),
  maxConnections: numeric(z.number().int().min(1).max(1_000_000)).default(limits.maxConnectionsPerListener),
  handshakeTimeoutMs: milliseconds.default(limits.handshakeTimeoutMs),
});

export const configSchema = z.strictObject({
  memory: z
    .strictObject({
      folder: text.default('.twiceshy'),
      fsync: z.enum(['always', 'interval', 'never']).default('interval'),
    })
    .prefault({}),
  admin: z
    .strictObject({ listen: z.union([address, z.literal(false)]).default('127.0.0.1:9477') })
    .prefault({}),
  log: z
    .strictObject({
      level: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace']).default('info'),
      format: z.enum(['json', 'text', 'auto']).default('auto'),
    })
    .prefault({}),
  upstreams: z.record(text, upstream),
  listeners: z.array(listener).min(1).max(1_000),
  recall: z
    .strictObject({
      enabled: z.boolean().default(true),
      holdback: numeric(z.number().min(0).max(1)).default(0),
      notesPerSession: numeric(z.number().int().min(1).max(1_000)).default(
        limits.maxNotesPerRecordPerSession,
      ),
    })
    .prefault({}),
  shutdown: z
    .strictObject({
      drainTimeoutMs: numeric(z.number().int().min(0).max(86_400_000)).default(limits.drainTimeoutMs),
    })
    .prefault({}),
});

/** Validated, not yet resolved. */
export type ConfigDocument = z.output<typeof configSchema>;
export type UpstreamDocument = z.output<typeof upstream>;
export type ListenerDocument = z.output<typeof listener>;

/** The keys allowed at a path, or null where it names no mapping of fixed keys (unknown path, free names, scalars). */
export function keysAt(path: readonly PropertyKey[]): readonly string[] | null {
  let schema: unknown = configSchema;
  for (const step of path) {
    schema = bare(schema);
    if (schema instanceof z.ZodObject) schema = schema.shape[String(step)];
    else if (schema instanceof z.ZodArray) schema = schema.element;
    else if (schema instanceof z.ZodRecord) schema = schema.valueType;
    else return null;
  }
  schema = bare(schema);
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : null;
}

/** Every key of the schema as a dotted path; `[]` stands for a list's item, `*` for a free name. */
export function allKeyPaths(schema: unknown = configSchema, prefix = ''): string[] {
  const inner = bare(schema);
  if (inner instanceof z.ZodArray) return allKeyPaths(inner.element, `${prefix}[]`);
  if (inner instanceof z.ZodRecord) return allKeyPaths(inner.valueType, `${prefix}.*`);
  if (!(inner instanceof z.ZodObject)) return [];
  return Object.entries(inner.shape).flatMap(([key, value]) => {
    const path = prefix === '' ? key : `${prefix}.${key}`;
    return [path, ...allKeyPaths(value, path)];
  });
}

function bare(schema: unknown): unknown {
  let inner = schema;
  while (
    inner instanceof z.ZodOptional ||
    inner instanceof z.ZodDefault ||
    inner instanceof z.ZodPrefault ||
    inner instanceof z.ZodPipe
  ) {
    inner = inner instanceof z.ZodPipe ? inner.out : inner.unwrap();
  }
  return inner;
}

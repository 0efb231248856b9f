/** The public API: what a program that embeds the proxy needs, and the vocabulary of what it remembers. */
export { type App, adapterFor, createApp, type StartedApp } from './app.js';
export type { Config } from './config/config.js';
export { type LoadOptions, loadConfigFile, loadConfigText } from './config/load.js';
export { type ErrorCode, TwiceshyError } from './core/errors.js';
export { type FailureClass, failureClasses } from './core/failure/failure-class.js';
export type { MemoryEvent, MemoryRecord, Store } from './core/memory/record.js';
export { type Note, notePrefix } from './core/notes/note.js';
export type { Audience, Backend, Engine, Scope } from './core/verdict.js';
export { createLog, type LogOptions } from './observe/log.js';

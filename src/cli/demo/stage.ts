/** What a demonstration needs of a database: the same for each, so that one script player does for all. */
import type { DemoScene } from './script.js';

/** What the client received, as a person would see it. */
export interface DemoAnswer {
  readonly isOk: boolean;
  /** The part of an error that the program shows to an agent; empty where the statement ran. */
  readonly errorText: string;
  readonly lines: readonly string[];
}

export interface DemoClient {
  /** Rejects where the connection fails, not where the server refuses the statement. */
  ask(sql: string): Promise<DemoAnswer>;
  end(): Promise<void>;
}

export interface DemoStage {
  /** The server, in words. */
  readonly server: string;
  /** Of the server itself, for the proxy. */
  readonly url: string;
  readonly scenes: readonly DemoScene[];
  /** A client of its own, through the proxy at this address. */
  connect(address: { readonly host: string; readonly port: number }): Promise<DemoClient>;
  /** Removes everything that was made. */
  close(): Promise<void>;
}

/** A field as a terminal shows it, line breaks indented. */
export function labelled(label: string, text: string): string[] {
  return text.split('\n').map((line, i) => `${(i === 0 ? label : '').padEnd(8)}${line}`);
}

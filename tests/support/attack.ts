import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "vitest";
import { startServer, type TestServer } from "./server";

/** What an attack cost the server. */
export interface Cost {
  /** Processor time of the main thread, in milliseconds. */
  used: number;
  /** The longest turn of its event loop, in milliseconds of processor time. */
  longest: number;
  /** Resident memory after it, beyond that before it, in MB. */
  grownMb: number;
}

/** What one request may cost the main thread: a page's rendering, and any other turn of the event loop. */
export const PAGE_MS = 200;
export const TURN_MS = 20;

const residentMb = (pid: number) =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;

/** A built server whose main thread is measured by its own clock (Linux). */
export class AttackedServer {
  /** Whether the clock counts from the end of the last attack. */
  #isRead = false;

  constructor(readonly server: TestServer) {}

  async #read(): Promise<{ used: number; longest: number }> {
    const offset = this.server.output.length;
    process.kill(this.server.pid, "SIGUSR2");
    const figures = () => /@turns (\{.*\})\n/.exec(this.server.output.slice(offset))?.[1];
    await expect.poll(figures, { interval: 5 }).toBeDefined();
    return JSON.parse(figures() ?? "") as { used: number; longest: number };
  }

  /** What the server spent while `attack` ran, since the cost before: nothing else asks it. */
  async cost(attack: () => Promise<unknown>): Promise<Cost> {
    if (!this.#isRead) await this.#read();
    this.#isRead = true;
    const before = residentMb(this.server.pid);
    await attack();
    const { used, longest } = await this.#read();
    return { used, longest, grownMb: residentMb(this.server.pid) - before };
  }
}

export async function startAttacked(env: Record<string, string> = {}): Promise<AttackedServer> {
  const probe = pathToFileURL(resolve("tests/support/turn-probe.mjs")).href;
  const server = await startServer({ env: { NODE_OPTIONS: `--import ${probe}`, TURN_PROBE: "1", ...env } });
  return new AttackedServer(server);
}

/** Whether the whole matrix is asked for (`npm run test:attack`), or its short form inside `npm test`. */
export const isWholeMatrix = process.env.ATTACK_MATRIX === "all";

/**
 * The part of the targets that meets the attack of this number: all in the whole matrix, a third in the short form, so
 * that three attacks in a row reach each target.
 */
export function targetsOf<Target>(targets: readonly Target[], attack: number): readonly Target[] {
  return isWholeMatrix ? targets : targets.filter((_, at) => (at + attack) % 3 === 0);
}

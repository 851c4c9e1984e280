import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "vitest";
import { startServer, type TestServer } from "./server";

export interface Cost {
  /** Processor time of the main thread, in ms. */
  used: number;
  /** Longest event-loop tick, in ms of processor time. */
  longest: number;
  /** Growth of resident memory, in MB. */
  grownMb: number;
}

/** Limits for the main thread: rendering a page, and other event-loop ticks. */
export const PAGE_MS = 200;
export const TURN_MS = 20;

const residentMb = (pid: number) =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;

export class AttackedServer {
  /** Whether counting begins at the last attack's end. */
  #isRead = false;

  constructor(readonly server: TestServer) {}

  async #read(): Promise<{ used: number; longest: number }> {
    const offset = this.server.output.length;
    process.kill(this.server.pid, "SIGUSR2");
    const figures = () => /@turns (\{.*\})\n/.exec(this.server.output.slice(offset))?.[1];
    await expect.poll(figures, { interval: 5 }).toBeDefined();
    return JSON.parse(figures() ?? "") as { used: number; longest: number };
  }

  /** Cost of `attack` alone. */
  async cost(attack: () => Promise<unknown>): Promise<Cost> {
    if (!this.#isRead) await this.#read();
    this.#isRead = true;
    const before = residentMb(this.server.pid);
    await attack();
    const { used, longest } = await this.#read();
    return { used, longest, grownMb: residentMb(this.server.pid) - before };
  }
}

/** An attack costs its time on each try; what else the console does meanwhile, such as compiling or collecting memory, doesn't. */
const TRIES = 3;

/**
 * Sends attacks and expects of each that it is no internal error and stays within its limits: first of all together, and
 * one by one only where that was too much.
 */
export async function expectCheap(
  attacked: AttackedServer,
  attacks: readonly { what: string; send: () => Promise<number>; from?: number }[],
  limitMs: number,
  limitMb = Number.POSITIVE_INFINITY,
): Promise<void> {
  const statuses: number[] = [];
  const isCheap = ({ used, grownMb }: Cost) => used < limitMs && grownMb < limitMb;
  const together = await attacked.cost(async () => {
    for (const { send } of attacks) statuses.push(await send());
  });
  for (const [at, { what, from = 200 }] of attacks.entries()) {
    expect(statuses[at], what).toBeGreaterThanOrEqual(from);
    expect(statuses[at], what).toBeLessThan(500);
  }
  if (isCheap(together)) return;
  for (const { what, send } of attacks) {
    let cost = await attacked.cost(send);
    for (let tries = 1; tries < TRIES && !isCheap(cost); tries++) cost = await attacked.cost(send);
    expect(cost.used, what).toBeLessThan(limitMs);
    expect(cost.grownMb, what).toBeLessThan(limitMb);
  }
}

/** Attacks that are measured together. */
const GROUP = 5;

export function inGroups<Target>(targets: readonly Target[]): Target[][] {
  return Array.from({ length: Math.ceil(targets.length / GROUP) }, (_, at) =>
    targets.slice(at * GROUP, (at + 1) * GROUP),
  );
}

export async function startAttacked(env: Record<string, string> = {}): Promise<AttackedServer> {
  const probe = pathToFileURL(resolve("tests/support/turn-probe.mjs")).href;
  const server = await startServer({ env: { NODE_OPTIONS: `--import ${probe}`, TURN_PROBE: "1", ...env } });
  return new AttackedServer(server);
}

/** The whole matrix (`npm run test:attack`), or the short form. */
export const isWholeMatrix = process.env.ATTACK_MATRIX === "all";

/** All targets in the whole matrix, else a sixth, so that six consecutive attacks cover all. */
export function targetsOf<Target>(targets: readonly Target[], attack: number): readonly Target[] {
  return isWholeMatrix ? targets : targets.filter((_, at) => (at + attack) % 6 === 0);
}

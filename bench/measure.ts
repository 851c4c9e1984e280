import { readFileSync } from "node:fs";

/** Kernel ticks per second on Linux. */
const TICKS = 100;

function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
}

function cpuSeconds(pid: number): number {
  // Fields 14 and 15 of proc(5)'s stat, counted after the parenthesized name.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

export interface Usage {
  idleMb: number;
  peakMb: number;
  cpuSeconds: number;
}

/** Memory and processor time of a process while work runs. */
export class UsageMonitor {
  readonly usage: Usage;
  readonly #pid: number;

  /** Usage of a process since its start. */
  static total(pid: number): Pick<Usage, "idleMb" | "cpuSeconds"> {
    return { idleMb: residentMb(pid), cpuSeconds: cpuSeconds(pid) };
  }

  constructor(pid: number) {
    this.#pid = pid;
    const now = residentMb(pid);
    this.usage = { idleMb: now, peakMb: now, cpuSeconds: 0 };
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    const before = cpuSeconds(this.#pid);
    const timer = setInterval(() => {
      this.usage.peakMb = Math.max(this.usage.peakMb, residentMb(this.#pid));
    }, 50);
    try {
      return await work();
    } finally {
      clearInterval(timer);
      this.usage.cpuSeconds += cpuSeconds(this.#pid) - before;
    }
  }
}

export const ms = (value: number) => `${value.toFixed(1)} ms`;

/** The value below which the share `q` (0 to 1) of the values lies; NaN without values. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

export const median = (values: readonly number[]) => quantile(values, 0.5);

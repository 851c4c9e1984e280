import { readFileSync } from "node:fs";

/** Kernel ticks in a second on Linux, as everywhere it is built for servers. */
const TICKS = 100;

function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
}

/** Seconds of processor time. */
function cpuSeconds(pid: number): number {
  // Fields 14 and 15 of proc(5)'s stat, counted from after the name in parentheses.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

export interface Usage {
  idleMb: number;
  peakMb: number;
  /** While `work` ran, summed over its calls. */
  cpuSeconds: number;
}

/** Watches a process's memory and processor time while something happens (Linux). */
export class Watch {
  readonly usage: Usage;
  readonly #pid: number;

  /** Of a process since its start. */
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

import { readFileSync } from "node:fs";

/** Sizes of /proc/self/status in MB (https://man7.org/linux/man-pages/man5/proc_pid_status.5.html). */
function statusMb(name: "RssAnon" | "VmData"): number | undefined {
  let status: string;
  try {
    status = readFileSync("/proc/self/status", "utf8");
  } catch {
    // Not Linux.
    return undefined;
  }
  const [, kilobytes] = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status) ?? [];
  return kilobytes === undefined ? undefined : (Number(kilobytes) * 1024) / 1_000_000;
}

/** Private memory of this process in MB. */
export const ownMemoryMb = () => statusMb("RssAnon") ?? process.memoryUsage.rss() / 1_000_000;

/**
 * Memory in MB that this process has reserved and doesn't use: 40 on Node 22, 512 more for each thread on Node 24 and
 * 26. Undefined where the system doesn't say.
 */
export function reservedMb(): number | undefined {
  const [reserved, used] = [statusMb("VmData"), statusMb("RssAnon")];
  return reserved === undefined || used === undefined ? undefined : reserved - used;
}

export interface WatchTask {
  limitMb: number;
  parent: number;
}

/** Ends a process that exceeds its memory limit; Node itself doesn't use it. */
export const OUT_OF_MEMORY_SIGNAL = "SIGUSR2";

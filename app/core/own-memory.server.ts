import { readFileSync } from "node:fs";
import { Session } from "node:inspector";

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

/**
 * Frees memory that only startup needed and that V8 would keep for long. Blocks the main thread for 40 to 50 ms, so call
 * it before the first request. https://nodejs.org/api/inspector.html#class-inspectorsession
 */
export function releaseStartupMemory(): void {
  const session = new Session();
  session.connect();
  // Within the callback, `disconnect` would block the main thread forever.
  const disconnect = () => setImmediate(() => session.disconnect());
  // Unlike `gc()`, it also shrinks the space for new objects.
  session.post("HeapProfiler.collectGarbage", disconnect);
}

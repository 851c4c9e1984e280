import { readFileSync } from "node:fs";
import { Session } from "node:inspector";

/** Private memory of this process in MB (https://man7.org/linux/man-pages/man5/proc_pid_status.5.html). */
export function ownMemoryMb(): number {
  try {
    const [, kilobytes] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
    if (kilobytes) return (Number(kilobytes) * 1024) / 1_000_000;
  } catch {
    // Not Linux.
  }
  return process.memoryUsage.rss() / 1_000_000;
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

import { readFileSync } from "node:fs";

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

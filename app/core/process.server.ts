import { existsSync, readFileSync } from "node:fs";

const scope = globalThis as typeof globalThis & { quarterdeckKept?: Map<string, unknown> };

/** A value of the whole process, under its own name, which survives the reload of modules in development. */
export function kept<T>(name: string, create: () => T): T {
  scope.quarterdeckKept ??= new Map();
  if (!scope.quarterdeckKept.has(name)) scope.quarterdeckKept.set(name, create());
  return scope.quarterdeckKept.get(name) as T;
}

/** Folders of the system's programs: the console's own PATH isn't handed to child processes. */
export const PROGRAM_PATH = "/usr/local/bin:/usr/bin:/bin";

/** @returns the program's path; undefined if the system doesn't have it */
export const findProgram = (name: string) =>
  PROGRAM_PATH.split(":")
    .map((folder) => `${folder}/${name}`)
    .find((file) => existsSync(file));

const BUILT = /^(.*[\\/]build)(?:[\\/](?:server|workers))?$/;

/**
 * Folder of the build that runs, undefined where the sources do. It is found from the code's own place: the link `build`
 * in the working directory may lead to a newer build meanwhile.
 */
export const builtFolder = BUILT.exec(import.meta.dirname)?.[1];

/** Sizes of /proc/self/status in MB (https://man7.org/linux/man-pages/man5/proc_pid_status.5.html). */
function statusMb(name: "RssAnon" | "VmData"): number | undefined {
  let status: string;
  try {
    status = readFileSync("/proc/self/status", "utf8");
  } catch {
    // Not Linux, or the file can't be read.
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

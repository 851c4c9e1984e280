import { spawnSync } from "node:child_process";
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const mount = (...args: string[]) => spawnSync("mount", args, { encoding: "utf8" });

/** A file system of its own in memory. */
export interface SmallDisk {
  folder: string;
  /** Leaves so many bytes free. */
  fill(leaveBytes?: number): void;
  /** Leaves no files free. */
  useFiles(): void;
  /** Undoes both. */
  free(): void;
  unmount(): void;
}

/** @param options of tmpfs(5), such as `size=60m` */
export function mountDisk(options: string): SmallDisk {
  const parent = mkdtempSync(join(tmpdir(), "quarterdeck-disk-"));
  const { status, stderr } = mount("-t", "tmpfs", "-o", options, "none", parent);
  if (status !== 0) {
    rmSync(parent, { recursive: true });
    throw new Error(`The disk can't be mounted: ${stderr}`);
  }
  const ballast = join(parent, "ballast");
  const isBallast = (name: string) => name.startsWith("ballast");
  return {
    folder: parent,
    fill(leaveBytes = 0) {
      const descriptor = openSync(ballast, "a");
      const block = Buffer.alloc(64 * 1024, "x");
      try {
        for (;;) {
          const { bavail, bsize } = statfsSync(parent);
          const room = bavail * bsize - leaveBytes;
          if (room <= 0) return;
          writeSync(descriptor, block, 0, Math.min(block.length, room));
        }
      } finally {
        closeSync(descriptor);
      }
    },
    useFiles() {
      for (let count = 0; statfsSync(parent).ffree > 0; count++) writeFileSync(`${ballast}-${count}`, "");
    },
    free() {
      for (const name of readdirSync(parent).filter(isBallast)) rmSync(join(parent, name));
    },
    unmount() {
      spawnSync("umount", ["-l", parent]);
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

/** Undefined if this machine lets the tests mount a disk, else why not. */
export function whyNoDisk(): string | undefined {
  if (process.platform !== "linux") return "tmpfs needs Linux";
  if (process.getuid?.() !== 0) return "mounting needs root";
  try {
    mountDisk("size=1m").unmount();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

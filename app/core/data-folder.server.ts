import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { assertFilesOpen, explainDataFault } from "./data-faults.server";
import { type DataLock, lockDataDir } from "./data-lock.server";
import { releaseReserveIfFull } from "./disk-reserve.server";
import { env } from "./env.server";
import { unreliableFileSystem } from "./file-system.server";
import { log } from "./log.server";
import { assertSecrets } from "./secret-files.server";

/** More than a file system keeps beside the file's name, so that a full disk shows. */
const PROBE = Buffer.alloc(4096);

function refuseUnreliable(folder: string, fileSystem: string | undefined): void {
  if (!fileSystem) return;
  if (!env().DATA_DIR_ALLOW_NETWORK)
    throw new Error(
      `The data folder ${folder} is on ${fileSystem}, where file locks aren't reliable and the database can be damaged. ` +
        "Set DATA_DIR to a folder on a local disk, or DATA_DIR_ALLOW_NETWORK=1 to use this one all the same.",
    );
  log.warn("the data folder is on a file system whose locks aren't reliable; the database can be damaged", {
    file: folder,
    kind: fileSystem,
  });
}

/** Only a real write shows read-only mounts, full disks and servers that give root no rights. */
function assertWritable(folder: string): void {
  const file = join(folder, ".write-test");
  try {
    const descriptor = openSync(file, "w", 0o600);
    try {
      writeSync(descriptor, PROBE);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
      rmSync(file, { force: true });
    }
  } catch (error) {
    // The folder is at fault, not the file.
    throw error instanceof Error ? Object.assign(error, { path: folder }) : error;
  }
}

function secretsOfEnvironment(): string[] {
  const { SESSION_SECRET, AUDIT_KEY } = env();
  return [...(SESSION_SECRET ? ["session.secret"] : []), ...(AUDIT_KEY ? ["audit.key"] : [])];
}

/**
 * Makes, checks and locks a data folder, before anything of it is read or written.
 * @param options.waitMs how long another process may take to leave it
 * @throws Error with one line for the operator, if the folder is on a file system without reliable locks, can't be
 * written or stays locked
 */
export async function claimDataFolder(
  folder: string,
  { waitMs = 30_000, fileSystemOf = unreliableFileSystem } = {},
): Promise<DataLock> {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    refuseUnreliable(folder, fileSystemOf(folder));
    releaseReserveIfFull(folder);
    assertWritable(folder);
    assertFilesOpen(folder);
    assertSecrets(folder, secretsOfEnvironment());
    return await lockDataDir(folder, waitMs);
  } catch (error) {
    throw explainDataFault(error, folder);
  }
}

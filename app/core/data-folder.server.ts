import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { assertFilesOpen, explainDataFault } from "./data-faults.server";
import { releaseReserveIfFull } from "./disk-reserve.server";
import { env } from "./env.server";
import { log } from "./log.server";
import { assertSecrets } from "./secrets.server";

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
    try {
      writeFileSync(file, PROBE, { mode: 0o600, flush: true });
    } finally {
      rmSync(file, { force: true });
    }
  } catch (error) {
    // The folder is at fault, not the file.
    throw error instanceof Error ? Object.assign(error, { path: folder }) : error;
  }
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
    assertSecrets(folder);
    return await lockDataDir(folder, waitMs);
  } catch (error) {
    throw explainDataFault(error, folder);
  }
}

export type DataLock = Awaited<ReturnType<typeof lockDataDir>>;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Locks a data folder, since two schedulers would run every job twice. @throws Error if it stays locked */
export async function lockDataDir(folder: string, waitMs: number) {
  const file = join(folder, "process.lock");
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false)
    throw new Error(`${file} isn't a file. Delete it and start again.`);
  const deadline = Date.now() + waitMs;
  for (;;) {
    const handle = new Database(file, { timeout: 0 });
    try {
      handle.pragma("locking_mode = EXCLUSIVE");
      handle.exec("BEGIN EXCLUSIVE");
      return { release: () => handle.close() };
    } catch (error) {
      handle.close();
      if (!(error instanceof Database.SqliteError)) throw error;
      if (/^SQLITE_(NOTADB|CORRUPT)/.test(error.code))
        throw new Error(`${file} is damaged. It holds no data: delete it and start again.`, { cause: error });
      if (!error.code.startsWith("SQLITE_BUSY")) throw error;
      if (Date.now() >= deadline) {
        const message = `Another Quarterdeck process uses the data folder ${folder}. Stop it, or set DATA_DIR to another folder.`;
        throw new Error(message, { cause: error });
      }
      await pause(100);
    }
  }
}

/**
 * File systems, by their type in Linux, that other machines can change, or that don't keep POSIX locks and shared
 * memory as SQLite needs them (https://sqlite.org/wal.html, https://sqlite.org/howtocorrupt.html).
 *
 * Others pass, also those that aren't known. Among them are the ones by which Docker Desktop, Lima and Kata show a
 * machine its own disk (virtiofs, fakeowner, fuse.grpcfuse), and local disks through FUSE (fuseblk, fuse.mergerfs): one
 * kernel keeps their locks. So do the members of a GFS2 cluster, but those of OCFS2 only with a cluster manager.
 */
const UNRELIABLE: Readonly<Record<string, string>> = {
  "9p": "a 9P share, such as a Windows drive in WSL",
  afs: "AFS",
  beegfs: "BeeGFS",
  ceph: "CephFS",
  cifs: "SMB",
  coda: "Coda",
  "fuse.blobfuse": "Azure Blob Storage",
  "fuse.blobfuse2": "Azure Blob Storage",
  "fuse.ceph": "CephFS",
  "fuse.ceph-fuse": "CephFS",
  "fuse.curlftpfs": "FTP",
  "fuse.fuse-nfs": "NFS",
  "fuse.gcsfuse": "Google Cloud Storage",
  "fuse.geesefs": "S3",
  "fuse.glusterfs": "GlusterFS",
  "fuse.goofys": "S3",
  "fuse.gvfsd-fuse": "a network folder of the desktop",
  "fuse.juicefs": "JuiceFS",
  "fuse.mfs": "MooseFS",
  "fuse.mountpoint-s3": "S3",
  "fuse.rclone": "rclone",
  "fuse.s3fs": "S3",
  "fuse.seaweedfs": "SeaweedFS",
  "fuse.smbnetfs": "SMB",
  "fuse.sshfs": "SSHFS",
  "fuse.vmhgfs-fuse": "a shared folder of VMware",
  gpfs: "GPFS",
  lustre: "Lustre",
  nfs: "NFS",
  nfs4: "NFS",
  ocfs2: "OCFS2",
  orangefs: "OrangeFS",
  prl_fs: "a shared folder of Parallels",
  pvfs2: "OrangeFS",
  smb3: "SMB",
  smbfs: "SMB",
  vboxsf: "a shared folder of VirtualBox",
  vmhgfs: "a shared folder of VMware",
};

interface Mount {
  type: string;
  source: string;
}

/** Of proc(5)'s mountinfo. Spaces in its paths are escaped, so that a dash alone ends its optional fields. */
function findMount(mountinfo: string, id: string): Mount | undefined {
  const line = mountinfo.split("\n").find((one) => one.startsWith(`${id} `));
  const [type, source] = line?.split(" - ")[1]?.split(" ") ?? [];
  return type ? { type, source: source ?? "" } : undefined;
}

/**
 * The kernel says which mount an open folder is in. Comparing paths would take a mount for its own that another one
 * hides.
 * @returns undefined if the system isn't Linux or doesn't say
 */
function mountOf(folder: string, read: (file: string) => string): Mount | undefined {
  const descriptor = openSync(folder, "r");
  try {
    const [, id] = /^mnt_id:\s*(\d+)$/m.exec(read(`/proc/self/fdinfo/${descriptor}`)) ?? [];
    return id === undefined ? undefined : findMount(read("/proc/self/mountinfo"), id);
  } catch {
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}

/** Some programs name themselves as the source in place of a type. */
function nameOf({ type, source }: Mount): string | undefined {
  if (type === "fuse" && source.includes("://")) return "WebDAV";
  return UNRELIABLE[type === "fuse" ? `fuse.${source}` : type];
}

/**
 * @param read reads a file of /proc
 * @returns the name and type of a folder's file system, such as "NFS (nfs4)", if SQLite can't rely on its locks
 */
export function unreliableFileSystem(
  folder: string,
  read = (file: string) => readFileSync(file, "utf8"),
): string | undefined {
  const mount = mountOf(folder, read);
  const name = mount && nameOf(mount);
  return name && `${name} (${mount.type})`;
}

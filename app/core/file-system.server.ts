import { closeSync, openSync, readFileSync } from "node:fs";

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

import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { unreliableFileSystem } from "./data-folder.server";

/** Lines as Linux prints them; 60 hides 61, and 62's mount point has spaces. */
const MOUNTS = `22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
40 27 0:45 / /data rw,relatime shared:301 - nfs4 nas.example:/export/qd rw,vers=4.2,hard,proto=tcp,local_lock=none
41 27 0:46 /sub /data rw,relatime - nfs nas.example:/export rw,vers=3,nolock
42 27 0:47 / /mnt/share rw,relatime - cifs //nas/share rw,vers=3.1.1
43 27 0:48 / /mnt/c rw,noatime - 9p C:\\134 rw,dirsync,aname=drvfs;path=C:\\134
44 27 0:49 / /home/me/far rw,nosuid,nodev - fuse.sshfs me@far:/srv rw,user_id=0,group_id=0
45 27 0:50 / /mnt/bucket rw,nosuid - fuse mountpoint-s3 rw,user_id=0
46 27 0:51 / /mnt/dav rw,nosuid - fuse https://cloud.example/dav/ rw,user_id=0
47 27 0:52 / /mnt/rbd rw,relatime master:7 propagate_from:2 - ceph 10.0.0.1:6789:/ rw,acl
50 27 0:60 /Users/me/qd /data rw,relatime - fakeowner /run/host_mark/Users rw,fakeowner
51 27 0:61 / /data rw,relatime - virtiofs mount0 rw
52 27 8:17 / /mnt/ntfs rw,relatime - fuseblk /dev/sdb1 rw,user_id=0,allow_other
53 27 0:62 / /srv/pool rw,relatime - fuse.mergerfs a:b rw,user_id=0
54 27 0:63 / / rw,relatime - overlay overlay rw,lowerdir=/a:/b,upperdir=/c,workdir=/d
60 27 0:64 / /srv rw,relatime - xfs /dev/sdc1 rw
61 27 0:65 / /srv rw,relatime - nfs nas:/srv rw
62 27 0:66 /a\\040-\\040cifs /srv/my\\040-\\040nfs\\040folder rw,relatime - ext4 /dev/sdd1 rw
162 27 0:67 / /srv/other rw,relatime - nfs nas:/other rw
`;

/** @returns a reader of /proc for a process whose open folder is in a mount */
const inMount = (id: number) => (file: string) =>
  file === "/proc/self/mountinfo" ? MOUNTS : `pos:\t0\nflags:\t02300000\nmnt_id:\t${id}\nino:\t2\n`;

describe("the file system of a folder", () => {
  it.each([
    [40, "NFS (nfs4)"],
    [41, "NFS (nfs)"],
    [42, "SMB (cifs)"],
    [43, "a 9P share, such as a Windows drive in WSL (9p)"],
    [44, "SSHFS (fuse.sshfs)"],
    [45, "S3 (fuse)"],
    [46, "WebDAV (fuse)"],
    [47, "CephFS (ceph)"],
    [61, "NFS (nfs)"],
  ])("of mount %i is unreliable: %s", (id, name) => {
    expect(unreliableFileSystem(tmpdir(), inMount(id))).toBe(name);
  });

  it.each([27, 50, 51, 52, 53, 54, 60, 62, 99])("of mount %i passes", (id) => {
    expect(unreliableFileSystem(tmpdir(), inMount(id))).toBeUndefined();
  });

  it("passes where the system doesn't say", () => {
    const unreadable = () => {
      throw new Error("ENOENT");
    };
    expect(unreliableFileSystem(tmpdir(), unreadable)).toBeUndefined();
    expect(unreliableFileSystem(tmpdir(), () => "pos:\t0\nflags:\t02300000\n")).toBeUndefined();
  });
});

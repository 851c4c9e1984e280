import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dataDir } from "~/core/env.server";
import type { McpCommand } from "~/core/mcp-commands";

/** Of the process: private memory in bytes, open files, and processor time in s. */
const LIMITS = ["--data=1073741824", "--nofile=256", "--cpu=3600", "--core=0"];
const PROBE_TIMEOUT = 5000;

const PATH = "/usr/local/bin:/usr/bin:/bin";
const folders = PATH.split(":");
const find = (name: string) => folders.map((folder) => `${folder}/${name}`).find((file) => existsSync(file));

/** All that a command gets of an environment: nothing of the console's. */
export const COMMAND_ENVIRONMENT: Readonly<Record<string, string>> = { PATH, HOME: "/tmp", LANG: "C.UTF-8" };

function bubblewrap(bwrap: string, network: boolean): string[] {
  const folder = process.cwd();
  const secrets = `${folder}/.env`;
  return [
    bwrap,
    "--unshare-all",
    ...(network ? ["--share-net"] : []),
    "--die-with-parent",
    "--new-session",
    "--ro-bind",
    "/",
    "/",
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "--tmpfs",
    "/tmp",
    // Sockets of the machine's services, such as Docker's.
    "--tmpfs",
    "/run",
    ...(network ? ["--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve"] : []),
    // A console that is installed below one of these is as readable as elsewhere.
    ...(/^\/(?:tmp|run)\//.test(folder) ? ["--ro-bind", folder, folder] : []),
    ...(existsSync(secrets) ? ["--ro-bind", "/dev/null", secrets] : []),
    // The database, its key and the documents.
    ...(existsSync(dataDir()) ? ["--tmpfs", dataDir()] : []),
    "--",
  ];
}

let isolation: boolean | undefined;

/** Whether commands run in bubblewrap; probed once, since containers often forbid user namespaces. */
export function isIsolated(): boolean {
  const bwrap = find("bwrap");
  if (isolation === undefined && bwrap) {
    const [command = "", ...rest] = [...bubblewrap(bwrap, false), "true"];
    const probe = spawnSync(command, rest, {
      env: COMMAND_ENVIRONMENT as NodeJS.ProcessEnv,
      timeout: PROBE_TIMEOUT,
    });
    isolation = probe.status === 0;
  }
  return isolation ?? false;
}

/** Wraps a command in bubblewrap where that works, resource limits, and an end with the console. */
export function sandboxed({ argv, network }: McpCommand, isolated = isIsolated()): string[] {
  const bwrap = find("bwrap");
  const setpriv = find("setpriv");
  const prlimit = find("prlimit");
  return [
    ...(setpriv ? [setpriv, "--pdeathsig", "KILL", "--no-new-privs"] : []),
    ...(prlimit ? [prlimit, ...LIMITS] : []),
    ...(bwrap && isolated ? bubblewrap(bwrap, network) : []),
    ...argv,
  ];
}

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dataDir, type McpCommand } from "~/core/env.server";
import { findProgram, PROGRAM_PATH } from "~/core/process.server";

/** Memory in bytes, of which Node 24 reserves a quarter for each thread; open files, CPU time in s. */
const LIMITS = ["--data=2147483648", "--nofile=256", "--cpu=3600", "--core=0"];
const PROBE_TIMEOUT = 5000;

/** Nothing of the console's environment. */
export const COMMAND_ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: PROGRAM_PATH,
  HOME: "/tmp",
  LANG: "C.UTF-8",
};

/** Nothing shared, and a file system to read with folders of its own for `/tmp` and `/run`. */
const ISOLATION =
  "--unshare-all --die-with-parent --new-session --ro-bind / / --proc /proc --dev /dev --tmpfs /tmp --tmpfs /run".split(
    " ",
  );

function bubblewrap(
  bwrap: string,
  { network, writable }: Pick<McpCommand, "network" | "writable">,
): string[] {
  const folder = process.cwd();
  const secrets = `${folder}/.env`;
  return [
    bwrap,
    ...ISOLATION,
    ...(network ? ["--share-net", "--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve"] : []),
    // A console installed below these stays readable.
    ...(/^\/(?:tmp|run)\//.test(folder) ? ["--ro-bind", folder, folder] : []),
    ...(existsSync(secrets) ? ["--ro-bind", "/dev/null", secrets] : []),
    // Hides the database, its key and documents.
    ...(existsSync(dataDir()) ? ["--tmpfs", dataDir()] : []),
    ...writable.flatMap((path) => ["--bind", path, path]),
    "--",
  ];
}

let isolation: boolean | undefined;

/** Probed once: containers often forbid user namespaces. */
export function isIsolated(): boolean {
  const bwrap = findProgram("bwrap");
  if (isolation === undefined && bwrap) {
    const [command = "", ...rest] = [...bubblewrap(bwrap, { network: false, writable: [] }), "true"];
    const probe = spawnSync(command, rest, {
      env: COMMAND_ENVIRONMENT as NodeJS.ProcessEnv,
      timeout: PROBE_TIMEOUT,
    });
    isolation = probe.status === 0;
  }
  return isolation ?? false;
}

/** In bubblewrap if available, with resource limits, ending with the console. */
export function sandboxed({ argv, ...access }: McpCommand, isolated = isIsolated()): string[] {
  const bwrap = findProgram("bwrap");
  const setpriv = findProgram("setpriv");
  const prlimit = findProgram("prlimit");
  return [
    ...(setpriv ? [setpriv, "--pdeathsig", "KILL", "--no-new-privs"] : []),
    ...(prlimit ? [prlimit, ...LIMITS] : []),
    ...(bwrap && isolated ? bubblewrap(bwrap, access) : []),
    ...argv,
  ];
}

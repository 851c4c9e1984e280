import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const INSTALLED = "/usr/lib/postgresql";
const PASSWORD = "secret of the database";

/** Programs of the newest PostgreSQL; undefined if not installed. */
export function findPostgres(): string | undefined {
  if (!existsSync(INSTALLED)) return undefined;
  const versions = readdirSync(INSTALLED).sort((a, b) => Number(b) - Number(a));
  return versions
    .map((version) => join(INSTALLED, version, "bin"))
    .find((bin) => existsSync(join(bin, "initdb")));
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"]).toString());
  return { uid: id("-u"), gid: id("-g") };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function ready(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let printed = "";
    server.stderr?.on("data", (text: Buffer) => {
      printed += text.toString();
      if (printed.includes("ready to accept connections")) resolve();
    });
    server.once("exit", () => reject(new Error(`PostgreSQL didn't start: ${printed.slice(-2000)}`)));
  });
}

export interface TestPostgres {
  /** `postgres` is the superuser; there is no TLS. */
  address(role: string): string;
  close(): Promise<void>;
}

/** A new cluster on a free port. */
export async function startPostgres(bin: string): Promise<TestPostgres> {
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-pg-"));
  const user = unprivileged();
  const passwords = join(folder, "password");
  writeFileSync(passwords, PASSWORD);
  if (user) for (const path of [folder, passwords]) chownSync(path, user.uid, user.gid);
  const data = join(folder, "data");
  const login = ["-U", "postgres", "-A", "scram-sha-256", `--pwfile=${passwords}`];
  execFileSync(join(bin, "initdb"), ["-D", data, "-N", "-E", "UTF8", ...login], { ...user, cwd: folder });
  const port = await freePort();
  const settings = {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    fsync: "off",
    ssl: "off",
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const server = spawn(join(bin, "postgres"), ["-D", data, ...flags], {
    ...user,
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  await ready(server);
  return {
    address: (role) =>
      `postgres://${role}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres?sslmode=disable`,
    async close() {
      const ended = new Promise((resolve) => server.once("exit", resolve));
      server.kill("SIGINT");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

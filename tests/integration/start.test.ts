import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TestServer } from "../support/server";

const isRoot = process.getuid?.() === 0;
/** The user nobody. */
const OTHER = 65_534;

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "quarterdeck-start-"));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

/** @returns what a start that must fail prints */
function refusal(env: Record<string, string> = {}, uid?: number): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["build/server.mjs"], {
    env: {
      NODE_ENV: "production",
      HOST: "127.0.0.1",
      PORT: "0",
      DATA_DIR: dataDir,
      LOG_LEVEL: "warn",
      ...env,
    },
    encoding: "utf8",
    timeout: 60_000,
    killSignal: "SIGKILL",
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  expect([status, stdout], stderr).toEqual([1, ""]);
  return stderr;
}

describe.runIf(isRoot)("a data folder of another user", () => {
  it("is refused with the command that mends it", () => {
    chmodSync(dataDir, 0o755);
    expect(refusal({}, OTHER)).toBe(
      `The data folder ${dataDir} belongs to uid 0 and can't be written by uid ${OTHER}. Mend it with: chown -R ${OTHER}:${OTHER} ${dataDir}\n`,
    );
  });

  it("is refused for a single file", () => {
    const file = join(dataDir, "quarterdeck.sqlite");
    writeFileSync(file, "", { mode: 0o600 });
    chownSync(dataDir, OTHER, OTHER);
    expect(refusal({}, OTHER)).toBe(
      `${file} in the data folder belongs to uid 0 and can't be opened by uid ${OTHER}. Mend it with: chown -R ${OTHER}:${OTHER} ${dataDir}\n`,
    );
  });

  it("is refused where it would have to be made", () => {
    chmodSync(dataDir, 0o755);
    const missing = join(dataDir, "the data");
    expect(refusal({ DATA_DIR: missing }, OTHER)).toBe(
      `The data folder ${missing} doesn't exist and can't be made by uid ${OTHER}. Make it with: mkdir -p '${missing}' && chown ${OTHER}:${OTHER} '${missing}'\n`,
    );
  });

  it("is refused where it can't be reached", () => {
    expect(refusal({ DATA_DIR: join(dataDir, "data") }, OTHER)).toMatch(
      /can't be reached by uid 65534: a folder above it is closed to it\..*\n$/,
    );
  });

  it("doesn't matter for what isn't the console's", async () => {
    writeFileSync(join(dataDir, "lost+found"), "", { mode: 0o600 });
    chownSync(dataDir, OTHER, OTHER);
    expect(refusal({ PORT: "1", HOST: "192.0.2.1" }, OTHER)).toContain("HOST is 192.0.2.1");
  });
});

it("names the mode of one's own folder that forbids writing", () => {
  if (isRoot) chownSync(dataDir, OTHER, OTHER);
  chmodSync(dataDir, 0o500);
  expect(refusal({}, isRoot ? OTHER : undefined)).toMatch(
    /because of its mode 0500\. Mend it with: chmod -R u\+rwX \S+\n$/,
  );
});

it("leaves the database and the lock alone when the port is taken, and marks its build once it isn't", async () => {
  const other = createServer();
  await new Promise<void>((listening) => other.listen(0, "127.0.0.1", listening));
  const address = other.address();
  const port = typeof address === "object" ? address?.port : undefined;
  expect(refusal({ PORT: String(port) })).toMatch(`Port ${port} is taken.`);
  expect(existsSync(join(dataDir, "quarterdeck.sqlite"))).toBe(false);
  other.close();
  const marks = join(realpathSync("build"), "../in-use");
  const server = new TestServer(dataDir, {}, {});
  await server.start();
  // It marks the build it runs from until it ends.
  const mark = String(server.pid);
  expect(readdirSync(marks)).toContain(mark);
  expect(await server.stop()).toBe(0);
  expect(readdirSync(marks)).not.toContain(mark);
});

it("refuses the data folder of a newer version, and a damaged one, in one line", async () => {
  const server = new TestServer(dataDir, {}, {});
  await server.start();
  await server.stop();
  const file = join(dataDir, "quarterdeck.sqlite");
  const raw = new Database(file);
  raw.exec("INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('later', 1900000000000)");
  raw.close();
  expect(refusal()).toMatch(
    /^The database \S+ was written by a newer Quarterdeck, of 2030-03-17 or later \(1 unknown migration\)\. .*\n$/,
  );
  writeFileSync(file, "x".repeat(8192));
  expect(refusal()).toMatch(
    /^The database \S+ is damaged \(SQLITE_NOTADB\)\. To go on, restore a backup with .*\n$/,
  );
});

it.each([
  [
    "https://console.example/chat",
    "PUBLIC_URL: The console has addresses at /chat itself. Choose another path.\n",
  ],
  [
    "https://console.example/v1/ai",
    "PUBLIC_URL: The console has addresses at /v1 itself. Choose another path.\n",
  ],
])("refuses a base path that the console's own addresses begin with: %s", (address, message) => {
  expect(refusal({ PUBLIC_URL: address })).toBe(message);
});

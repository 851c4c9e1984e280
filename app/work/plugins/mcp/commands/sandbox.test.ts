import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase } from "../../../../../tests/support/database";
import { COMMAND_ENVIRONMENT, isIsolated, sandboxed } from "./sandbox.server";

let test: ReturnType<typeof openTestDatabase>;
let server: Server;
let port: number;
beforeEach(async () => {
  test = openTestDatabase();
  writeFileSync(join(test.folder, "secret.txt"), "of the data folder");
  server = createServer((_, response) => void response.end("reached"));
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  ({ port } = server.address() as AddressInfo);
});
afterEach(async () => {
  await new Promise((closed) => server.close(closed));
  test.close();
});

interface Access {
  network?: boolean;
  isolated?: boolean;
  writable?: string[];
}

function run(argv: string[], { network = false, isolated, writable = [] }: Access = {}) {
  const [command = "", ...rest] = sandboxed({ argv, network, writable }, isolated);
  const { status, stdout } = spawnSync(command, rest, {
    env: COMMAND_ENVIRONMENT as NodeJS.ProcessEnv,
    encoding: "utf8",
    timeout: 20_000,
  });
  return { status, text: stdout.trim() };
}
const secret = () => ["cat", join(test.folder, "secret.txt")];
/** Connects without an answer: this process is held by the wait for the command. */
const connect = () => ["bash", "-c", `exec 3<>/dev/tcp/127.0.0.1/${port} && echo connected`];

// Skipped where bubblewrap isn't installed or user namespaces are forbidden.
describe.skipIf(!isIsolated())("a command in bubblewrap", () => {
  it("reaches neither the data folder nor the network", () => {
    expect(run(["cat", "/etc/hostname"]).status).toBe(0);
    expect(run(secret())).toMatchObject({ text: "" });
    expect(run(secret()).status).not.toBe(0);
    expect(run(connect()).status).not.toBe(0);
  });

  it("reaches the network if the operator allows it and writes only temporary files", () => {
    expect(run(connect(), { network: true })).toEqual({ status: 0, text: "connected" });
    expect(run(["touch", join(process.cwd(), "written-by-a-command")]).status).not.toBe(0);
    expect(run(["touch", "/tmp/anything"]).status).toBe(0);
  });

  it("writes to the folders that the operator named, and to none beside them", () => {
    const folder = mkdtempSync(join(tmpdir(), "quarterdeck-writable-"));
    const beside = `${folder}-beside`;
    try {
      expect(run(["touch", join(folder, "kept")], { writable: [folder] }).status).toBe(0);
      expect(existsSync(join(folder, "kept"))).toBe(true);
      expect(run(["mkdir", beside], { writable: [folder] }).status).toBe(0);
      // In a `/tmp` of its own, which ends with it.
      expect(existsSync(beside)).toBe(false);
      expect(run(["touch", "/srv/anything"], { writable: [folder] }).status).not.toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("sees the console's folder in any location, without its .env file", () => {
    const home = process.cwd();
    const folder = mkdtempSync(join(tmpdir(), "quarterdeck-sandbox-"));
    writeFileSync(join(folder, "program.txt"), "readable");
    writeFileSync(join(folder, ".env"), "KEY=secret");
    process.chdir(folder);
    try {
      expect(run(["cat", join(folder, "program.txt")])).toEqual({ status: 0, text: "readable" });
      expect(run(["cat", join(folder, ".env")])).toEqual({ status: 1, text: "" });
    } finally {
      process.chdir(home);
      rmSync(folder, { recursive: true });
    }
  });

  it("sees neither other processes nor the host's sockets", () => {
    expect(run(["bash", "-c", "ls -d /proc/[0-9]* | wc -l"]).text).toMatch(/^[1-5]$/);
    expect(run(["ls", "/run"])).toEqual({ status: 0, text: "" });
  });
});

describe("a command without bubblewrap", () => {
  const run1 = (argv: string[]) => run(argv, { isolated: false });

  it("isn't isolated, as its dialog says, but has no access to the console's environment", () => {
    expect(run1(secret())).toEqual({ status: 0, text: "of the data folder" });
    expect(run1(["env"]).text.split("\n").sort()).toEqual([
      "HOME=/tmp",
      "LANG=C.UTF-8",
      expect.stringMatching(/^PATH=/),
    ]);
  });

  it("has limited memory and open files", () => {
    expect(run1(["bash", "-c", "ulimit -n; ulimit -c; ulimit -t"]).text.split("\n")).toEqual([
      "256",
      "0",
      "3600",
    ]);
  });
});

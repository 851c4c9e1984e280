import { mkdtempSync, readdirSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { startServer, TestServer } from "../support/server";

/** A program that is loaded before the console and holds its first hash of a password until it gets a signal. */
const HOLDER = `
  import { realpathSync } from "node:fs";
  import { createRequire } from "node:module";
  const argon2 = createRequire(realpathSync("build/server.mjs"))("@node-rs/argon2");
  const { hash } = argon2;
  argon2.hash = async (...args) => {
    argon2.hash = hash;
    const signal = new Promise((resolve) => process.once("SIGUSR2", resolve));
    console.log("hashing");
    await signal;
    return await hash(...args);
  };
`;

describe("the process", () => {
  let server: TestServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  it("prints its address and, without anybody, a setup link, and keeps what it writes from other users' eyes", async () => {
    server = await startServer({ people: false });
    await expect.poll(() => server?.output).toMatch(/one-time link/);
    expect(server.output.trim().split("\n")).toEqual([
      expect.stringMatching(/^Quarterdeck is ready at http:\/\/\S+:\d+$/),
      expect.stringMatching(
        /^Create the owner with this one-time link: http:\/\/\S+\/setup\?token=[\w-]{43}$/,
      ),
    ]);
    // Nobody else sees what it writes.
    const { dataDir } = server;
    const open = readdirSync(dataDir).filter((name) => (statSync(join(dataDir, name)).mode & 0o077) !== 0);
    expect(open).toEqual([]);
  });

  it("makes the owner from the environment, without a link, and is healthy only once they can sign in", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "quarterdeck-owner-"));
    const probe = createServer();
    await new Promise<void>((listening) => probe.listen(0, "127.0.0.1", listening));
    const address = probe.address();
    const port = String(typeof address === "object" ? address?.port : undefined);
    await new Promise((closed) => probe.close(closed));
    const env = {
      OWNER_EMAIL: "boss@example.org",
      OWNER_PASSWORD: "a very long secret",
      PORT: port,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(HOLDER)}`,
    };
    server = new TestServer(dataDir, env, {});
    const starting = server.start();
    await expect.poll(() => server?.output).toContain("hashing");
    const origin = `http://127.0.0.1:${port}`;
    const statusOf = async (path: string) => (await fetch(`${origin}${path}`)).status;
    expect(await Promise.all(["/api/health", "/readyz"].map(statusOf))).toEqual([503, 503]);
    process.kill(server.pid, "SIGUSR2");
    await starting;
    expect(await statusOf("/api/health")).toBe(200);
    const signedIn = await fetch(`${origin}/login?local=1`, {
      method: "POST",
      redirect: "manual",
      headers: { origin },
      body: new URLSearchParams({ email: env.OWNER_EMAIL, password: env.OWNER_PASSWORD }),
    });
    expect([signedIn.status, signedIn.headers.get("set-cookie")]).toEqual([
      303,
      expect.stringContaining("qd_session="),
    ]);
    const cookie = await server.signIn(env.OWNER_EMAIL, env.OWNER_PASSWORD);
    const user = await server.ask("/api/auth/user", { headers: { cookie } });
    expect(await user.json()).toMatchObject({ email: "boss@example.org", role: "owner" });
    expect(server.output).not.toContain("one-time link");
    expect(server.output).not.toContain("a very long secret");
  });

  it("ends well when it is asked to, and starts again after a kill with everything it acknowledged", async () => {
    server = await startServer();
    const persona = { name: "Kept", systemPrompt: "x", defaultModel: "gpt-4o", mode: "default", tools: [] };
    expect((await server.ask("/api/personas", { as: "member", json: persona })).status).toBe(201);
    await server.kill();
    await server.start();
    const names = (await (await server.ask("/api/personas", { as: "member" })).json()) as { name: string }[];
    expect(names.map(({ name }) => name)).toEqual(["Kept"]);
    expect(await server.stop()).toBe(0);
  });

  it.each([
    ["PORT", "eighty-eighty", "PORT"],
    ["SESSION_SECRET", "hunter2-hunter2", "SESSION_SECRET"],
    ["EGRESS_ALLOW", "10.0.0.0/99", "10.0.0.0/99"],
  ])("refuses to start with an unusable %s, in one sentence", async (name, value, named) => {
    const refused = await startServer({ people: false, env: { [name]: value } }).then(
      (started) => {
        server = started;
        return "";
      },
      (error: Error) => error.message,
    );
    expect(refused).toContain("It ended with 1.");
    expect(refused).toContain(named);
    expect(refused).not.toMatch(/^\s+at /m);
  });
});

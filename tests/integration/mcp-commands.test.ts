import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { callTool } from "~/ai/tools/call-tool.service.server";
import { setClock } from "~/core/clock.server";
import { parseMcpCommands, setEnv } from "~/core/env.server";
import { configurePlugin } from "~/work/plugins/install.service.server";
import { CommandTransport } from "~/work/plugins/mcp/commands/command-host.server";
import { isIsolated } from "~/work/plugins/mcp/commands/sandbox.server";
import { addMcpServer, decideTools, readMcpServer } from "~/work/plugins/mcp/mcp-servers.service.server";
import { fillServerPrompt, listServerPrompts } from "~/work/plugins/mcp/prompts.service.server";
import { startPlugins } from "~/work/plugins/plugin-tools.service.server";
import { listPlugins } from "~/work/plugins/plugins.service.server";
import { openTestDatabase } from "../support/database";
import { EVERYTHING_SERVER } from "../support/everything";

let test: ReturnType<typeof openTestDatabase>;
let stop: () => Promise<void>;
beforeEach(() => {
  test = openTestDatabase({ MCP_COMMANDS: `everything=${process.execPath} ${EVERYTHING_SERVER} stdio` });
  stop = startPlugins();
});
afterEach(async () => {
  setClock();
  await stop();
  test.close();
});

const add = (command: string) =>
  addMcpServer(
    test.actors.admin,
    { title: "Local", url: "", command, keyId: "", header: "" },
    new AbortController().signal,
  );
async function addEverything(): Promise<void> {
  const { tools } = await add("everything");
  decideTools(test.actors.admin, "mcp-local", { allowed: tools.map(({ name, hash }) => `${name}#${hash}`) });
}
const call = (name: string, input: unknown, more: Partial<Parameters<typeof callTool>[3]> = {}) =>
  callTool(test.actors.member, `mcp-local.${name}`, input, {
    source: { kind: "chat", conversationId: "con_1", messageId: "msg_1" },
    signal: new AbortController().signal,
    approval: "given",
    ...more,
  });
/** Ids of the processes that run the server, of this test alone. */
const processes = () =>
  execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" })
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, parent, ...args]) => Number(parent) === process.pid && args.join(" ").includes(EVERYTHING_SERVER),
    )
    .map(([pid]) => Number(pid));

it("asks for each of two calls at once, and for one while another waits for its answer", async () => {
  await addEverything();
  const asking = async (name: string, before: () => Promise<unknown> = async () => undefined) => {
    const onQuestion = async () => {
      await before();
      return { outcome: "accepted" as const, content: { name } };
    };
    const outcome = await call("trigger-elicitation-request", {}, { onQuestion });
    return JSON.stringify(outcome).match(/- Name: (\w+)/)?.[1];
  };
  expect((await Promise.all([asking("Ada"), asking("Bob")])).sort()).toEqual(["Ada", "Bob"]);
  let meanwhile: string | undefined;
  const first = asking("Ada", async () => {
    meanwhile = await asking("Bob");
  });
  expect([await first, meanwhile]).toEqual(["Ada", "Bob"]);
});

it("answers calls without access to the console's environment", async () => {
  process.env.QUARTERDECK_KEY_CANARY = "canary-value";
  try {
    await addEverything();
    expect(await call("echo", { message: "hello" })).toEqual({ ok: true, output: { text: "Echo: hello" } });
    const environment = JSON.stringify(await call("get-env", {}));
    expect(environment).toContain("/usr/local/bin");
    expect(environment).not.toContain("canary-value");
  } finally {
    delete process.env.QUARTERDECK_KEY_CANARY;
  }
});

it("restarts after it was killed, for a call that waits out the first backoff", async () => {
  await addEverything();
  await call("echo", { message: "one" });
  const [pid = 0] = processes();
  process.kill(pid, "SIGKILL");
  // Its parent has noticed once the process is no zombie either.
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), 60_000);
  expect(await call("echo", { message: "two" })).toEqual({ ok: true, output: { text: "Echo: two" } });
});

it("ends with its plugin and with the console", async () => {
  await addEverything();
  await call("echo", { message: "one" });
  expect(processes()).toHaveLength(1);
  await stop();
  expect(processes()).toEqual([]);
});

it("isn't called while its plugin is inactive", async () => {
  await addEverything();
  configurePlugin(test.actors.admin, "mcp-local", { enabled: false });
  expect(await call("echo", { message: "one" })).toMatchObject({ ok: false, code: "not_found" });
});

it("must be allowed by the operator and reports its isolation", async () => {
  await expect(add("shell")).rejects.toThrow(/isn't listed in MCP_COMMANDS/);
  await addEverything();
  const plugin = listPlugins(test.actors.viewer).find(({ id }) => id === "mcp-local");
  expect(plugin).toMatchObject({ author: "Local command", description: expect.stringMatching(/isolated/) });
  expect(readMcpServer(test.actors.admin, "mcp-local").sandbox).toBe(isIsolated() ? "bubblewrap" : "none");
});

/** A command that runs a program in place of a server. */
async function addProgram(program: string) {
  const file = join(test.folder, "program.mjs");
  writeFileSync(file, program);
  // A folder that bubblewrap shows: the data folder isn't.
  const shown = mkdtempSync(join(process.cwd(), "node_modules/.mcp-test-"));
  cpSync(file, join(shown, "program.mjs"));
  try {
    setEnv({
      NODE_ENV: "test",
      LOG_LEVEL: "silent",
      DATA_DIR: test.folder,
      MCP_COMMANDS: `program=${process.execPath} ${join(shown, "program.mjs")}`,
    });
    return await add("program").then(
      () => "added",
      (error: Error) => error.message,
    );
  } finally {
    rmSync(shown, { recursive: true });
  }
}

it.each([
  [
    // One write after the other: in a mere loop all would stay in its own memory.
    "floods",
    'const x = "x".repeat(1e6); const write = () => process.stdout.write(x, write); write();',
    /didn't start/,
  ],
  ["writes garbage", 'console.log("{]"); process.exit(3);', /didn't start/],
  ["exits at once", 'console.error("No licence found"); process.exit(1);', /didn't start: No licence found/],
])("that %s isn't added", async (_, program, says) => {
  expect(await addProgram(program)).toMatch(says);
});

it.each([
  ["Lab sent an answer that nests deeper than 64 levels.", `${"[".repeat(70)}\n`],
  ["Lab sent an answer that contains more than 40000 values.", `[${Array(30_000).fill("{}").join()}]\n`],
  ["The response from Lab is larger than 5 MB.", "x".repeat(5_100_000)],
])("is ended by what it sends: %s", async (reason, output) => {
  const file = join(test.folder, "output.txt");
  writeFileSync(file, output);
  const program = `process.stdout.write(require("node:fs").readFileSync(process.argv[1])); setInterval(() => {}, 1000)`;
  const transport = new CommandTransport([process.execPath, "-e", program, file], "Lab");
  const errors: string[] = [];
  transport.onerror = ({ message }) => errors.push(message);
  const closed = new Promise<void>((done) => {
    transport.onclose = done;
  });
  await transport.start();
  await closed;
  expect(errors).toContain(reason);
});

it("lists its prompts and resources, and reads them", async () => {
  await addEverything();
  const prompts = listServerPrompts(test.actors.member);
  expect(prompts.map(({ name }) => name)).toContain("simple-prompt");
  const signal = new AbortController().signal;
  const input = { server: "mcp-local", name: "args-prompt", values: { city: "Bergen" } };
  const { text } = await fillServerPrompt(test.actors.member, input, signal);
  expect(text).toContain("Bergen");
  const { resources } = readMcpServer(test.actors.admin, "mcp-local");
  const [fixed] = resources.filter(({ template }) => !template);
  expect(resources.some(({ template }) => template)).toBe(true);
  expect(await call("read_resource", { uri: fixed?.uri })).toMatchObject({
    ok: true,
    output: { text: expect.stringContaining(`[resource: ${fixed?.uri}`) },
  });
});

it("reads the operator's list", () => {
  expect(parseMcpCommands("a=/bin/x one two; b:network=y")).toEqual({
    a: { argv: ["/bin/x", "one", "two"], network: false, writable: [] },
    b: { argv: ["y"], network: true, writable: [] },
  });
  expect(() => parseMcpCommands("/bin/sh")).toThrow('"/bin/sh" is not name=command');
});

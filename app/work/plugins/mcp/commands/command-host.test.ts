import { afterEach, beforeEach, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { setEnv } from "~/core/env.server";
import { openTestDatabase } from "../../../../../tests/support/database";
import { stopCommands, withCommand } from "./command-host.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(async () => {
  setClock();
  await stopCommands();
  test.close();
});

const serverOf = (target: string, title: string) => ({
  id: `mcp-${target}`,
  orgId: "org_test",
  title,
  transport: "command" as const,
  target,
  keys: [],
  usesOAuth: false,
});

/** Knows none of the newer protocol, and ends at the handshake of the older one. */
const ENDS_AT_HANDSHAKE = `
  process.stdin.setEncoding("utf8").on("data", (text) => {
    const { id, method } = JSON.parse(text);
    if (method === "initialize") process.exit(1);
    console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } }));
  });
`;

it.each([
  ["at once", ""],
  ["at the handshake", ENDS_AT_HANDSHAKE],
])("counts a command that ends %s as failed once", async (_, program) => {
  const module = `data:text/javascript,${encodeURIComponent(program)}`;
  const MCP_COMMANDS = `broken=${process.execPath} --import ${module} -e 0`;
  setEnv({ NODE_ENV: "test", LOG_LEVEL: "silent", DATA_DIR: test.folder, MCP_COMMANDS });
  let time = Date.now();
  setClock(() => time);
  const use = () => withCommand(serverOf("broken", "Broken"), async () => "used");
  // A pause of a second is waited out.
  await expect(use()).rejects.toThrow("Broken didn't start");
  time += 1000;
  for (const pause of [2, 4]) {
    await expect(use()).rejects.toThrow("Broken didn't start");
    await expect(use()).rejects.toThrow(`Broken ended unexpectedly. Try again in ${pause} s.`);
    time += pause * 1000;
  }
});

/** Answers the first call with more than 5 MB, and is one of the older protocol. */
const SENDS_TOO_MUCH = `
  process.stdin.setEncoding("utf8").on("data", (text) => {
    for (const line of text.trim().split("\\n")) {
      const { id, method, params } = JSON.parse(line);
      if (id === undefined) continue;
      const serverInfo = { name: "Large", version: "1" };
      const results = {
        initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo },
        "tools/call": { content: [{ type: "text", text: "x".repeat(params?.name === "large" ? 6_000_000 : 5) }] },
      };
      const result = results[method];
      const answer = result ? { result } : { error: { code: -32601, message: "Method not found" } };
      console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    }
  });
`;

it("refuses a result of more than 5 MB as over HTTP, and answers the next call", async () => {
  const module = `data:text/javascript,${encodeURIComponent(SENDS_TOO_MUCH)}`;
  const MCP_COMMANDS = `large=${process.execPath} --import ${module} -e 0`;
  setEnv({ NODE_ENV: "test", LOG_LEVEL: "silent", DATA_DIR: test.folder, MCP_COMMANDS });
  const call = (name: string) =>
    withCommand(serverOf("large", "Large"), (client) => client.callTool({ name, arguments: {} }));
  await expect(call("large")).rejects.toThrow("The response from Large is larger than 5 MB.");
  expect(await call("small")).toMatchObject({ content: [{ text: "xxxxx" }] });
});

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
  const server = {
    id: "mcp-broken",
    orgId: "org_test",
    title: "Broken",
    transport: "command" as const,
    target: "broken",
    keys: [],
    usesOAuth: false,
  };
  const use = () => withCommand(server, async () => "used");
  for (const pause of [1, 2, 4]) {
    await expect(use()).rejects.toThrow("Broken didn't start");
    await expect(use()).rejects.toThrow(`Broken ended unexpectedly. Try again in ${pause} s.`);
    time += pause * 1000;
  }
});

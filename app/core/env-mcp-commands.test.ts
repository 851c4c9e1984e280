import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { findMcpCommand, parseEnv, parseMcpCommands } from "./env.server";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "quarterdeck-commands-")));
afterAll(() => rmSync(folder, { recursive: true }));

it.each(["__proto__", "constructor", "toString", "hasOwnProperty", "other"])(
  "knows the listed commands only, and not %s",
  (name) => {
    const commands = parseMcpCommands("files=npx files; search:network=npx search");
    expect(findMcpCommand(commands, name)).toBeUndefined();
    expect(findMcpCommand(commands, "search")).toEqual({
      argv: ["npx", "search"],
      network: true,
      writable: [],
    });
    expect(findMcpCommand(undefined, name)).toBeUndefined();
  },
);

it("gives a command the folders of its own name to write to", () => {
  const [first, second, link] = ["first", "second", "link"].map((name) => join(folder, name));
  for (const path of [first, second]) mkdirSync(String(path));
  symlinkSync(String(first), String(link));
  const commands = parseMcpCommands(
    `memory:write=${link}; memory=npx memory; memory:write=${second}; other:network=npx other`,
  );
  expect(commands.memory).toEqual({ argv: ["npx", "memory"], network: false, writable: [first, second] });
  expect(commands.other).toEqual({ argv: ["npx", "other"], network: true, writable: [] });
});

it.each([
  ["srv/mcp", "is not the absolute path of a folder that exists"],
  [join(folder, "missing"), "is not the absolute path of a folder that exists"],
  [join(folder, "file"), "is not the absolute path of a folder that exists"],
  ["/", "belongs to the system"],
  ["/etc", "belongs to the system"],
  ["/usr/bin", "belongs to the system"],
])("refuses %s as a folder to write to", (path, reason) => {
  writeFileSync(join(folder, "file"), "");
  expect(() => parseMcpCommands(`memory=npx memory; memory:write=${path}`)).toThrow(reason);
});

it("refuses a folder to write to without its command", () => {
  expect(() => parseMcpCommands(`files=npx files; memory:write=${folder}`)).toThrow(
    '"memory:write" belongs to no command named memory',
  );
});

it.each([
  ["the data folder", "data", "data"],
  ["a folder of it", "data", "data/uploads"],
  ["a folder around it", "around/data", "around"],
])("starts with no command that may write to %s", (_, data, path) => {
  for (const name of [data, path]) mkdirSync(join(folder, name), { recursive: true });
  const MCP_COMMANDS = `memory=npx memory; memory:write=${join(folder, path)}`;
  expect(() => parseEnv({ DATA_DIR: join(folder, data), MCP_COMMANDS })).toThrow(
    "would let a command write to the console's own folder",
  );
});

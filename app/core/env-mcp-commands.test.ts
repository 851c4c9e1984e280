import { expect, it } from "vitest";
import { findMcpCommand, parseMcpCommands } from "./env.server";

it.each(["__proto__", "constructor", "toString", "hasOwnProperty", "other"])(
  "knows the listed commands only, and not %s",
  (name) => {
    const commands = parseMcpCommands("files=npx files; search:network=npx search");
    expect(findMcpCommand(commands, name)).toBeUndefined();
    expect(findMcpCommand(commands, "search")).toEqual({ argv: ["npx", "search"], network: true });
    expect(findMcpCommand(undefined, name)).toBeUndefined();
  },
);

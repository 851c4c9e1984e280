import { ProtocolError } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";
import { toAppError } from "./mcp-errors.server";

it("takes no error for a refused sign-in or a timeout by its own words", () => {
  const message = "MCP error -32000: Order 401 not found: timed out";
  expect(toAppError(new ProtocolError(-32_000, message), "Lab")).toMatchObject({
    code: "provider_unavailable",
    message: expect.stringContaining("Order 401 not found: timed out"),
  });
});

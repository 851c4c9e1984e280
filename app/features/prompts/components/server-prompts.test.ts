import { afterEach, expect, it, vi } from "vitest";
import type { OfferedPrompt } from "~/features/plugins/mcp/mcp.schema";
import { fillAtServer } from "./server-prompts";

const prompt = { server: "notes", name: "greet" } as OfferedPrompt;

afterEach(() => vi.unstubAllGlobals());

function answer(body: string, status: number): void {
  vi.stubGlobal("fetch", async () => new Response(body, { status }));
}

it("returns the text of a filled prompt", async () => {
  answer('{"text":"Hello Ann"}', 200);
  expect(await fillAtServer(prompt, new Map())).toBe("Hello Ann");
});

it("explains a refusal, also where a proxy answers with a page", async () => {
  answer('{"detail":"The server is off. Turn it on first."}', 409);
  await expect(fillAtServer(prompt, new Map())).rejects.toThrow("The server is off. Turn it on first.");
  answer("<h1>502 Bad Gateway</h1>", 502);
  await expect(fillAtServer(prompt, new Map())).rejects.toThrow("The prompt couldn't be loaded. Try again.");
});

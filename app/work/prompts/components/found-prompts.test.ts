import { afterEach, expect, it, vi } from "vitest";
import { UNREACHABLE } from "~/ui/failures";
import type { OfferedPrompt } from "../prompts.schema";
import { fillAtServer } from "./found-prompts";

const prompt = { server: "notes", name: "greet" } as OfferedPrompt;

afterEach(() => vi.unstubAllGlobals());

function answer(body: string, status: number): void {
  vi.stubGlobal("fetch", async () => new Response(body, { status }));
}

it("returns the text of a filled prompt", async () => {
  answer('{"text":"Hello Ann"}', 200);
  expect(await fillAtServer(prompt, new Map())).toEqual({ text: "Hello Ann" });
});

it("explains a refusal, a proxy's page and a lost connection", async () => {
  answer('{"detail":"The server is off. Turn it on first."}', 409);
  expect(await fillAtServer(prompt, new Map())).toEqual({ problem: "The server is off. Turn it on first." });
  answer("<h1>502 Bad Gateway</h1>", 502);
  expect(await fillAtServer(prompt, new Map())).toEqual({
    problem: "The server returned HTTP 502. Try again.",
  });
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  expect(await fillAtServer(prompt, new Map())).toEqual({ problem: UNREACHABLE });
});

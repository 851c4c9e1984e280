import { expect, it, vi } from "vitest";
import { wholeLoads } from "./whole-loads";

const HERE = new URL("http://localhost/rag.data");

/** A server that sends the head and half of the body, and the rest on request. */
function slowServer() {
  let rest: () => void = () => undefined;
  const ask = vi.fn<typeof fetch>(async (_, init) => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode("half, "));
        init?.signal?.addEventListener("abort", () => controller.error(init.signal?.reason));
        rest = () => {
          controller.enqueue(new TextEncoder().encode("whole"));
          controller.close();
        };
      },
    });
    return new Response(body, { status: 203, headers: { "x-kept": "yes" } });
  });
  return { ask, finish: () => rest() };
}

it.each(["GET", "POST"])("ends a %s that is aborted within its body with an AbortError", async (method) => {
  const { ask } = slowServer();
  const client = new AbortController();
  const load = wholeLoads(ask)(HERE, { method, signal: client.signal });
  const ended = expect(load).rejects.toMatchObject({ name: "AbortError" });
  await vi.waitFor(() => expect(ask).toHaveBeenCalled());
  client.abort();
  await ended;
});

it("passes on status, headers and body", async () => {
  const { ask, finish } = slowServer();
  const load = wholeLoads(ask)(HERE, {});
  await vi.waitFor(() => expect(ask).toHaveBeenCalled());
  finish();
  const response = await load;
  expect([response.status, response.headers.get("x-kept"), await response.text()]).toEqual([
    203,
    "yes",
    "half, whole",
  ]);
});

it.each([
  ["another address", new URL("http://localhost/api/rag/stats"), {}],
  ["an address as text", "http://localhost/rag.data", {}],
])("doesn't wait for %s", async (_, input, init) => {
  const answer = new Response("x");
  expect(await wholeLoads(async () => answer)(input, init)).toBe(answer);
});

it("passes on a response without a body, and a failure", async () => {
  const answer = new Response(null, { status: 204 });
  expect(await wholeLoads(async () => answer)(HERE)).toBe(answer);
  const failing = wholeLoads(() => Promise.reject(new TypeError("Failed to fetch")));
  await expect(failing(HERE)).rejects.toThrow("Failed to fetch");
});

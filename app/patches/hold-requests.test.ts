import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { setBasePath } from "~/core/base-path";
import { leavesToSignIn, readConnection, retryHeld, retrySafe } from "~/ui/connection";
import { openToast } from "~/ui/toast-store";
import { holdRequests } from "./hold-requests";

const page = new URL("http://console/personas.data");

beforeEach(() => vi.stubGlobal("navigator", { onLine: true }));
afterEach(() => vi.unstubAllGlobals());

it("holds a screen's failed request until it is retried", async () => {
  const ask = vi
    .fn<typeof fetch>()
    .mockRejectedValueOnce(new TypeError("Failed to fetch"))
    .mockResolvedValueOnce(new Response("data"));
  const answer = holdRequests(ask)(page, { method: "POST", body: "name=kept" });
  await expect.poll(() => readConnection()).toBe("unreachable");
  retryHeld(({ isSafe }) => isSafe);
  expect(ask).toHaveBeenCalledTimes(1);
  retryHeld();
  expect(await (await answer).text()).toBe("data");
  expect(ask).toHaveBeenLastCalledWith(page, { method: "POST", body: "name=kept" });
  expect(readConnection()).toBe("ok");
});

it("asks for the root's data below the base path, and for others where they are", async () => {
  setBasePath("/ai");
  const ask = vi.fn<typeof fetch>().mockImplementation(async () => new Response("data"));
  for (const path of ["/ai.data?index=", "/ai/chat.data", "/ai/personas.data"])
    await holdRequests(ask)(new URL(path, page));
  expect(ask.mock.calls.map(([input]) => String(input))).toEqual([
    "http://console/ai/_root.data?index=",
    "http://console/ai/chat.data",
    "http://console/ai/personas.data",
  ]);
  setBasePath("");
});

it("knows that an answer leads to the sign-in page", async () => {
  const leadsTo = async (location: string) => {
    const answer = new Response("redirect", { status: 202, headers: { location } });
    await holdRequests(async () => answer)(page, { method: "POST" });
    return leavesToSignIn();
  };
  expect(await leadsTo("/chat?from=/api/logins")).toBe(false);
  expect(await leadsTo("/ai/api/login?returnTo=%2Fpersonas")).toBe(true);
  expect(await leadsTo("/personas")).toBe(false);
});

it("drops a held request on abort and ignores other failures and requests", async () => {
  const failing = vi.fn<typeof fetch>().mockRejectedValue(new TypeError("Failed to fetch"));
  const controller = new AbortController();
  const answer = holdRequests(failing)(page, { signal: controller.signal });
  await expect.poll(() => readConnection()).toBe("unreachable");
  controller.abort();
  await expect(answer).rejects.toMatchObject({ name: "AbortError" });
  retryHeld();
  await expect(holdRequests(failing)("/api/health")).rejects.toThrow(TypeError);
  const broken = vi.fn<typeof fetch>().mockRejectedValue(new Error("other"));
  await expect(holdRequests(broken)(page)).rejects.toThrow("other");
});

it("holds a screen's request whose response the connection cut off", async () => {
  const cut = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode("da"));
      controller.error(new TypeError("network error"));
    },
  });
  const ask = vi
    .fn<typeof fetch>()
    .mockResolvedValueOnce(new Response(cut))
    .mockResolvedValueOnce(new Response("data", { status: 202, headers: { "x-remix-response": "yes" } }));
  const answer = holdRequests(ask)(page);
  await expect.poll(() => readConnection()).toBe("unreachable");
  retryHeld();
  const response = await answer;
  expect([await response.text(), response.status, response.headers.get("x-remix-response")]).toEqual([
    "data",
    202,
    "yes",
  ]);
});

it.each([500, 502, 503, 504])(
  "holds a request that a proxy answered with %i, and passes on the console's own",
  async (status) => {
    const ask = vi
      .fn<typeof fetch>()
      .mockResolvedValueOnce(new Response("<h1>Bad Gateway</h1>", { status }))
      .mockResolvedValueOnce(new Response("data", { status, headers: { "x-remix-response": "yes" } }));
    const answer = holdRequests(ask)(page);
    await expect.poll(() => readConnection()).toBe("unreachable");
    retrySafe();
    expect(await (await answer).text()).toBe("data");
  },
);

it.each(["GET", "POST"])("ends a %s that is aborted within its body with an AbortError", async (method) => {
  const client = new AbortController();
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode("half"));
      client.signal.addEventListener("abort", () => controller.error(client.signal.reason));
    },
  });
  const ask = vi.fn<typeof fetch>().mockResolvedValue(new Response(body));
  const load = holdRequests(ask)(page, { method, signal: client.signal });
  const ended = expect(load).rejects.toMatchObject({ name: "AbortError" });
  client.abort();
  await ended;
});

it("doesn't wait for the body of another address", async () => {
  const answer = new Response("x");
  expect(await holdRequests(async () => answer)(new URL("http://console/api/rag/stats"))).toBe(answer);
});

const badGateway = () => new Response("<h1>502 Bad Gateway</h1>", { status: 502 });

it("ends an action that a proxy answered with the action's own text, and keeps the page", async () => {
  const workflows = new URL("http://console/workflows.data");
  const body = new URLSearchParams({ intent: "delete", id: "wf_1" });
  const ask = vi.fn<typeof fetch>().mockResolvedValueOnce(badGateway());
  const response = await holdRequests(ask)(workflows, { method: "POST", body });
  expect(openToast()).toMatchObject({
    kind: "error",
    title: "Delete failed",
    description: "Could not delete workflow. The server returned HTTP 502. Try again.",
  });
  expect(response.status).toBe(502);
  // `null` as the action's data.
  expect(await response.text()).toBe('[{"_1":-5},"data"]\n');
  expect(ask).toHaveBeenCalledTimes(1);
});

it("leaves the console's own refusals to the page", async () => {
  const refused = new Response("data", { status: 500, headers: { "x-remix-response": "yes" } });
  const response = await holdRequests(async () => refused)(page, { method: "POST", body: "" });
  expect([await response.text(), response.status]).toEqual(["data", 500]);
});

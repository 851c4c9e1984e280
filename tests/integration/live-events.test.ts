import { createParser } from "eventsource-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LiveEvent } from "~/platform/events/events.schema";
import { startServer, type TestServer } from "../support/server";
import { upload } from "../support/uploads";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** Opens a stream as the viewer; `reading` ends with it. */
async function follow(headers: Record<string, string> = {}) {
  const cookie = await server.signIn("viewer@example.org", "correct horse battery");
  const response = await fetch(`${server.baseUrl}/api/events?topics=documents`, {
    headers: { cookie, ...headers },
  });
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  const seen: (LiveEvent & { lastEventId: string | undefined })[] = [];
  const parser = createParser({
    onEvent: ({ data, id }) => seen.push({ ...JSON.parse(data), lastEventId: id }),
  });
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
      parser.feed(decoder.decode(chunk, { stream: true }));
  })();
  const endSession = () =>
    server.ask("/api/auth/sessions", { method: "DELETE", headers: { cookie, origin: server.baseUrl } });
  return { seen, reading, endSession };
}

describe("GET /api/events", () => {
  it("names documents to those who see them, and ends with the session", async () => {
    const { seen, reading, endSession } = await follow();
    await expect.poll(() => seen.length).toBe(1);
    expect(seen[0]).toEqual({
      topic: "documents",
      version: expect.stringMatching(/^[0-9a-f]{8}\.\d+$/),
      lastEventId: seen[0]?.version,
    });
    const hidden = await upload(server, [["hidden.txt", "For me."]], { fields: { visibility: "named" } });
    const open = await upload(server, [["seen.txt", "For all."]]);
    const ids = () => seen.map(({ id }) => id);
    await expect.poll(ids).toContain(open.files[0]?.id);
    expect(JSON.stringify(seen)).not.toContain(hidden.files[0]?.id);
    await endSession();
    await reading;
  });

  it("says after a lost connection whether something was missed", async () => {
    const first = await follow();
    await expect.poll(() => first.seen.length).toBeGreaterThan(0);
    const last = first.seen.at(-1)?.version ?? "";
    await first.endSession();
    await first.reading;
    const { files } = await upload(server, [["missed.txt", "It came meanwhile."]]);
    const second = await follow({ "last-event-id": last });
    await expect.poll(() => second.seen.length).toBeGreaterThan(0);
    expect(second.seen[0]).toMatchObject({ topic: "documents" });
    expect(second.seen[0]?.version).not.toBe(last);
    expect(files).toHaveLength(1);
    await second.endSession();
    await second.reading;
  });

  it("refuses topics that aren't there or aren't theirs, and leaves out some of several", async () => {
    const status = async (topics: string) => {
      const response = await server.ask(`/api/events?topics=${topics}`, { as: "member" });
      await response.body?.cancel();
      return response.status;
    };
    expect(await status("secrets")).toBe(400);
    expect(await status("")).toBe(400);
    expect(await status("jobs")).toBe(403);
    expect(await status("jobs,documents")).toBe(200);
  });
});

import { expect, it } from "vitest";
import { EventsQuery } from "../events.schema";
import { isNewer, readPart, splitTopics } from "./use-live-topics";

it.each([
  ["a.2", "a.1", true],
  ["a.10", "a.9", true],
  ["a.1", "a.1", false],
  ["a.1", "a.2", false],
  ["b.1", "a.2", true],
  ["a.1", undefined, false],
])("%s is newer than %s: %s", (version, current, newer) => {
  expect(isNewer(version, current)).toBe(newer);
});

it.each([[[]], [["documents"]], [["documents", "audit"]]])("returns the joined topics %j", (topics) => {
  expect(splitTopics(topics.join())).toEqual(topics);
});

it("returns no empty topic, which the server would reject", () => {
  const read = (topics: string[]) =>
    EventsQuery.safeParse({ topics: [...topics, "documents"].join() }).success;
  expect(read(splitTopics(""))).toBe(true);
  expect(read([""])).toBe(false);
});

it("reads only JSON, not a sign-in page, a failure or a lost connection", async () => {
  expect(await readPart(Response.json({ unread: 2 }))).toEqual({ unread: 2 });
  const page = new Response("<!DOCTYPE html>", { headers: { "content-type": "text/html" } });
  expect(await readPart(page)).toBeUndefined();
  expect(await readPart(Response.json({}, { status: 401 }))).toBeUndefined();
  expect(await readPart(undefined)).toBeUndefined();
  const lost = new ReadableStream({ pull: (body) => body.error(new TypeError("Failed to fetch")) });
  expect(
    await readPart(new Response(lost, { headers: { "content-type": "application/json" } })),
  ).toBeUndefined();
});

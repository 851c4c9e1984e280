import { expect, it } from "vitest";
import { readPart } from "./use-live-topics";

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

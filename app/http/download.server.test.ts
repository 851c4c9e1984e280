import { expect, it, vi } from "vitest";
import { download, downloadJson, showImage } from "./download.server";

const client = (waiting = () => 0, closed = new AbortController().signal) => ({
  closed,
  waiting,
  cutOff: vi.fn(),
});
const bytes = (text: string) => new TextEncoder().encode(text);

it("is an attachment for any content type", async () => {
  const response = download(client(), {
    name: 'Übersicht "1".html',
    size: 9,
    pieces: [bytes("<scr"), bytes("ipt/>")],
  });
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "application/octet-stream",
    "content-disposition": `attachment; filename="?bersicht \\"1\\".html"; filename*=UTF-8''%C3%9Cbersicht%20%221%22.html`,
    "content-length": "9",
  });
  expect(await response.text()).toBe("<script/>");
});

it.each([
  ["Night Shift / Pager", "night-shift-pager.json"],
  ["../../", "persona.json"],
])("an export of %o is saved as %s", async (name, file) => {
  const response = downloadJson(name, "persona", { name });
  expect(response.headers.get("content-disposition")).toBe(`attachment; filename=${file}`);
  expect(await response.json()).toEqual({ name });
});

it.each([
  ['"a"', 304],
  ['W/"a"', 304],
  ['"b", W/"a"', 304],
  ["*", 304],
  ['"b"', 200],
  ['"ab"', 200],
  ["a", 200],
])("sends an image again unless the browser has it: If-None-Match %s", async (given, status) => {
  const request = new Request("http://console/", { headers: { "if-none-match": given } });
  const image = { name: "a.png", mediaType: "image/png", bytes: bytes("a"), tag: "a" };
  expect(showImage(request, image).status).toBe(status);
});

it("reads with backpressure, and stops when the client disconnects", async () => {
  const read: number[] = [];
  const disconnect = new AbortController();
  let isRead = false;
  function* pieces() {
    for (let n = 0; n < 5; n++) {
      read.push(n);
      yield bytes("x");
    }
  }
  const response = download(
    client(() => (read.length > 1 && !isRead ? 2_000_000 : 0), disconnect.signal),
    { name: "a", size: 5, pieces: pieces() },
  );
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.read();
  const third = reader?.read();
  expect(read).toEqual([0, 1]);
  isRead = true;
  await third;
  expect(read).toEqual([0, 1, 2]);
  disconnect.abort();
  expect(await reader?.read()).toMatchObject({ done: true });
});

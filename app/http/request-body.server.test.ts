import { afterAll, beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { closeWorkerPools, WorkerPool } from "~/core/worker-pool.server";
import { countHeld, readForm, readJson, readRaw } from "./request-body.server";

let inThread: MockInstance<(typeof WorkerPool.prototype)["run"]>;
beforeEach(() => {
  inThread = vi.spyOn(WorkerPool.prototype, "run");
});
afterAll(() => closeWorkerPools());

const MB = 1024 * 1024;
const post = (body: BodyInit, type: string | undefined) =>
  new Request("http://localhost/x", {
    method: "POST",
    body,
    ...(type === undefined ? {} : { headers: { "Content-Type": type } }),
  });
const json = (body: BodyInit, type = "application/json") => post(body, type);
const form = (body: BodyInit, type = "multipart/form-data; boundary=x") => post(body, type);
const part = (name: string, value: string, more = "") =>
  `--x\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;

async function outcomeOf(work: Promise<unknown>): Promise<unknown> {
  try {
    return { value: await work };
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return { code, message };
  }
}

describe("a JSON body", () => {
  const deep = "[".repeat(65) + "]".repeat(65);
  const many = `[${Array(20_001).fill(1).join(",")}]`;

  it.each([
    ["is incomplete", Buffer.from('{"text":'), "The body is not valid JSON."],
    ["is empty", Buffer.from(""), "The body is not valid JSON."],
    ["isn't UTF-8", Buffer.from([0x22, 0xff, 0x22]), "The body is not valid UTF-8."],
    ["is nested too deeply", Buffer.from(deep), "The JSON nests deeper than 64 levels."],
    ["has too many values", Buffer.from(many), "The JSON contains more than 20000 values."],
  ])("that %s is refused with the same message in either thread", async (_, small, message) => {
    const refused = { code: "invalid", message };
    expect(await outcomeOf(readJson(json(small)))).toEqual(refused);
    expect(inThread).not.toHaveBeenCalled();
    const large = Buffer.concat([small, Buffer.alloc(MB, " ")]);
    expect(await outcomeOf(readJson(json(large), { maxBytes: 2 * MB }))).toEqual(refused);
    expect(inThread).toHaveBeenCalledOnce();
  });

  it("has the same value if a thread parses it", async () => {
    const value = { text: '😀\\"\u0000'.repeat(100_000), title: ["a", { b: null }] };
    expect(await readJson(json(JSON.stringify(value)), { maxBytes: 10 * MB })).toEqual(value);
    expect(inThread).toHaveBeenCalledOnce();
  });

  it("ends at the size limit", async () => {
    let sent = 0;
    const endless = new ReadableStream({
      pull: (stream) => stream.enqueue(new Uint8Array(64 * 1024).fill(++sent && 0x20)),
    });
    const init = { method: "POST", body: endless, duplex: "half" };
    const headers = { "content-type": "application/json" };
    const request = new Request("http://localhost/api/x", { ...init, headers } as RequestInit);
    await expect(readJson(request)).rejects.toMatchObject({
      code: "too_large",
      message: "The body is larger than 1 MB.",
    });
    expect(sent).toBeLessThan(24);
  });

  it.each([
    ["text/plain", "{}", "unsupported_media"],
    ["application/json", JSON.stringify("x".repeat(MB)), "too_large"],
  ])("of %s is refused", async (type, body, code) => {
    await expect(readJson(json(body, type))).rejects.toMatchObject({ code });
  });

  it("that was compressed is refused, as is one to be passed on", async () => {
    const compressed = () => {
      const request = json("{}");
      request.headers.set("content-encoding", "gzip");
      return request;
    };
    const refused = { code: "unsupported_media", message: "Send the body without a content encoding." };
    expect(await outcomeOf(readJson(compressed()))).toEqual(refused);
    const options = { isJson: true, afterwards: () => undefined };
    expect(await outcomeOf(readRaw(compressed(), options))).toEqual(refused);
  });

  it("that its client breaks off, or that stops, says so", async () => {
    const broken = (start: (stream: ReadableStreamDefaultController) => void) =>
      new Request("http://localhost/api/x", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: new ReadableStream({ start }),
        duplex: "half",
      } as RequestInit);
    const aborted = broken((stream) => stream.error(new Error("aborted")));
    expect(await outcomeOf(readJson(aborted))).toEqual({
      code: "cancelled",
      message: "The client closed the connection.",
    });
    vi.useFakeTimers();
    const silent = outcomeOf(readJson(broken((stream) => stream.enqueue(Buffer.from("{")))));
    await vi.advanceTimersByTimeAsync(30_000);
    vi.useRealTimers();
    expect(await silent).toEqual({
      code: "invalid",
      message: "The request body is incomplete. Send it again.",
    });
  });

  it("may have a charset or a +json type", async () => {
    expect(await readJson(json('{"a":1}', "application/json; charset=utf-8"))).toEqual({ a: 1 });
    expect(await readJson(json("[]", "application/merge-patch+json"))).toEqual([]);
  });
});

describe("a body as it was sent", () => {
  const raw = (headers: Record<string, string>) => {
    const request = new Request("http://localhost/api/hooks/x", { headers });
    return readRaw(request, { isJson: false, afterwards: () => undefined });
  };

  it.each([
    ["content-length", "5"],
    ["transfer-encoding", "chunked"],
  ])("is refused with GET, which can't carry it: %s: %s", async (name, value) => {
    expect(await outcomeOf(raw({ [name]: value }))).toEqual({
      code: "invalid",
      message: "A GET call can't have a body here. Send it without one, or by another method.",
    });
  });

  it("is empty without one", async () => {
    expect(await raw({ "content-length": "0" })).toHaveLength(0);
    expect(await raw({})).toHaveLength(0);
  });
});

describe("a form", () => {
  const long = "a".repeat(200_000);

  it.each([
    ["isn't a form", "application/json", "{}", "unsupported_media", "Send the body as a form."],
    ["is incomplete", undefined, part("a", "b"), "invalid", "The form is malformed. Send it again."],
    [
      "has no boundary",
      "multipart/form-data",
      `${part("a", "b")}--x--\r\n`,
      "invalid",
      "The form is malformed. Send it again.",
    ],
  ])("that %s is refused with the same message in either thread", async (_, type, body, code, message) => {
    expect(await outcomeOf(readForm(form(body, type)))).toEqual({ code, message });
    expect(inThread).not.toHaveBeenCalled();
    expect(await outcomeOf(readForm(form(part("long", long) + body, type)))).toEqual({ code, message });
    expect(inThread).toHaveBeenCalledOnce();
  });

  it.each([0, 200_000])("has normalized line ends, also with %i more characters", async (length) => {
    const more = "b".repeat(length);
    const body = `${part("text", "one\r\ntwo\r\n\r\n😀")}${part("text", "again")}${part("more", more)}--x--\r\n`;
    const { form: read } = await readForm(form(body), 10 * MB);
    expect([...read]).toEqual([
      ["text", "one\ntwo\n\n😀"],
      ["text", "again"],
      ["more", more],
    ]);
    expect(inThread).toHaveBeenCalledTimes(length > 0 ? 1 : 0);
    const plain = new URLSearchParams([...read].map(([name, value]) => [name, String(value)]));
    const { form: again } = await readForm(form(plain.toString(), "application/x-www-form-urlencoded"));
    expect([...again]).toEqual([...read]);
  });

  it("has files apart from texts", async () => {
    const file = part("text", "content", '; filename="a.txt"');
    for (const more of ["", part("long", long)]) {
      const { form: read } = await readForm(form(`${file}${more}--x--\r\n`));
      expect(read.get("text")).toBeInstanceOf(File);
    }
  });

  it("refuses a form with thousands of fields", async () => {
    const body = `${part("a", "").repeat(2001)}--x--\r\n`;
    await expect(readForm(form(body))).rejects.toThrow("The form has too many fields.");
  });

  it("that is multipart may exceed 1 MB if its action allows it", async () => {
    const text = "a".repeat(2 * MB);
    const multipart = `${part("text", text)}--x--\r\n`;
    const { form: read, size } = await readForm(form(multipart), 3 * MB);
    expect([String(read.get("text")).length, size]).toEqual([text.length, multipart.length]);
    const refused = "The form is larger than 1 MB. Nothing was saved.";
    await expect(readForm(form(multipart))).rejects.toThrow(refused);
    const plain = form(`text=${text}`, "application/x-www-form-urlencoded");
    await expect(readForm(plain, 3 * MB)).rejects.toThrow(refused);
  });

  it("above the size limit is drained before the refusal", async () => {
    let sent = 0;
    const body = new ReadableStream({
      pull(stream) {
        if (++sent > 40) stream.close();
        else stream.enqueue(new Uint8Array(64 * 1024));
      },
    });
    const headers = { "content-type": "multipart/form-data; boundary=x" };
    const init = { method: "POST", body, headers, duplex: "half" } as RequestInit;
    await expect(readForm(new Request("http://localhost/x", init))).rejects.toMatchObject({
      code: "too_large",
    });
    expect(sent).toBe(41);
  });
});

it("what calls hold in memory is bounded together, and freed as they are answered", () => {
  const free: (() => void)[] = [];
  const hold = () => countHeld((run) => void free.push(run));
  const first = hold();
  first(200 * MB);
  const second = hold();
  expect(() => second(100 * MB)).toThrow(expect.objectContaining({ code: "unavailable", retryAfter: 1 }));
  for (const run of free) run();
  expect(() => hold()(200 * MB)).not.toThrow();
  for (const run of free) run();
});

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { parseJson, parseWith, readJson } from "./parse.server";

const post = (body: BodyInit, type = "application/json") =>
  new Request("http://localhost/api/x", { method: "POST", body, headers: { "Content-Type": type } });

describe("what comes in", () => {
  it("names every field that is wrong", () => {
    const schema = z.object({
      name: z.string().min(1, "Name is required"),
      deep: z.object({ n: z.number() }),
    });
    expect(() => parseWith(schema, { name: "", deep: { n: "x" } }, "body")).toThrow(
      expect.objectContaining({
        code: "invalid",
        message: "The body is not valid: Name is required (name)",
        fields: { name: ["Name is required"], "deep.n": [expect.any(String)] },
      }),
    );
  });

  it("refuses JSON that nests too deep before parsing it", () => {
    expect(() => parseJson("[".repeat(100_000))).toThrow("nests deeper than 64");
    expect(parseJson(`${"[".repeat(64)}${"]".repeat(64)}`)).toBeDefined();
  });

  it("counts no bracket inside a text", () => {
    expect(parseJson(JSON.stringify({ text: '[{"\\['.repeat(200) }))).toBeDefined();
  });

  it("sees where a text ends that has backslashes at its end", () => {
    const deep = "[".repeat(65) + "]".repeat(65);
    expect(() => parseJson(String.raw`{"a":"\\\\","b":${deep}}`)).toThrow("nests deeper than 64");
    expect(parseJson(JSON.stringify({ a: String.raw`\\"${deep}`, b: "\\" }))).toBeDefined();
    expect(() => parseJson(`"${deep}`)).toThrow("not valid JSON");
  });

  it("stops reading a body that is too large", async () => {
    let sent = 0;
    const endless = new ReadableStream({
      pull: (stream) => stream.enqueue(new Uint8Array(64 * 1024).fill(++sent && 0x20)),
    });
    const body = {
      method: "POST",
      body: endless,
      duplex: "half",
      headers: { "content-type": "application/json" },
    };
    const refused = readJson(new Request("http://localhost/api/x", body as RequestInit));
    await expect(refused).rejects.toMatchObject({
      code: "too_large",
      message: "The body is larger than 1 MB.",
    });
    expect(sent).toBeLessThan(24);
  });

  it.each([
    ["text/plain", "{}", "unsupported_media"],
    ["application/json", "{", "invalid"],
    ["application/json", new Uint8Array([0x22, 0xff, 0x22]), "invalid"],
    ["application/json", JSON.stringify("x".repeat(1024 * 1024)), "too_large"],
  ])("refuses a body of %s", async (type, body, code) => {
    await expect(readJson(post(body, type))).rejects.toMatchObject({ code });
  });

  it("takes JSON with a charset and JSON's relatives", async () => {
    expect(await readJson(post('{"a":1}', "application/json; charset=utf-8"))).toEqual({ a: 1 });
    expect(await readJson(post("[]", "application/merge-patch+json"))).toEqual([]);
  });
});

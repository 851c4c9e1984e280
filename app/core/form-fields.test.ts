import { describe, expect, it } from "vitest";
import { parseFieldName, readFields } from "./form-fields";

const FORM = "application/x-www-form-urlencoded";
const read = (body: string, type = FORM) => readFields(new TextEncoder().encode(body), type);

describe("parseFieldName", () => {
  it.each([
    ["email", ["email"]],
    ["config.baseUrl", ["config", "baseUrl"]],
    ["targets[0].model", ["targets", 0, "model"]],
    ["readers[]", ["readers", ""]],
    ["other-quote", ["other-quote"]],
  ])("%s is %j", (name, path) => {
    expect(parseFieldName(name)).toEqual(path);
  });

  it.each([
    ["a list position beyond any list", "a[4294967294]"],
    ["a list position in exponents", "a[1e9]"],
    ["a position of many digits", `a[${"9".repeat(50)}]`],
    ["a way into the prototype", "__proto__.x"],
    ["a way into the prototype, further in", "a.constructor.prototype"],
    ["deep nesting", "a.b.c.d.e"],
    ["deep lists", "a[0][0][0][0]"],
    ["great length", "a".repeat(101)],
    ["no letter", ""],
    ["a parser's own name", "__intent__"],
    ["a broken bracket", "a[0"],
    ["a control character", "a\u0000b"],
  ])("with %s is refused", (_, name) => {
    expect(() => parseFieldName(name)).toThrow("The form has an unknown field");
  });

  it("refuses an invalid name before building anything, and names it", async () => {
    await expect(read("a[4294967294]=b")).rejects.toMatchObject({
      code: "invalid",
      message: `The form has an unknown field: "a[4294967294]".`,
    });
  });
});

describe("readFields", () => {
  it("refuses thousands of fields without parsing them", async () => {
    await expect(read("a&".repeat(500_000))).rejects.toThrow("too many fields");
    const part = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n';
    const type = "multipart/form-data; boundary=x";
    await expect(read(`${part.repeat(2001)}--x--\r\n`, type)).rejects.toThrow("too many fields");
  });

  it("accepts values that contain form syntax", async () => {
    const text = "&=form-data; name=\r\n".repeat(3000);
    const body = `--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n${text}\r\n--x--\r\n`;
    const [field] = await read(body, "multipart/form-data; boundary=x");
    expect(field).toEqual(["a", text.replaceAll("\r\n", "\n")]);
    expect(await read(new URLSearchParams({ a: text }).toString())).toEqual([field]);
  });
});

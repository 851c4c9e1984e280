import { describe, expect, it } from "vitest";
import { scanMembers } from "~/core/parse";
import { processorMs } from "../../../tests/support/processor-time";
import { cutBody, readCallBody } from "./call-body";

const cut = (text: string, changes: Record<string, string> = {}) =>
  cutBody(text, scanMembers(text), "model", changes);

describe("a body split at the model id", () => {
  it.each([
    ['{"model":"a"}', '{"model":"b"}'],
    ['{ "model" :\n"a" , "x" : [1.0, 1e3] }', '{ "model" :"b", "x" : [1.0, 1e3] }'],
    [
      '{"x":{"model":"inner"},"model":"a","y":"\\"model\\":"}',
      '{"x":{"model":"inner"},"model":"b","y":"\\"model\\":"}',
    ],
    ['{"big":12345678901234567890,"model":"a"}', '{"big":12345678901234567890,"model":"b"}'],
    ['{"\\u006dodel":"a"}', '{"\\u006dodel":"b"}'],
    ['{"model":"a","model":"c"}', '{"model":"b","model":"b"}'],
    [
      '{"toString":1,"constructor":{"a":2},"__proto__":[3],"hasOwnProperty":4,"model":"a"}',
      '{"toString":1,"constructor":{"a":2},"__proto__":[3],"hasOwnProperty":4,"model":"b"}',
    ],
    ['{"t":"ends in \\\\","model":"a"}', '{"t":"ends in \\\\","model":"b"}'],
  ])("keeps every other byte of %s", (text, expected) => {
    const joined = cut(text).join('"b"');
    expect(joined).toBe(expected);
    expect(JSON.parse(joined).model).toBe("b");
  });

  it("has other members set or added", () => {
    const changes = { stream_options: '{"include_usage":true}' };
    expect(cut('{"stream_options":{"x":1},"model":"a"}', changes).join('"b"')).toBe(
      '{"stream_options":{"include_usage":true},"model":"b"}',
    );
    expect(cut('{"model":"a" }', changes).join('"b"')).toBe(
      '{"model":"b","stream_options":{"include_usage":true}}',
    );
  });

  it("is refused when it nests too deep or holds too much, without being parsed", () => {
    expect(() => scanMembers("[".repeat(100_000))).toThrow(/nests deeper than 64/);
    expect(() => scanMembers(`[${"1,".repeat(500_001)}1]`)).toThrow(/more than 500000 values/);
    const keys = (count: number) => `{${Array.from({ length: count }, (_, n) => `"k${n}":0`).join()}}`;
    expect(scanMembers(keys(1000))).toHaveLength(1000);
    expect(() => scanMembers(keys(1001))).toThrow(/more than 1000 members/);
  });

  it("is scanned in time proportional to its length", () => {
    const started = process.threadCpuUsage();
    scanMembers(`{"a":"${"\\".repeat(4_000_000)}"}`);
    scanMembers(`{"a":"${'\\"'.repeat(2_000_000)}"}`);
    scanMembers('"'.repeat(1_000_000));
    expect(processorMs(started)).toBeLessThan(5000);
  });
});

describe("a body that no parser should meet", () => {
  it.each([
    ["a key with an unknown escape", '{"\\x":1}'],
    ["a key with half a code", '{"\\u12":1}'],
    ["a key that never ends", '{"a\\"'],
  ])("has %s", (_, text) => {
    expect(() => readCallBody("openai-chat", Buffer.from(text))).toThrow(
      expect.objectContaining({ code: "invalid", message: "The body is not valid JSON." }),
    );
  });

  it("reports excessive nesting", () => {
    expect(() => readCallBody("openai-chat", Buffer.from("[".repeat(100)))).toThrow(/nests deeper than 64/);
  });
});

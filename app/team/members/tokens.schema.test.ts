import { parseWithZod } from "@conform-to/zod/v4";
import { describe, expect, it } from "vitest";
import { TokenForm, TokenInput } from "./tokens.schema";

const parse = (input: object) => TokenInput.safeParse({ name: "Build server", ...input });

describe("a token's models", () => {
  it("are an array or lines of a form", () => {
    expect(parse({ models: [" gpt-4o ", "b"] }).data?.models).toEqual(["gpt-4o", "b"]);
    expect(parse({ models: "gpt-4o\r\n\n b, c " }).data?.models).toEqual(["gpt-4o", "b", "c"]);
  });

  it("are unrestricted if blank", () => {
    expect(parse({}).data?.models).toBeUndefined();
    expect(parse({ models: null }).data?.models).toBeNull();
  });

  // Blank lines must not turn into a token that may call everything.
  it.each([
    [[]],
    ["\n , "],
    [[""]],
    [["x".repeat(201)]],
    [Array.from({ length: 101 }, (_, n) => `model-${n}`)],
    [5],
  ])("may not be %j", (models) => {
    expect(parse({ models }).success).toBe(false);
  });
});

describe("a token's requests per minute", () => {
  it.each([1, 100_000, null, undefined])("may be %j", (requestsPerMinute) => {
    expect(parse({ requestsPerMinute }).success).toBe(true);
  });

  it.each([0, -1, 1.5, 100_001, "60", Number.NaN])("may not be %j", (requestsPerMinute) => {
    expect(parse({ requestsPerMinute }).success).toBe(false);
  });
});

describe("the token form", () => {
  // A browser's form data with only the name typed and one box checked.
  const untouched = { name: "CI", role: "member", expiresInDays: "90", scopes: "gateway.use" };
  const submit = (fields: Record<string, string>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ ...untouched, ...fields })) form.append(name, value);
    return parseWithZod(form, { schema: TokenForm });
  };

  it("accepts blank optional fields", () => {
    const submission = submit({ models: "", requestsPerMinute: "", expiresInDays: "" });
    expect(submission.reply().error).toBeUndefined();
    expect(submission).toMatchObject({
      status: "success",
      value: { models: undefined, requestsPerMinute: undefined, expiresInDays: undefined },
    });
  });

  it("reads one model per line and skips blank lines", () => {
    const named = submit({ models: "gpt-4o\nb", requestsPerMinute: "" });
    expect(named.status === "success" && named.value.models).toEqual(["gpt-4o", "b"]);
    expect(submit({ models: " \n " })).toMatchObject({ status: "success", value: { models: undefined } });
    expect(submit({ models: "," }).reply().error).toEqual({
      models: ["Add at least one model ID, or leave models out to allow all"],
    });
  });

  it("takes a preset's permissions, whatever is ticked, and the lowest role that has them", () => {
    const chosen = (fields: Record<string, string>) => {
      const submission = submit({ role: "", requestsPerMinute: "", models: "", ...fields });
      return submission.status === "success" ? submission.value : submission.reply().error;
    };
    expect(chosen({ preset: "read" })).toMatchObject({
      scopes: ["screens.read", "documents.search", "usage.own", "audit.own"],
      role: "viewer",
    });
    expect(chosen({ preset: "gateway" })).toMatchObject({ scopes: ["gateway.use"], role: "member" });
    expect(chosen({ preset: "custom", scopes: "keys.origin" })).toMatchObject({ role: "owner" });
    expect(chosen({ preset: "gateway", role: "admin" })).toMatchObject({ role: "admin" });
  });
});

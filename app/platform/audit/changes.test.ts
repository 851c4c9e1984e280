import { describe, expect, it } from "vitest";
import { z } from "zod";
import { sensitive } from "./audit.schema";
import { changesOf } from "./audit.service.server";

const shape = {
  name: z.string(),
  prompt: z.string().register(sensitive, { kind: "personal" }),
  token: z.string().register(sensitive, { kind: "secret" }).nullable().optional(),
  nested: z.object({ open: z.string(), secret: z.string().register(sensitive, { kind: "secret" }) }),
};

describe("audited changes", () => {
  it("include only changed fields", () => {
    expect(
      changesOf(shape, { name: "a", list: [1], size: 1 }, { name: "b", list: [1], size: undefined }),
    ).toEqual({
      before: { name: "a" },
      after: { name: "b" },
    });
  });

  it("redact secrets and personal texts", () => {
    const before = { prompt: "", token: "old", nested: { open: "a", secret: "b" } };
    const after = { prompt: "new", token: null, nested: { open: "a", secret: "c" } };
    expect(changesOf(shape, before, after)).toEqual({
      before: { prompt: "", token: "[redacted]", nested: { open: "a", secret: "[redacted]" } },
      after: { prompt: "[redacted]", token: null, nested: { open: "a", secret: "[redacted]" } },
    });
  });

  it("replace a long text by its length", () => {
    expect(changesOf(shape, {}, { name: "x".repeat(501) })).toEqual({
      before: { name: null },
      after: { name: { characters: 501 } },
    });
  });
});

import { afterEach, expect, it } from "vitest";
import { z } from "zod";
import { forbidCompiledSchemas } from "./no-compiled-schemas";

afterEach(() => {
  z.config({ jitless: false });
});

it("is what zod itself reads, also when zod was there first", () => {
  forbidCompiledSchemas();
  expect(z.config().jitless).toBe(true);
});

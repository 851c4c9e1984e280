import { z } from "zod";
import { asText } from "./config-values";

const MAX_RECIPIENTS = 50;
export const HAS_LINE_BREAK = /[\r\n\u2028\u2029\0]/;

/** A list, or text separated by commas. */
function readAddresses(value: unknown): string[] {
  const items = Array.isArray(value) ? value.map(asText) : asText(value).split(/[,;]/);
  return items.map((item) => item.replace(/^[ \t]+|[ \t]+$/g, "")).filter(Boolean);
}

/** A list, or text separated by commas. */
export const recipients = (min: 0 | 1) =>
  z.preprocess(
    readAddresses,
    z
      .array(
        z
          .string()
          .max(320)
          .refine((address) => !HAS_LINE_BREAK.test(address), "An email address can't have a line break")
          .refine((address) => z.email().safeParse(address).success, {
            error: ({ input }) => `This is not an email address: ${String(input).slice(0, 80)}`,
          }),
      )
      .min(min, "Enter at least one email address")
      .max(MAX_RECIPIENTS, `Use at most ${MAX_RECIPIENTS} recipients`),
  );

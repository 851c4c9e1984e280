import { z } from "zod";

export const WebAddress = z
  .string()
  .trim()
  .max(4000, "Use a shorter address")
  .regex(/^https?:\/\//i, { error: "Start the address with http:// or https://", abort: true })
  .refine((value) => URL.canParse(value), "Enter a valid address")
  .describe("Complete address, with https:// or http://");

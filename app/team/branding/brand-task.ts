import { z } from "zod";
import { type CleanedCss, cleanCss } from "./custom-css/clean-css";
import { type CleanedSvg, cleanSvg } from "./images/clean-svg";

export const BrandTask = z.discriminatedUnion("work", [
  z.object({ work: z.literal("css"), source: z.string(), scope: z.string() }),
  z.object({ work: z.literal("svg"), source: z.string() }),
]);
export type BrandTask = z.infer<typeof BrandTask>;

export const BrandOutput = z.discriminatedUnion("work", [
  z.object({ work: z.literal("css"), cleaned: z.custom<CleanedCss>() }),
  z.object({ work: z.literal("svg"), cleaned: z.custom<CleanedSvg>() }),
]);
export type BrandOutput = z.infer<typeof BrandOutput>;

export function runBrandTask(task: BrandTask): BrandOutput {
  const { work, source } = task;
  return work === "css"
    ? { work, cleaned: cleanCss(source, { scope: task.scope }) }
    : { work, cleaned: cleanSvg(source) };
}

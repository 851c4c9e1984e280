import { z } from "zod";
import { type FormField, readFields } from "./form-fields";
import { decodeJson } from "./json";

const Bytes = z.custom<Uint8Array<ArrayBuffer>>((value) => value instanceof Uint8Array);

export const BodyTask = z.discriminatedUnion("work", [
  z.object({ work: z.literal("json"), bytes: Bytes }),
  z.object({ work: z.literal("form"), bytes: Bytes, contentType: z.string() }),
]);
export type BodyTask = z.infer<typeof BodyTask>;

export const BodyOutput = z.discriminatedUnion("work", [
  z.object({ work: z.literal("json"), value: z.unknown() }),
  z.object({
    work: z.literal("form"),
    fields: z.array(z.tuple([z.string(), z.string().nullable()])) as z.ZodType<FormField[]>,
  }),
]);
export type BodyOutput = z.infer<typeof BodyOutput>;

/** Runs in a worker thread. @throws AppError as `decodeJson` and `readFields` */
export async function runBodyTask(task: BodyTask): Promise<BodyOutput> {
  switch (task.work) {
    case "json":
      return { work: "json", value: decodeJson(task.bytes) };
    case "form":
      return { work: "form", fields: await readFields(task.bytes, task.contentType) };
  }
}

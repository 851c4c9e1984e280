import { z } from "zod";
import { readFields } from "./form-fields";
import { decodeJson } from "./parse";

/** A body that is too large for the main thread: a form if it has a content type, else JSON. */
export const BodyTask = z.object({
  bytes: z.custom<Uint8Array<ArrayBuffer>>((value) => value instanceof Uint8Array),
  contentType: z.string().optional(),
});
export type BodyTask = z.infer<typeof BodyTask>;

/** Runs in a worker thread. @throws AppError as `decodeJson` and `readFields` */
export const runBodyTask = ({ bytes, contentType }: BodyTask): unknown =>
  contentType === undefined ? decodeJson(bytes) : readFields(bytes, contentType);

import { z } from "zod";
import type { CleanedCss } from "./clean-css";

export const CssTask = z.object({ source: z.string() });
export type CssTask = z.infer<typeof CssTask>;

/** The thread is ours: what it has made isn't parsed again. */
export const CssOutput = z.custom<CleanedCss>();
